import { charactersOf, type PendingDelivery, sizeOf } from "./delivery";
import { MAILBOX_CHARACTERS, MAILBOX_DELIVERIES } from "./lane";

/**
 * The deliveries of an endpoint that asks for no order, as a pure state machine beside that of the lane: several are
 * under way at a time, and those that wait for their retry let the others pass. What waits, waits in Postgres alone.
 *
 * `tail` and `seen` are as in the lane, with one more reason for not being looked for: every delivery up to `tail`
 * has ended, is here, or was attempted before; the latter come back by the time of their retry.
 */
export type UnorderedLane = Readonly<{
  phase: "open" | "paused" | "leaving" | "closed";
  isReading: boolean;
  /** False once the endpoint has changed: what is known of it is read anew before the next attempt. */
  fresh: boolean;
  /** False from a change until it has been read: what has not gone out yet is not to. */
  current: boolean;
  tail: number;
  seen: number;
  /** Postgres may have retries that are due, or more than the last page. */
  hasMore: boolean;
  maxInFlight: number;
  /** To be attempted as soon as there is a place. While a read is under way there are none. */
  ready: readonly PendingDelivery[];
  /** Being attempted or recorded, by their sequences. */
  inFlight: ReadonlyMap<number, PendingDelivery>;
}>;

export type UnorderedEvent =
  /** There may be work: beyond the tail, if the last sequence given out is told, or anywhere. */
  | { type: "woken"; lastSequence: number | null }
  | { type: "changed" }
  /** A message came; null: it only tells of the delivery, or there is no room for it here. */
  | { type: "announced"; sequence: number; revisionIsKnown: boolean; delivery: PendingDelivery | null }
  | { type: "read"; page: UnorderedPage }
  /** The attempt was not to begin any more: the endpoint had changed. */
  | { type: "unsent"; sequence: number }
  | { type: "recorded"; sequence: number; result: UnorderedResult }
  /** The first retry is due. */
  | { type: "due" }
  /** The rate limit allows another attempt. */
  | { type: "allowed" }
  | { type: "closed" };

/** What Postgres has for an endpoint without order, all seen at one moment, without what was in flight. */
export type UnorderedPage =
  | { kind: "gone" }
  | { kind: "inactive" }
  /** It asks for order now. */
  | { kind: "ordered" }
  | {
      kind: "active";
      maxInFlight: number;
      /** Retries that are due, then what was never attempted. */
      deliveries: readonly PendingDelivery[];
      /** Whatever was never attempted up to this sequence is among the deliveries, or in flight. */
      scannedTo: number;
      /** There is more that could be attempted now, or was not looked at. */
      hasMore: boolean;
      /** The last sequence given out. */
      lastSequence: number;
      /** How long it takes until another retry is due, milliseconds; null: none waits. */
      retryInMs: number | null;
    };

export type UnorderedResult =
  /** Ended (null), or to be tried again after so many milliseconds. */
  | { kind: "written"; retryInMs: number | null; endpointChanged: boolean }
  /** Postgres did not have the delivery as it was believed to be: nothing was written. */
  | { kind: "refused" };

/** What a lane without order asks for. */
export type UnorderedStep =
  | { do: "read"; after: number; without: readonly number[] }
  | { do: "attempt"; delivery: PendingDelivery }
  /** Say `due` after so long, or before. */
  | { do: "wait"; ms: number };

type Moved = { lane: UnorderedLane; steps: readonly UnorderedStep[] };

/** Payload characters under way at most, unless it is one delivery. */
export const IN_FLIGHT_CHARACTERS = 4 * 1_048_576;

/** Knows nothing: the first event makes it read. */
export const newUnorderedLane: UnorderedLane = {
  phase: "open",
  isReading: false,
  fresh: false,
  current: false,
  tail: 0,
  seen: 0,
  hasMore: false,
  maxInFlight: 1,
  ready: [],
  inFlight: new Map(),
};

/** The next state and what to do in it. `allowance` is how many attempts the rate limit allows to begin now. */
export function advanceUnordered(lane: UnorderedLane, event: UnorderedEvent, allowance: number): Moved {
  if (lane.phase === "closed") return { lane, steps: [] };
  const after = apply(lane, event);
  const waits = waitsOf(event);
  if (after.phase === "leaving" && after.inFlight.size === 0) return { lane: closed(after), steps: [] };
  if (after.phase !== "open") return { lane: after, steps: [] };
  const refreshed = after.fresh || after.isReading ? after : { ...letGo(after), hasMore: true };
  const started = start(refreshed, allowance);
  const read = readIfNeeded(started.lane);
  return { lane: read.lane, steps: [...waits, ...started.steps, ...read.steps] };
}

function apply(lane: UnorderedLane, event: UnorderedEvent): UnorderedLane {
  switch (event.type) {
    case "woken":
      return woken(lane, event.lastSequence);
    case "changed":
      return outdated(lane);
    case "announced":
      return announced(lane, event);
    case "read":
      return lane.isReading ? read({ ...lane, isReading: false }, event.page) : lane;
    case "unsent":
      return unsent(lane, event.sequence);
    case "recorded":
      return recorded(lane, event.sequence, event.result);
    case "due":
      return { ...lane, hasMore: true };
    case "allowed":
      return lane;
    case "closed":
      return closed(lane);
  }
}

// Thousands of endpoints may wait for their retries, and every sweep wakes them all: none reads for it.
function woken(lane: UnorderedLane, lastSequence: number | null): UnorderedLane {
  if (lane.phase === "paused") return outdated(lane);
  if (lastSequence === null || lastSequence < lane.tail) return { ...lane, hasMore: true };
  return { ...lane, seen: Math.max(lane.seen, lastSequence) };
}

