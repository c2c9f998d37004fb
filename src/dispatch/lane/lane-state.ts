import type { PendingDelivery } from "../../domain/pending-delivery";
import type { Ordering } from "../../domain/tuning";
import type { DeliveryBatch } from "./batch";

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

/** The state of a lane: what it knows of its endpoint's deliveries. `lane.ts` changes it. */
export type Lane = Readonly<{
  /** `reading`: a page was requested, and no delivery is ready until it arrives. */
  phase: "open" | "reading" | "paused" | "closed";
  /**
   * The lane's knowledge of the endpoint's settings. `outdated` from a notice of a change until the read of it begins, `asked` until
   * that read has ended. Only while they are `known`, an attempt may begin.
   */
  settings: "outdated" | "asked" | "known";
  ordering: Ordering;
  maxInFlight: number;
  /** Most deliveries of one order in a request. */
  batchSize: number;
  /** Every delivery up to this sequence has ended, is in memory, or belongs to a held order. */
  tail: number;
  /** The highest sequence known since the last scan was requested. */
  seen: number;
  /** True if Postgres may have more than the last page brought. */
  hasMore: boolean;
  /** Deliveries in memory that wait for a slot or for another one of their order, in sequence within an order. */
  ready: readonly PendingDelivery[];
  /** Requests being made or recorded, and since when. */
  inFlight: readonly (DeliveryBatch & Readonly<{ since: number }>)[];
  held: HeldOrders;
  /**
   * True if more keys are held than the lane can know. Then Postgres decides which retries are due and which delivery is the
   * first of its key, and `held` has the keys that can be read at once. Only for an endpoint that is `by_key`.
   */
  isCrowded: boolean;
  /** When the first retry outside held orders is due; in a paused lane, when the endpoint's rest is over. */
  retryAt: number;
  /** Most held orders that the lane knows; see `MOST_HELD`. */
  mostHeld: number;
  /** The value in the last page; null before the first one. */
  queueRevision: number | null;
  /** When held orders were last read again, in case another process has changed them. */
  checkedAt: number;
}>;

/** The settings of an endpoint that its lane follows. */
export type OrderingSettings = Readonly<Pick<Lane, "ordering" | "maxInFlight" | "batchSize">>;

export const NOTHING: readonly never[] = [];

/** A lane that knows nothing. Its first event makes it read. */
export const newLane: Lane = {
  phase: "open",
  settings: "outdated",
  ordering: "ordered",
  maxInFlight: 1,
  batchSize: 1,
  tail: 0,
  seen: 0,
  hasMore: false,
  ready: NOTHING,
  inFlight: NOTHING,
  held: NONE_HELD,
  isCrowded: false,
  retryAt: Number.POSITIVE_INFINITY,
  mostHeld: MOST_HELD,
  queueRevision: null,
  checkedAt: 0,
};

/** Makes a lane for a known endpoint whose deliveries have all ended, up to the tail. */
export function idleLane(tail: number, { ordering, maxInFlight, batchSize }: OrderingSettings): Lane {
  return { ...newLane, settings: "known", ordering, maxInFlight, batchSize, tail, seen: tail };
}

/** Returns true if nothing is in memory and nothing is known to wait in Postgres. */
export function isIdle({ phase, ready, inFlight, held, isCrowded, retryAt }: Lane): boolean {
  const hasNothing = phase !== "reading" && ready.length === 0 && inFlight.length === 0;
  return hasNothing && held.size === 0 && !isCrowded && retryAt === Number.POSITIVE_INFINITY;
}

/** Returns when an ordered endpoint's first delivery may be attempted, if it waits for its retry; else 0. */
export function waitsUntil({ ordering, held }: Lane): number {
  return ordering === "ordered" ? (held.get(KEYLESS)?.until ?? 0) : 0;
}

/** Returns when the lane's next known wait is over; Infinity: there is none. */
export function nextDueAt({ held, retryAt }: Lane, now: number): number {
  return Math.min(retryAt, firstWaitEnds(held, now));
}

/** Returns true if Postgres decides when an order's retries are due. */
export function isFoundByTime({ ordering, isCrowded }: Lane, order: string): boolean {
  return ordering === "unordered" || (isCrowded && order !== KEYLESS);
}

/** Notes a change of the endpoint, which is then read before the next attempt. */
export function outdated(lane: Lane): Lane {
  return { ...lane, phase: lane.phase === "paused" ? "open" : lane.phase, settings: "outdated" };
}

/** Forgets the position of the deliveries, so that the next scan begins with the first one. Keeps attempts in flight. */
export function startedOver(lane: Lane): Lane {
  const nowhere = { tail: 0, ready: NOTHING, held: NONE_HELD, isCrowded: false };
  return { ...lane, ...nowhere, retryAt: Number.POSITIVE_INFINITY, hasMore: true };
}

/** Ends the lane for good. */
export function closed(lane: Lane): Lane {
  return { ...startedOver(lane), phase: "closed" };
}

/** Holds an order from a sequence on, and removes its ready deliveries. */
export function holding(lane: Lane, order: string, hold: Hold): Lane {
  const ready = lane.ready.filter((each) => orderOf(lane.ordering, each) !== order);
  return bounded({ ...lane, ready, held: withHold(lane.held, order, hold) });
}

/** Leaves waiting keys to Postgres once there are too many. Other keys are held briefly, so they are few. */
export function bounded(lane: Lane): Lane {
  if (lane.ordering !== "by_key" || lane.isCrowded || lane.held.size <= lane.mostHeld) return lane;
  const waiting = [...lane.held].filter(([order, { until }]) => until > 0 && order !== KEYLESS);
  if (waiting.length <= lane.mostHeld) return lane;
  const held = new Map(lane.held);
  let { retryAt } = lane;
  for (const [order, { until }] of waiting) {
    held.delete(order);
    retryAt = Math.min(retryAt, until);
  }
  return { ...lane, held, isCrowded: true, retryAt };
}
