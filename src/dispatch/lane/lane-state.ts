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

/** The state of a lane: what it knows of its endpoint's deliveries. `lane.ts` changes it. */
export type Lane = Readonly<{
  /** `reading`: a page was requested, and no delivery is ready until it arrives. */
  phase: "open" | "reading" | "paused" | "closed";
  /**
   * What it knows of the endpoint's settings. `outdated` from a notice of a change until the read of it begins, `asked` until
   * that read has ended. Only while they are `known`, an attempt may begin.
   */
  settings: "outdated" | "asked" | "known";
  ordering: Ordering;
  maxInFlight: number;
  /** Every delivery up to this sequence has ended, is in memory, or belongs to a held order. */
  tail: number;
  /** The highest sequence known since the last scan was requested. */
  seen: number;
  /** True if Postgres may have more than the last page brought. */
  hasMore: boolean;
  /** Deliveries in memory that wait for a slot or for another one of their order, in sequence within an order. */
  ready: readonly PendingDelivery[];
  /** Deliveries being attempted or recorded, and since when. */
  inFlight: readonly Readonly<{ delivery: PendingDelivery; since: number }>[];
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
export type OrderingSettings = Readonly<Pick<Lane, "ordering" | "maxInFlight">>;

export const NOTHING: readonly never[] = [];

/** A lane that knows nothing. Its first event makes it read. */
export const newLane: Lane = {
  phase: "open",
  settings: "outdated",
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

/** Makes a lane for a known endpoint whose deliveries have all ended, up to the tail. */
export function idleLane(tail: number, { ordering, maxInFlight }: OrderingSettings): Lane {
  return { ...newLane, settings: "known", ordering, maxInFlight, tail, seen: tail };
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