function waitsOf(event: UnorderedEvent): UnorderedStep[] {
  const ms =
    event.type === "read" && event.page.kind === "active"
      ? event.page.retryInMs
      : event.type === "recorded" && event.result.kind === "written"
        ? event.result.retryInMs
        : null;
  return ms === null ? [] : [{ do: "wait", ms }];
}

function closed(lane: UnorderedLane): UnorderedLane {
  return { ...lane, phase: "closed", ready: [] };
}

function outdated(lane: UnorderedLane): UnorderedLane {
  return { ...lane, phase: "open", fresh: false, current: false };
}

// Postgres has what is let go of, and pages will bring it back.
function letGo(lane: UnorderedLane): UnorderedLane {
  const untried = lane.ready.flatMap(({ sequence, attemptCount }) => (attemptCount === 0 ? [sequence] : []));
  const seen = Math.max(lane.seen, lane.tail);
  return { ...lane, tail: Math.min(lane.tail, ...untried.map((each) => each - 1)), seen, ready: [] };
}

function announced(
  lane: UnorderedLane,
  event: Extract<UnorderedEvent, { type: "announced" }>,
): UnorderedLane {
  const { sequence, revisionIsKnown, delivery } = event;
  // See `Lane`: either known already, or given again.
  if (sequence <= lane.tail) return { ...lane, hasMore: true };
  const known = revisionIsKnown ? lane : outdated(lane);
  const isNext = sequence === lane.tail + 1 && lane.seen <= lane.tail;
  const isTaken = isNext && known.phase === "open" && known.fresh && !known.isReading;
  const seen = Math.max(lane.seen, sequence);
  if (!isTaken || delivery === null || !hasRoom(lane, delivery)) return { ...known, seen };
  return { ...known, seen, tail: sequence, ready: [...lane.ready, delivery] };
}

function hasRoom({ ready }: UnorderedLane, delivery: PendingDelivery): boolean {
  if (ready.length === 0) return true;
  if (ready.length >= MAILBOX_DELIVERIES) return false;
  return charactersOf(ready) + sizeOf(delivery) <= MAILBOX_CHARACTERS;
}

function read(lane: UnorderedLane, page: UnorderedPage): UnorderedLane {
  if (lane.phase === "leaving") return lane;
  if (page.kind === "gone") return closed(lane);
  // The endpoint changed while it was read: what was read may be what was before.
  if (!lane.fresh) return lane;
  if (page.kind === "inactive") return { ...lane, phase: "paused" };
  if (page.kind === "ordered") return { ...lane, phase: "leaving" };
  const { maxInFlight, deliveries, scannedTo, hasMore, lastSequence } = page;
  // See `Lane`: Postgres has lost commits.
  if (lastSequence < lane.tail) return { ...lane, tail: 0, hasMore: true };
  return {
    ...lane,
    current: true,
    maxInFlight,
    hasMore: lane.hasMore || hasMore,
    tail: Math.max(lane.tail, scannedTo),
    seen: Math.max(lane.seen, lastSequence),
    ready: deliveries,
  };
}

// Postgres has it as it was. A page under way was asked for without it, and is of no use.
function unsent(lane: UnorderedLane, sequence: number): UnorderedLane {
  const inFlight = new Map(lane.inFlight);
  const isUntried = inFlight.get(sequence)?.attemptCount === 0;
  inFlight.delete(sequence);
  const tail = isUntried ? Math.min(lane.tail, sequence - 1) : lane.tail;
  const seen = Math.max(lane.seen, lane.tail);
  return { ...lane, inFlight, tail, seen, hasMore: true, fresh: lane.fresh && !lane.isReading };
}

function recorded(lane: UnorderedLane, sequence: number, result: UnorderedResult): UnorderedLane {
  const inFlight = new Map(lane.inFlight);
  inFlight.delete(sequence);
  if (result.kind === "written" && !result.endpointChanged) return { ...lane, inFlight };
  // Refused, it says nothing of the endpoint: the record may have been made, and its answer lost.
  return lane.phase === "open" ? outdated({ ...lane, inFlight, hasMore: true }) : { ...lane, inFlight };
}

function start(lane: UnorderedLane, allowance: number): Moved {
  const inFlight = new Map(lane.inFlight);
  let characters = 0;
  for (const delivery of lane.inFlight.values()) characters += sizeOf(delivery);
  let count = 0;
  for (const delivery of lane.ready) {
    const isLight = inFlight.size === 0 || characters + sizeOf(delivery) <= IN_FLIGHT_CHARACTERS;
    if (count >= allowance || inFlight.size >= lane.maxInFlight || !isLight) break;
    inFlight.set(delivery.sequence, delivery);
    characters += sizeOf(delivery);
    count++;
  }
  if (count === 0) return { lane, steps: [] };
  const steps = lane.ready.slice(0, count).map((delivery): UnorderedStep => ({ do: "attempt", delivery }));
  return { lane: { ...lane, inFlight, ready: lane.ready.slice(count) }, steps };
}

// Only with nothing at hand and a place free: so a page has nothing that began after it was asked for. What was heard of until
// now is in the page or not true, as in the lane (see `reading`).
function readIfNeeded(lane: UnorderedLane): Moved {
  const isWanted =
    !lane.fresh || ((lane.hasMore || lane.seen > lane.tail) && lane.inFlight.size < lane.maxInFlight);
  if (lane.isReading || lane.ready.length > 0 || !isWanted) return { lane, steps: [] };
  const step: UnorderedStep = { do: "read", after: lane.tail, without: [...lane.inFlight.keys()] };
  const seen = lane.tail;
  return { lane: { ...lane, isReading: true, fresh: true, hasMore: false, seen }, steps: [step] };
}
