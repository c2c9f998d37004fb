import type { Ordering } from "../../domain/tuning";
import type { PendingDelivery } from "../delivery";

/**
 * Orders whose next deliveries are in Postgres only. The first of them waits for its retry or for a delivery in flight, or
 * they did not fit into memory. A held order takes nothing from hints.
 */
export type HeldOrders = ReadonlyMap<string, Hold>;

export type Hold = Readonly<{
  /** Everything of the order up to this sequence has ended or is in memory. */
  from: number;
  /** When its first delivery may be attempted, by the lane's clock; 0: now, unless Postgres knows otherwise. */
  until: number;
}>;

/** Most held orders that a lane knows. With more, Postgres decides what may be attempted (see `Lane.isCrowded`). */
export const MOST_HELD = 500;

export const NONE_HELD: HeldOrders = new Map();

/** Holds an order from a sequence on, or from where it is held already if that is earlier. */
export function withHold(held: HeldOrders, order: string, { from, until }: Hold): HeldOrders {
  const earlier = held.get(order)?.from ?? from;
  return new Map(held).set(order, { from: Math.min(from, earlier), until });
}

/** Releases an order whose waiting deliveries Postgres finds by their time. */
export function withoutHold(held: HeldOrders, order: string): HeldOrders {
  if (!held.has(order)) return held;
  const others = new Map(held);
  others.delete(order);
  return others;
}

/** Ends all waits, since another process may have changed the deliveries. */
export function withoutWaits(held: HeldOrders): HeldOrders {
  return new Map(held.entries().map(([order, { from }]) => [order, { from, until: 0 }]));
}

/** Returns when the first wait is over; Infinity: no held order waits. */
export function firstWaitEnds(held: HeldOrders, now: number): number {
  let first = Number.POSITIVE_INFINITY;
  for (const { until } of held.values()) if (until > now && until < first) first = until;
  return first;
}

type Placed = Pick<PendingDelivery, "sequence" | "orderingKey">;

/** The only order of an `ordered` endpoint, and the order of deliveries without a key at a `by_key` endpoint. */
export const KEYLESS = "";

/**
 * Names the order that a delivery belongs to. Deliveries of one order are attempted one at a time, in their sequence; orders
 * of one endpoint do not wait for each other. The names are those that Postgres makes in `backlog-statement`.
 */
export function orderOf(ordering: Ordering, { sequence, orderingKey }: Placed): string {
  switch (ordering) {
    case "ordered":
      return KEYLESS;
    case "by_key":
      return orderingKey ?? KEYLESS;
    case "unordered":
      return String(sequence);
  }
}

/** Returns whether two deliveries of an endpoint share an order. */
export function shareOrder(ordering: Ordering, one: Placed, other: Placed): boolean {
  switch (ordering) {
    case "ordered":
      return true;
    case "by_key":
      return one.orderingKey === other.orderingKey;
    case "unordered":
      return one.sequence === other.sequence;
  }
}
