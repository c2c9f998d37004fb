import { drains, type Verdict } from "../../domain/outcome";
import { charactersOf, type PendingDelivery, sizeOf } from "../../domain/pending-delivery";
import { type DeliveryBatch, deliveriesOf, hasAny, joins, sizeOfBatch } from "./batch";
import {
  bounded,
  closed,
  holding,
  isFoundByTime,
  isIdle,
  KEYLESS,
  type Lane,
  NOTHING,
  orderOf,
  outdated,
  shareOrder,
  startedOver,
  waitsUntil,
  withHold,
  withoutHold,
  withoutWaits,
} from "./lane-state";
import { isKeyFull, type Page, type ReadRequest, takePage } from "./page";

/**
 * Decides which delivery of an endpoint is attempted next. A pure state machine: it knows no database, no network and no
 * clock.
 *
 * Every delivery belongs to an *order* (see `orderOf`): the whole endpoint, one ordering key, or the delivery alone. Of an
 * order one delivery is in flight at a time, and one that waits for its retry holds back those behind it. Of all orders
 * together at most `maxInFlight` are in flight. With a `batchSize` those directly behind a delivery go in the same request: one
 * step, one slot and one event, named by the first.
 *
 * | phase            | event                                                | phase   | step                                  |
 * | ---------------- | ---------------------------------------------------- | ------- | ------------------------------------- |
 * | open             | the next delivery is announced, its order is free    | open    | attempt it, once a slot is free       |
 * | open             | it is announced, its order is held                   | open    | none: it is read with its order       |
 * | open             | one is announced that is not next, or not whole      | reading | read, once nothing can be attempted   |
 * | open             | a delivery has ended                                 | open    | attempt the next, or read             |
 * | open             | a delivery waits for its retry                       | open    | none for its order until then         |
 * | open             | an attempt was not recorded, or did not begin        | reading | read its order                        |
 * | open             | a retry is due                                       | reading | read its order                        |
 * | open             | the endpoint changed, or work was missed             | reading | read                                  |
 * | reading          | the page comes                                       | open    | attempt what it brings                |
 * | reading          | the page comes, but the endpoint changed meanwhile   | reading | read again                            |
 * | reading          | the page says that the endpoint is inactive          | paused  | none                                  |
 * | reading          | the page says that the endpoint rests                | paused  | none                                  |
 * | paused           | its rest is over                                     | reading | read                                  |
 * | paused           | the endpoint changed, or a sweep finds work          | reading | read                                  |
 * | any              | the page says that the endpoint is gone, or `closed` | closed  | none, ever again                      |
 *
 * Attempts in flight go on in every phase.
 *
 * `tail` and `seen` find deliveries whose hints were lost. While `seen` is above `tail`, Postgres may have deliveries that
 * are missing here: after a gap, an overflow or a lost hint. They are read in sequence.
 */
export function advance(lane: Lane, event: LaneEvent, moment: Moment): Moved {
  if (lane.phase === "closed") return { lane, steps: NOTHING };
  const after = apply(lane, event, moment.now);
  if (after.phase === "paused" || after.phase === "closed") return { lane: after, steps: NOTHING };
  return readIfNeeded(start(withDueRetries(after, moment.now), moment), moment.now);
}

/** `now`: a monotonic clock, in milliseconds. `allowance`: the attempts that the rate limit lets begin now. */
export type Moment = Readonly<{ now: number; allowance: number }>;

export type Moved = Readonly<{ lane: Lane; steps: readonly Step[] }>;

export type Step =
  | Readonly<{ do: "read"; request: ReadRequest }>
  | (Readonly<{ do: "attempt" }> & DeliveryBatch);

export type LaneEvent =
  /** A sweep found work that is due within `withinMs`. `lastSequence`: the last sequence given out, if known. */
  | Readonly<{ type: "woken"; lastSequence: number | null; withinMs: number }>
  /** Another process changed the endpoint or its queue. */
  | Readonly<{ type: "changed" }>
  /** A hint arrived. `delivery` is null if the hint lacks the payload, or there is no memory for it. */
  | Readonly<{
      type: "announced";
      sequence: number;
      orderingKey: string | null;
      revisionIsKnown: boolean;
      delivery: PendingDelivery | null;
    }>
  | Readonly<{ type: "read"; page: Page }>
  /** An attempt was called off before it began. `sequence`: the first of its request, here and below. */
  | Readonly<{ type: "unsent"; sequence: number }>
  /** An attempt was recorded. `endpointChanged`: so that it is read before the next attempt. */
  | Readonly<{ type: "recorded"; sequence: number; verdict: Verdict; endpointChanged: boolean }>
  /** Postgres refused the record of an attempt, since it has the delivery in another state. */
  | Readonly<{ type: "refused"; sequence: number }>
  /** Time has passed: a retry is due, or the rate limit allows another attempt. */
  | Readonly<{ type: "tick" }>
  | Readonly<{ type: "closed" }>;

