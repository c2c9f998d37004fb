import { charactersOf, type PendingDelivery, sizeOf } from "./delivery";

/**
 * The order of one endpoint's deliveries, as a pure state machine: a state and an event give the next state;
 * `nextStep` says what to do in it. It knows no clock, no database and no network.
 *
 * Its whole knowledge is two numbers and a short queue. `tail`: every delivery up to this sequence has ended or
 * is in the mailbox. `seen`: the highest sequence heard of since the last reading began. While `seen` is above `tail`,
 * something may be missing here that Postgres has, be it for a gap, an overflow or a lost message: it is all one case,
 * and read in order once the mailbox is empty. A repeat is what is not above `tail`.
 */
export type Lane = Readonly<{
  phase: Phase;
  tail: number;
  seen: number;
  /** In the order of their sequences, without gaps; the first is the one being attempted or recorded. */
  mailbox: readonly PendingDelivery[];
  /** False once the endpoint has changed: what is known of it is read anew before the next attempt. */
  fresh: boolean;
}>;

export type Phase =
  /** What is pending is being read from Postgres. */
  | { kind: "reading" }
  /** Nothing to do as far as is known. */
  | { kind: "idle" }
  | { kind: "attempting" }
  /** The endpoint's rate limit has the first delivery wait; milliseconds from entering here. */
  | { kind: "pacing"; forMs: number }
  | { kind: "recording" }
  /** The first delivery waits for its retry, and all behind it wait with it; milliseconds from entering here. */
  | { kind: "waiting"; forMs: number }
  /** The endpoint is inactive. */
  | { kind: "paused" }
  /** The endpoint is gone, or is someone else's now. */
  | { kind: "closed" };

export type LaneEvent =
  /** There may be work, up to this sequence if it is known, or what is known of the endpoint is old. */
  | { type: "woken"; lastSequence: number | null }
  | { type: "changed" }
  /** A message came; null: it only tells of the delivery, or there is no room for it here. */
  | { type: "announced"; sequence: number; revisionIsKnown: boolean; delivery: PendingDelivery | null }
  | { type: "read"; page: Page }
  /** The attempt asked for may not begin yet. */
  | { type: "held"; forMs: number }
  /** The attempt asked for was not to begin any more. */
  | { type: "unsent" }
  | { type: "attempted" }
  | { type: "recorded"; result: RecordedResult }
  | { type: "due" }
  | { type: "closed" };

/** What Postgres has pending after a sequence, all seen at one moment. */
export type Page =
  | { kind: "gone" }
  | { kind: "inactive" }
  /** It asks for no order any more: that is not a lane's to do. */
  | { kind: "unordered" }
  | {
      kind: "active";
      /** In order, from the first pending one on. */
      deliveries: readonly PendingDelivery[];
      /** True when nothing else was pending. */
      complete: boolean;
      /** The last sequence given out. */
      lastSequence: number;
      /** How long the first one has still to wait, milliseconds; null: not at all. */
      retryInMs: number | null;
    };

export type RecordedResult =
  /** Delivered or failed for good. */
  | { kind: "ended"; endpointChanged: boolean }
  | { kind: "postponed"; forMs: number }
  /** Postgres did not have the delivery as it was believed to be: nothing was written. */
  | { kind: "refused" };

/** What a lane asks for. Each step is asked for once, on entering its phase. */
export type Step =
  | { do: "read"; after: number }
  | { do: "attempt"; delivery: PendingDelivery }
  | { do: "wait"; ms: number }
  | { do: "nothing" };

/** Deliveries and payload characters that a mailbox holds at most. */
export const MAILBOX_DELIVERIES = 64;
export const MAILBOX_CHARACTERS = 262_144;

// One for all, since there are as many as endpoints at rest.
const IDLE: Phase = { kind: "idle" };

/** Knows nothing: the first event makes it read. */
export const newLane: Lane = { phase: IDLE, tail: 0, seen: 0, mailbox: [], fresh: false };

/** Knows that every delivery up to this sequence has ended, and the endpoint as it is. */
export function restingLane(tail: number): Lane {
  return { ...newLane, tail, seen: tail, fresh: true };
}

export function nextStep(lane: Lane): Step {
  switch (lane.phase.kind) {
    case "reading":
      return { do: "read", after: lane.tail };
    case "attempting": {
      const [delivery] = lane.mailbox;
      return delivery ? { do: "attempt", delivery } : { do: "nothing" };
    }
    case "pacing":
    case "waiting":
      return { do: "wait", ms: lane.phase.forMs };
    default:
      return { do: "nothing" };
  }
}

export function advance(lane: Lane, event: LaneEvent): Lane {
  if (lane.phase.kind === "closed") return lane;
  switch (event.type) {
    case "woken":
      return lane.phase.kind === "idle" || lane.phase.kind === "paused"
        ? reading(lane)
        : { ...lane, seen: Math.max(lane.seen, event.lastSequence ?? 0) };
    case "changed":
      return isResting(lane) ? reading(lane) : { ...lane, fresh: false };
    case "announced":
      return announced(lane, event);
    case "read":
      return lane.phase.kind === "reading" ? read(lane, event.page) : lane;
    case "held":
      return lane.phase.kind === "attempting"
        ? { ...lane, phase: { kind: "pacing", forMs: event.forMs } }
        : lane;
    case "unsent":
      return lane.phase.kind === "attempting" ? reading(lane) : lane;
    case "attempted":
      return lane.phase.kind === "attempting" ? { ...lane, phase: { kind: "recording" } } : lane;
    case "recorded":
      return lane.phase.kind === "recording" ? recorded(lane, event.result) : lane;
    case "due":
      return due(lane);
    case "closed":
      return closed(lane);
  }
}

