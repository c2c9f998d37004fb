import type { Ordering } from "../../domain/tuning";
import type { PendingDelivery } from "../delivery";
import {
  firstWaitEnds,
  type HeldOrders,
  type Hold,
  KEYLESS,
  MOST_HELD,
  NONE_HELD,
  orderOf,
  withHold,
} from "./orders";

/** What a lane knows of its endpoint's deliveries; see `lane.ts`, which moves it. */
export type Lane = Readonly<{
  /** `reading`: a page is asked for, and no delivery is ready until it comes. */
  phase: "open" | "reading" | "paused" | "closed";
  /** False from when a change was heard of until it is being read. */
  fresh: boolean;
  /** False from when a change was heard of until it has been read: attempts that have not begun must not begin. */
  current: boolean;
  ordering: Ordering;
  maxInFlight: number;
  /** Every delivery up to this sequence has ended, is in memory, or belongs to a held order. */
  tail: number;
  /** The highest sequence heard of since the last scan was asked for. */
  seen: number;
  /** Postgres may have more than the last page brought. */
  hasMore: boolean;
  /** Deliveries in memory that wait for a place or for one of their order. Those of one order are in sequence. */
  ready: readonly PendingDelivery[];
  /** Deliveries that are being attempted or recorded, and since when. */
  inFlight: readonly Readonly<{ delivery: PendingDelivery; since: number }>[];
  held: HeldOrders;
  /**
   * More keys are held than the lane knows. Postgres then tells which retries are due and which delivery is the first of its
   * key, messages are only hints, and `held` has the keys that can be read at once. Only of an endpoint that is `by_key`.
   */
  isCrowded: boolean;
  /** When the first retry is due that no held order waits for; of a paused lane, when its endpoint's rest is over. */
  retryAt: number;
  /** Held orders that the lane knows at most; see `MOST_HELD`. */
  mostHeld: number;
  /** As of the last page; null before it. */
  queueRevision: number | null;
  /** When held orders were last taken up anew, in case somebody else has changed them. */
  checkedAt: number;
}>;

/** What wants to know of its state alone how an endpoint is to be delivered to. */
export type Manner = Readonly<Pick<Lane, "ordering" | "maxInFlight">>;

export const NOTHING: readonly never[] = [];

/** Knows nothing: its first event makes it read. */
export const newLane: Lane = {
  phase: "open",
  fresh: false,
  current: false,
  ordering: "ordered",
  maxInFlight: 1,
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

/** Knows the endpoint as it is, and that every delivery up to the tail has ended. */
export function restingLane(tail: number, { ordering, maxInFlight }: Manner): Lane {
  return { ...newLane, fresh: true, current: true, ordering, maxInFlight, tail, seen: tail };
}

/** True when nothing is in memory, nor known to wait in Postgres. */
export function isAtRest({ phase, ready, inFlight, held, isCrowded, retryAt }: Lane): boolean {
  const hasNothing = phase !== "reading" && ready.length === 0 && inFlight.length === 0;
  return hasNothing && held.size === 0 && !isCrowded && retryAt === Number.POSITIVE_INFINITY;
}

/** When the first delivery of an ordered endpoint may be attempted, if it waits for its retry; else 0. */
export function waitsUntil({ ordering, held }: Lane): number {
  return ordering === "ordered" ? (held.get(KEYLESS)?.until ?? 0) : 0;
}

/** When a wait of the lane is over; Infinity: never, as far as is known. */
export function nextDueAt({ held, retryAt }: Lane, now: number): number {
  return Math.min(retryAt, firstWaitEnds(held, now));
}

/** True where Postgres tells when the retries of an order are due, and the lane does not know. */
export function isFoundByTime({ ordering, isCrowded }: Lane, order: string): boolean {
  return ordering === "unordered" || (isCrowded && order !== KEYLESS);
}

/** The endpoint has changed: it is read before the next attempt. */
export function outdated(lane: Lane): Lane {
  return { ...lane, phase: lane.phase === "paused" ? "open" : lane.phase, fresh: false, current: false };
}

/** Forgets where its deliveries are: the next scan begins with the first. Attempts in flight stay. */
export function startedOver(lane: Lane): Lane {
  const nowhere = { tail: 0, ready: NOTHING, held: NONE_HELD, isCrowded: false };
  return { ...lane, ...nowhere, retryAt: Number.POSITIVE_INFINITY, hasMore: true };
}

/** Ends for good. */
export function closed(lane: Lane): Lane {
  return { ...startedOver(lane), phase: "closed" };
}

/** Leaves an order to Postgres from a sequence on; what is ready of it goes. */
export function holding(lane: Lane, order: string, hold: Hold): Lane {
  const ready = lane.ready.filter((each) => orderOf(lane.ordering, each) !== order);
  return bounded({ ...lane, ready, held: withHold(lane.held, order, hold) });
}

/** Leaves the keys that wait to Postgres, once too many of them do. Others are held for a moment, and so are never many. */
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
