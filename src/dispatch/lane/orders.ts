import type { Ordering } from "../../domain/tuning";
import type { PendingDelivery } from "../delivery";

/**
 * Orders of which Postgres has deliveries that the lane has passed over: their first one waits for a retry or for one in
 * flight, or they did not fit into memory. A held order takes nothing from messages: its deliveries are read from Postgres.
 */
export type HeldOrders = ReadonlyMap<string, Hold>;

export type Hold = Readonly<{
  /** Everything of the order up to this sequence has ended or is in memory. */
  from: number;
  /** When its first delivery may be attempted, by the lane's clock; 0: now, as far as is known. */
  until: number;
}>;

/** Held orders that a lane knows one by one. Beyond it, Postgres says what may be attempted (see `Lane.isCrowded`). */
export const MOST_HELD = 500;

export const NONE_HELD: HeldOrders = new Map();

/** Holds an order from a sequence on, or from an earlier one that it is held from already. */
export function withHold(held: HeldOrders, order: string, { from, until }: Hold): HeldOrders {
  const earlier = held.get(order)?.from ?? from;
  return new Map(held).set(order, { from: Math.min(from, earlier), until });
}

/** Leaves an order alone: what waits of it is found by its time. */
export function withoutHold(held: HeldOrders, order: string): HeldOrders {
  if (!held.has(order)) return held;
  const others = new Map(held);
  others.delete(order);
  return others;
}

/** Ends all waits: somebody else may have changed what they are for. */
export function withoutWaits(held: HeldOrders): HeldOrders {
  return new Map(held.entries().map(([order, { from }]) => [order, { from, until: 0 }]));
}

/** When the first wait is over; Infinity: no held order waits. */
export function firstWaitEnds(held: HeldOrders, now: number): number {
  let first = Number.POSITIVE_INFINITY;
  for (const { until } of held.values()) if (until > now && until < first) first = until;
  return first;
}

type Placed = Pick<PendingDelivery, "sequence" | "orderingKey">;

/** The one order of an endpoint that is `ordered`, and that of the deliveries without a key where it is `by_key`. */
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

/** Tells whether two deliveries of an endpoint share an order. */
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