function isResting(lane: Lane): boolean {
  const { kind } = lane.phase;
  return kind === "idle" || kind === "pacing" || kind === "waiting" || kind === "paused";
}

function due(lane: Lane): Lane {
  if (lane.phase.kind === "pacing")
    return lane.fresh ? { ...lane, phase: { kind: "attempting" } } : reading(lane);
  return lane.phase.kind === "waiting" ? reading(lane) : lane;
}

// The mailbox is let go of: Postgres has what is in it, and the page brings it back. The page also brings all that was heard
// of until now, since what is told was committed before. So nothing is waited for that it does not bring: it was not true.
function reading(lane: Lane): Lane {
  const tail = tailBefore(lane);
  return { ...lane, phase: { kind: "reading" }, tail, seen: tail, mailbox: [], fresh: true };
}

function tailBefore(lane: Lane): number {
  const [first] = lane.mailbox;
  return first ? first.sequence - 1 : lane.tail;
}

function closed(lane: Lane): Lane {
  return { ...lane, phase: { kind: "closed" }, mailbox: [] };
}

function announced(lane: Lane, event: Extract<LaneEvent, { type: "announced" }>): Lane {
  // Known already, as a rule. But a Postgres that has lost commits gives numbers again, which only a page shows.
  if (event.sequence <= lane.tail) return lane.phase.kind === "idle" ? reading(lane) : lane;
  const known = event.revisionIsKnown ? lane : { ...lane, fresh: false };
  if (!canTake(known, event)) {
    const seen = Math.max(lane.seen, event.sequence);
    const readsNow = known.phase.kind === "idle" || (known.phase.kind === "paused" && !known.fresh);
    return readsNow ? reading({ ...known, seen }) : { ...known, seen };
  }
  const taken: Lane = {
    ...known,
    tail: event.sequence,
    seen: Math.max(lane.seen, event.sequence),
    mailbox: [...lane.mailbox, event.delivery],
  };
  return taken.phase.kind === "idle" ? { ...taken, phase: { kind: "attempting" } } : taken;
}

function canTake(
  lane: Lane,
  event: Extract<LaneEvent, { type: "announced" }>,
): event is typeof event & { delivery: PendingDelivery } {
  const { kind } = lane.phase;
  const isMoving = kind === "idle" || kind === "attempting" || kind === "pacing" || kind === "recording";
  const isNext = event.sequence === lane.tail + 1 && lane.seen <= lane.tail;
  return isMoving && lane.fresh && isNext && event.delivery !== null && hasRoom(lane, event.delivery);
}

function hasRoom(lane: Lane, delivery: PendingDelivery): boolean {
  if (lane.mailbox.length === 0) return true;
  if (lane.mailbox.length >= MAILBOX_DELIVERIES) return false;
  return charactersOf(lane.mailbox) + sizeOf(delivery) <= MAILBOX_CHARACTERS;
}

function read(lane: Lane, page: Page): Lane {
  if (page.kind === "gone" || page.kind === "unordered") return closed(lane);
  // The endpoint changed while it was read: what was read may be what was before.
  if (!lane.fresh) return reading(lane);
  if (page.kind === "inactive") return { ...lane, phase: { kind: "paused" } };
  const { deliveries, complete, lastSequence, retryInMs } = page;
  // Postgres has lost commits, as a standby may that is promoted: what has their numbers now is not what had them.
  if (lastSequence < lane.tail) return reading({ ...lane, tail: 0 });
  const last = deliveries.at(-1);
  const tail = Math.max(lane.tail, complete || !last ? lastSequence : last.sequence);
  const filled: Lane = { ...lane, tail, seen: Math.max(lane.seen, lastSequence), mailbox: deliveries };
  if (retryInMs !== null && last) return waiting(filled, retryInMs);
  return proceed(filled);
}

function waiting(lane: Lane, forMs: number): Lane {
  const seen = Math.max(lane.seen, lane.tail);
  return { ...lane, phase: { kind: "waiting", forMs }, tail: tailBefore(lane), seen, mailbox: [] };
}

function recorded(lane: Lane, result: RecordedResult): Lane {
  if (result.kind === "refused") return reading(lane);
  // Of an endpoint that changed meanwhile it is not known whether its deliveries still wait for each other.
  if (result.kind === "postponed") return lane.fresh ? waiting(lane, result.forMs) : reading(lane);
  const settled: Lane = { ...lane, mailbox: lane.mailbox.slice(1) };
  if (result.endpointChanged || !lane.fresh) return reading(settled);
  return proceed(settled);
}

// The mailbox first, then what Postgres has more, then rest.
function proceed(lane: Lane): Lane {
  if (lane.mailbox.length > 0) return { ...lane, phase: { kind: "attempting" } };
  if (lane.seen > lane.tail) return reading(lane);
  return { ...lane, phase: IDLE };
}