type Announced = Extract<LaneEvent, { type: "announced" }>;

/** Most deliveries and payload characters of one endpoint in memory. */
export const LANE_DELIVERIES = 64;
export const LANE_CHARACTERS = 262_144;
/** Most payload characters in flight; a single delivery may have more. */
export const IN_FLIGHT_CHARACTERS = 4 * 1_048_576;
/** Most orders that one read asks for. */
export const ORDERS_PER_READ = 32;
/** During a longer attempt nothing is kept in memory behind it. Reading again costs little beside such an attempt. */
const LONG_ATTEMPT_MS = 1_000;
/**
 * Held orders are read again after this long, in case they changed without a notice: a dispatcher that lost the partition
 * may have recorded an attempt late. If the endpoint is crowded, that takes a scan of everything pending.
 */
const RECHECK_MS = { known: 60_000, crowded: 600_000 };

function apply(lane: Lane, event: LaneEvent, now: number): Lane {
  switch (event.type) {
    case "woken":
      return woken(lane, event, now);
    case "changed":
      return outdated(lane);
    case "announced":
      return announced(lane, event, now);
    case "read":
      return lane.phase === "reading" ? takePage({ ...lane, phase: "open" }, event.page, now) : lane;
    case "unsent":
      return outOfFlight(lane, event.sequence, putBack);
    case "recorded":
      return changedIf(
        event.endpointChanged,
        outOfFlight(lane, event.sequence, settledBy(event.verdict, now)),
      );
    // Another process may have changed the delivery, or the answer to an earlier record was lost.
    case "refused":
      return changedIf(true, outOfFlight(lane, event.sequence, putBack));
    case "tick":
      return lane.phase === "paused" && lane.retryAt <= now ? outdated(lane) : lane;
    case "closed":
      return closed(lane);
  }
}

// Does not read at once: every sweep wakes thousands of endpoints that wait for retries and are not ordered.
function woken(
  lane: Lane,
  { lastSequence, withinMs }: Extract<LaneEvent, { type: "woken" }>,
  now: number,
): Lane {
  if (lane.phase === "paused") return isRestingFor(lane, withinMs, now) ? lane : outdated(lane);
  const isNews = lastSequence === null || lastSequence < lane.tail || isIdle(lane);
  const seen = Math.max(lane.seen, lastSequence ?? 0);
  const heard = { ...lane, seen, hasMore: lane.hasMore || isNews };
  // Its first delivery is due earlier than the lane knows: the one that it waits for has left the queue.
  if (waitsUntil(lane) > now + withinMs) return outdated(withWaitOver(heard, KEYLESS));
  const { isCrowded, held, checkedAt } = lane;
  if (isCrowded)
    return now - checkedAt < RECHECK_MS.crowded ? heard : startedOver({ ...heard, checkedAt: now });
  const isOld = held.size > 0 && now - checkedAt >= RECHECK_MS.known;
  return isOld ? { ...heard, held: withoutWaits(held), checkedAt: now } : heard;
}

/** Returns true while the endpoint rests, and the rest ends within the time that the sweep looked ahead. */
function isRestingFor({ retryAt }: Lane, withinMs: number, now: number): boolean {
  return retryAt < Number.POSITIVE_INFINITY && retryAt <= now + withinMs;
}

function withWaitOver(lane: Lane, order: string): Lane {
  return { ...lane, held: withHold(lane.held, order, { from: Number.POSITIVE_INFINITY, until: 0 }) };
}

function announced(lane: Lane, event: Announced, now: number): Lane {
  const { sequence, delivery, revisionIsKnown } = event;
  // As a rule the lane knows the delivery. But a Postgres that lost commits repeats sequences, which only a page shows.
  if (sequence <= lane.tail) return lane.inFlight.length === 0 ? { ...lane, hasMore: true } : lane;
  const isNext = sequence === lane.tail + 1 && lane.seen <= lane.tail;
  const seen = Math.max(lane.seen, sequence);
  const heard = revisionIsKnown ? { ...lane, seen } : outdated({ ...lane, seen });
  if (!isNext || heard.phase !== "open" || heard.settings === "outdated") return heard;
  if (passes(heard, event, now)) return passed(heard, event);
  if (delivery === null || heard.isCrowded || !hasMemory(heard, delivery)) return heard;
  return { ...heard, tail: sequence, ready: [...heard.ready, delivery] };
}

/** Returns true if the delivery can be left to Postgres without delaying other orders. */
function passes(lane: Lane, placed: Announced, now: number): boolean {
  if (lane.isCrowded) return false;
  if (lane.held.has(orderOf(lane.ordering, placed))) return true;
  if (lane.held.size >= lane.mostHeld) return false;
  const isOfOrder = (each: PendingDelivery) => shareOrder(lane.ordering, each, placed);
  const ahead = lane.inFlight.find((each) => hasAny(each, isOfOrder));
  if (ahead && now - ahead.since > LONG_ATTEMPT_MS) return true;
  return isKeyFull(lane, lane.ready.filter(isOfOrder).length);
}

function passed(lane: Lane, placed: Announced): Lane {
  const { sequence } = placed;
  const order = orderOf(lane.ordering, placed);
  const held = lane.held.has(order)
    ? lane.held
    : withHold(lane.held, order, { from: sequence - 1, until: 0 });
  return { ...lane, tail: sequence, held };
}

function hasMemory({ ready, batchSize }: Lane, delivery: PendingDelivery): boolean {
  if (ready.length === 0) return true;
  if (ready.length >= Math.max(LANE_DELIVERIES, batchSize)) return false;
  return charactersOf(ready) + sizeOf(delivery) <= LANE_CHARACTERS;
}

/** Decides what follows a delivery of an attempt with this verdict. */
type Settle = (rest: Lane, delivery: PendingDelivery) => Lane;

function settledBy(verdict: Verdict, now: number): Settle {
  if (verdict.kind === "retry" || verdict.kind === "stop") {
    const until = verdict.kind === "stop" ? now : now + verdict.afterMs;
    return (rest, delivery) => postponed(rest, delivery, until);
  }
  return drains(verdict) ? drained : ended;
}

function changedIf(isChanged: boolean, lane: Lane): Lane {
  return isChanged && lane.phase !== "paused" ? outdated(lane) : lane;
}

/** Removes a delivery that was in flight. `settle` decides what follows, unless the lane is paused and reads everything again. */
function outOfFlight(lane: Lane, sequence: number, settle: Settle): Lane {
  const gone = lane.inFlight.find(({ delivery }) => delivery.sequence === sequence);
  if (!gone) return lane;
  const inFlight = lane.inFlight.length === 1 ? NOTHING : lane.inFlight.filter((each) => each !== gone);
  const rest = { ...lane, inFlight };
  // The endpoint's ordering may have changed since: then they are of several orders.
  return lane.phase === "paused" ? rest : deliveriesOf(gone).reduce(settle, rest);
}

// A crowded lane does not know whether more of the key wait in Postgres. It reads them once those in memory have ended.
function ended(lane: Lane, delivery: PendingDelivery): Lane {
  const order = orderOf(lane.ordering, delivery);
  if (!lane.isCrowded || order === KEYLESS || lane.held.has(order)) return lane;
  return { ...lane, held: withHold(lane.held, order, { from: 0, until: 0 }) };
}

/** Ends a delivery that used up its schedule. The next one of its order waits, as Postgres says, and gets one attempt. */
function drained(lane: Lane, delivery: PendingDelivery): Lane {
  if (lane.ordering === "unordered") return lane;
  return holding(lane, orderOf(lane.ordering, delivery), { from: delivery.sequence, until: 0 });
}

function postponed(lane: Lane, delivery: PendingDelivery, until: number): Lane {
  const order = orderOf(lane.ordering, delivery);
  if (!isFoundByTime(lane, order)) return holding(lane, order, { from: delivery.sequence - 1, until });
  const ready = lane.ready.filter((each) => !shareOrder(lane.ordering, each, delivery));
  return { ...lane, ready, held: withoutHold(lane.held, order), retryAt: Math.min(lane.retryAt, until) };
}

/** Puts a delivery back that is still pending, perhaps in another state. Its order is read again from there. */
function putBack(lane: Lane, delivery: PendingDelivery): Lane {
  return holding(lane, orderOf(lane.ordering, delivery), { from: delivery.sequence - 1, until: 0 });
}

function withDueRetries(lane: Lane, now: number): Lane {
  return lane.retryAt > now ? lane : { ...lane, hasMore: true, retryAt: Number.POSITIVE_INFINITY };
}

/** A batch that the next deliveries of its order may join. */
type OpenBatch = Lane["inFlight"][number] & { behind: PendingDelivery[] };

function start(lane: Lane, { now, allowance }: Moment): Moved {
  const places = Math.min(lane.maxInFlight - lane.inFlight.length, allowance);
  if (lane.settings === "outdated" || places <= 0 || lane.ready.length === 0) return { lane, steps: NOTHING };
  const inFlight = [...lane.inFlight];
  const ready: PendingDelivery[] = [];
  const begun: OpenBatch[] = [];
  let characters = inFlight.reduce((sum, each) => sum + sizeOfBatch(each), 0);
  for (const delivery of lane.ready) {
    const isLight = inFlight.length === 0 || characters + sizeOf(delivery) <= IN_FLIGHT_CHARACTERS;
    const isInFront = (each: PendingDelivery) => shareOrder(lane.ordering, each, delivery);
    // A delivery that waits for memory is in front, too: a small one does not overtake a large one of its key.
    const mayGo = isLight && !ready.some(isInFront);
    const ahead = inFlight.find((each) => hasAny(each, isInFront));
    const batch = ahead && begun.find((each) => each === ahead);
    if (mayGo && batch && joins(batch, delivery, lane.batchSize)) batch.behind.push(delivery);
    else if (mayGo && !ahead && begun.length < places) {
      const opened = { delivery, behind: [], since: now };
      inFlight.push(opened);
      begun.push(opened);
    } else {
      ready.push(delivery);
      continue;
    }
    characters += sizeOf(delivery);
  }
  if (begun.length === 0) return { lane, steps: NOTHING };
  const steps = begun.map(({ delivery, behind }): Step => ({ do: "attempt", delivery, behind }));
  return { lane: { ...lane, inFlight, ready: ready.length === 0 ? NOTHING : ready }, steps };
}

function readIfNeeded({ lane, steps }: Moved, now: number): Moved {
  const isOutdated = lane.settings === "outdated";
  if (lane.phase !== "open" || (!isOutdated && !isWantingWork(lane, now))) return { lane, steps };
  const bare = withoutReady(lane);
  const orders = openOrders(bare, now);
  // Orders first: in a crowd each delivery that ends leaves one to be read, and they must not grow in number.
  const scans = orders.length <= ORDERS_PER_READ;
  const passed = new Set(bare.held.keys());
  const inFlight = bare.inFlight.flatMap(deliveriesOf);
  for (const delivery of inFlight) passed.add(orderOf(bare.ordering, delivery));
  const request: ReadRequest = {
    after: bare.tail,
    scans,
    orders: orders.slice(0, ORDERS_PER_READ),
    passed: [...passed],
    inFlight: inFlight.map(({ sequence }) => sequence),
    isCrowded: bare.isCrowded,
  };
  // The page has everything announced until now, since messages follow their commits. A delivery that it lacks does not exist.
  const asked = scans ? { ...bare, seen: bare.tail, hasMore: false } : bare;
  const settings = isOutdated ? "asked" : lane.settings;
  return { lane: { ...asked, phase: "reading", settings }, steps: [...steps, { do: "read", request }] };
}

/** Returns true if a slot is free, no delivery in memory can take it, and Postgres may have one that can. */
function isWantingWork(lane: Lane, now: number): boolean {
  if (lane.inFlight.length >= lane.maxInFlight) return false;
  const isFree = (each: PendingDelivery) => {
    const isOfOrder = (other: PendingDelivery) => shareOrder(lane.ordering, other, each);
    return !lane.inFlight.some((batch) => hasAny(batch, isOfOrder));
  };
  if (lane.ready.some(isFree)) return false;
  // Behind the delivery that an ordered endpoint waits for, nothing can be attempted.
  const isBehind = lane.seen > lane.tail || lane.hasMore;
  if (isBehind && (lane.ordering !== "ordered" || lane.held.size === 0)) return true;
  return openOrders(lane, now).length > 0;
}

/** Leaves ready deliveries to Postgres. Pages bring them again, so that none is here twice. */
function withoutReady(lane: Lane): Lane {
  if (lane.ready.length === 0) return lane;
  let { held } = lane;
  for (const each of lane.ready) {
    held = withHold(held, orderOf(lane.ordering, each), { from: each.sequence - 1, until: 0 });
  }
  return bounded({ ...lane, ready: NOTHING, held });
}

/** Returns held orders that can be read now, since they wait neither for a retry nor for anything in memory. */
function openOrders(lane: Lane, now: number): ReadRequest["orders"] {
  if (lane.held.size === 0) return NOTHING;
  const inMemory = [...lane.ready, ...lane.inFlight.flatMap(deliveriesOf)];
  const busy = new Set(inMemory.map((each) => orderOf(lane.ordering, each)));
  return [...lane.held].flatMap(([order, { from, until }]) =>
    until > now || busy.has(order) ? [] : [{ order, from }],
  );
}
