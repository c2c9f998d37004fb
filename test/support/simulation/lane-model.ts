import { type DeliveryBatch, deliveriesOf } from "../../../src/dispatch/lane/batch";
import {
  advance,
  IN_FLIGHT_CHARACTERS,
  LANE_CHARACTERS,
  LANE_DELIVERIES,
  type LaneEvent,
} from "../../../src/dispatch/lane/lane";
import {
  isFoundByTime,
  type Lane,
  newLane,
  nextDueAt,
  orderOf,
  shareOrder,
} from "../../../src/dispatch/lane/lane-state";
import type { Page, ReadRequest } from "../../../src/dispatch/lane/page";
import type { Outcome } from "../../../src/domain/outcome";
import { charactersOf, type PendingDelivery, sizeOf } from "../../../src/domain/pending-delivery";
import type { Ordering } from "../../../src/domain/tuning";
import { deliveryOf, type EndpointChange, LanePostgres, type LaneRow, type Verdict } from "./lane-postgres";

export type LaneCommand =
  | { do: "accept"; count: number; orderingKey: string | null; characters: number }
  /** A message arrives: the next one, or a repeat of any earlier one. */
  | { do: "announce"; count: number }
  | { do: "announce again"; which: number }
  /** A message of a delivery that was never accepted, as from a foreign or restored store. */
  | { do: "announce falsely"; ahead: number }
  | { do: "change"; change: EndpointChange; isAnnounced: boolean }
  | { do: "cancel"; which: number; isAnnounced: boolean }
  | { do: "end rest"; isAnnounced: boolean }
  /** The tables are read. Other events may happen before the answer arrives. */
  | { do: "look" }
  | { do: "answer" }
  /** An attempt ends. It is written, and the lane learns of it later. Or it is called off before it began. */
  | { do: "finish"; which: number; verdict: Verdict; isAnswerLost: boolean; changesHealth: boolean }
  | { do: "call off"; which: number }
  | { do: "confirm"; which: number }
  | { do: "due"; isEarly: boolean }
  | { do: "wake" }
  | { do: "allow"; count: number }
  /** A dispatcher that has lost the partition records an attempt late. */
  | { do: "intrude"; which: number; verdict: Verdict };

type Message = { sequence: number; revision: number; row: PendingDelivery };
type Read = { request: ReadRequest; found: Found | null };
type Found = { page: Page; revision: number; rest: { until: number } | null };
type Attempt = DeliveryBatch;
type Result = Extract<LaneEvent, { type: "recorded" | "refused" }>;
type Written = Attempt & { result: Result };

export type LaneModelOptions = {
  ordering: Ordering;
  maxInFlight: number;
  batchSize?: number;
  mostHeld?: number;
  /** The outcome of an attempt that no command decides. */
  verdictOf?(delivery: PendingDelivery): Verdict;
};

const RETRY_MS = 10;
/** Most deliveries of a page, with reserve. */
const PAGE_RESERVE = 16;
const LONG_MS = 700_000;

/** Drives a lane as an actor does, against a Postgres and a stream, and checks it after every step. */
export class LaneModel {
  lane: Lane;
  readonly postgres: LanePostgres;
  /** Every attempt, in the order in which the lane asked for them. */
  readonly attempts: string[] = [];
  private readonly messages: Message[] = [];
  private announced = 0;
  private madeUp = 0;
  private knownRevision: number | null = null;
  private reading: Read | null = null;
  private readonly underWay = new Map<number, Attempt>();
  private readonly written = new Map<number, Written>();
  private allowance = Number.POSITIVE_INFINITY;
  /** True if a change was announced and no read has been requested since. */
  private isOutdated = false;
  /**
   * True if another process has changed the endpoint or its queue, so that the lane's view may be wrong for a short time.
   */
  private isDisturbed = false;
  /** From the last page: the endpoint rests until then, and is sent one at a time after it. */
  private rest: { until: number } | null = null;

  constructor(private readonly options: LaneModelOptions) {
    const { ordering, maxInFlight, batchSize = 1, mostHeld } = options;
    this.postgres = new LanePostgres(ordering, maxInFlight, batchSize);
    this.lane = mostHeld === undefined ? newLane : { ...newLane, mostHeld };
  }

  run(command: LaneCommand): void {
    if (command.do === "accept") this.accept(command);
    else if (command.do === "announce") this.announceNext(command.count);
    else if (command.do === "announce again") this.announceAgain(command.which);
    else if (command.do === "announce falsely") this.announceFalsely(command.ahead);
    else if (command.do === "change") this.change(command.change, command.isAnnounced);
    else if (command.do === "cancel") this.cancel(command.which, command.isAnnounced);
    else if (command.do === "end rest") this.endRest(command.isAnnounced);
    else if (command.do === "look") this.look();
    else if (command.do === "answer") this.answer();
    else if (command.do === "finish") this.finish(command);
    else if (command.do === "call off") this.callOff(command.which);
    else if (command.do === "confirm") this.confirm(command.which);
    else if (command.do === "due") this.due(command.isEarly);
    else if (command.do === "wake") this.wake();
    else if (command.do === "allow") this.allow(command.count);
    else this.intrude(command);
  }

  /** Lets everything end, without new commands. */
  settle(): void {
    this.allow(Number.POSITIVE_INFINITY);
    for (let i = 0; i < 20_000; i++) if (!this.goOn()) return;
    throw new Error("the lane never comes to rest");
  }

  /** Answers every read, so that the lane's attempts depend on nothing unknown. */
  answerReads(): void {
    for (let i = 0; i < 1_000 && this.reading; i++) this.answer();
    check(this.reading === null, "the lane never stops reading");
  }

  /** Runs a sweep after a long time. */
  sweepMuchLater(): void {
    this.postgres.now += LONG_MS;
    this.wake();
  }

  announceAll(): void {
    this.announceNext(this.messages.length - this.announced);
  }

  /** Sequences that the lane is attempting or recording. */
  get inFlight(): number[] {
    return this.lane.inFlight.flatMap(sequencesOf).sort((a, b) => a - b);
  }

  /** Does one step. Returns false if nothing is under way. */
  private goOn(): boolean {
    if (this.reading) this.answer();
    else if (this.underWay.size > 0) {
      const [attempt] = this.underWay.values();
      const verdict = attempt ? this.verdictOf(attempt.delivery) : "delivered";
      this.finish({ do: "finish", which: 0, verdict, isAnswerLost: false, changesHealth: false });
    } else if (this.written.size > 0) this.confirm(0);
    else if (nextDueAt(this.lane, this.postgres.now) < Number.POSITIVE_INFINITY) this.due(false);
    else return false;
    return true;
  }

  private verdictOf(delivery: PendingDelivery): Verdict {
    return this.options.verdictOf?.(delivery) ?? "delivered";
  }

  private accept({ count, orderingKey, characters }: Extract<LaneCommand, { do: "accept" }>): void {
    if (this.postgres.state === "gone") return;
    for (let i = 0; i < count; i++) {
      const row = deliveryOf(this.postgres.accept(orderingKey, characters));
      this.messages.push({ sequence: row.sequence, revision: this.postgres.revision, row });
    }
  }

  private announceNext(count: number): void {
    for (let i = 0; i < count; i++) {
      const message = this.messages[this.announced];
      if (message) this.announced++;
      this.announce(message);
    }
  }

  private announceAgain(which: number): void {
    this.announce(this.messages[which % (this.messages.length || 1)]);
  }

  private announceFalsely(ahead: number): void {
    const sequence = this.postgres.lastSequence + ahead;
    this.madeUp = Math.max(this.madeUp, sequence);
    this.feed({ type: "announced", sequence, orderingKey: null, revisionIsKnown: true, delivery: null });
  }

  private announce(message: Message | undefined): void {
    if (!message) return;
    const { sequence, revision, row } = message;
    const revisionIsKnown = this.knownRevision === null || revision <= this.knownRevision;
    if (!revisionIsKnown) this.isOutdated = true;
    const delivery = typeof row.data === "string" ? row : null;
    this.feed({ type: "announced", sequence, orderingKey: row.orderingKey, revisionIsKnown, delivery });
  }

  private change(change: EndpointChange, isAnnounced: boolean): void {
    this.postgres.change(change);
    this.isDisturbed = true;
    if (isAnnounced) this.notifyChange();
  }

  private cancel(which: number, isAnnounced: boolean): void {
    const all = [...this.postgres.rows.keys()];
    const sequence = all[which % (all.length || 1)];
    if (sequence === undefined) return;
    this.postgres.cancel(sequence);
    this.isDisturbed = true;
    if (isAnnounced) this.notifyChange();
  }

  private endRest(isAnnounced: boolean): void {
    this.postgres.endRest();
    this.isDisturbed = true;
    if (isAnnounced) this.notifyChange();
  }

  private notifyChange(): void {
    this.isOutdated = true;
    this.feed({ type: "changed" });
  }

  private look(): void {
    const { reading, postgres } = this;
    if (!reading) return;
    const { revision, restsUntil: until } = postgres;
    const rest = until === null ? null : { until };
    reading.found ??= { page: postgres.page(reading.request), revision, rest };
  }

  private answer(): void {
    this.look();
    const found = this.reading?.found;
    if (!found) return;
    this.rest = found.rest;
    this.reading = null;
    this.knownRevision = found.revision;
    this.feed({ type: "read", page: found.page });
  }

  private pick(of: Map<number, Attempt>, which: number): Attempt | undefined {
    const all = [...of.values()];
    return all[which % (all.length || 1)];
  }

  private finish({
    which,
    verdict,
    isAnswerLost,
    changesHealth,
  }: Extract<LaneCommand, { do: "finish" }>): void {
    const attempt = this.pick(this.underWay, which);
    if (!attempt) return;
    const { postgres } = this;
    const { sequence } = attempt.delivery;
    this.underWay.delete(sequence);
    const isStale = postgres.revision > (this.knownRevision ?? 0);
    const before = postgres.revision;
    const onFirst = verdictOnFirst(attempt, verdict);
    const isWritten = this.record(attempt, onFirst);
    if (isWritten && changesHealth) postgres.revision++;
    const endpointChanged = isStale || postgres.revision > before;
    const result: Result =
      isWritten && !isAnswerLost
        ? { type: "recorded", sequence, verdict: recordedAs(onFirst), endpointChanged }
        : { type: "refused", sequence };
    this.written.set(sequence, { ...attempt, result });
  }

  /** Records each delivery of a request. Returns false if one was refused. */
  private record({ delivery, behind }: Attempt, verdict: Verdict): boolean {
    const { postgres } = this;
    const onOthers = verdict === "delivered" ? "delivered" : "retry";
    const first = postgres.record(delivery.sequence, delivery.attemptCount, verdict, RETRY_MS);
    const others = behind.map(({ sequence, attemptCount }) =>
      postgres.record(sequence, attemptCount, onOthers, 0),
    );
    return [first, ...others].every((isWritten) => isWritten);
  }

  private callOff(which: number): void {
    const attempt = this.pick(this.underWay, which);
    if (!attempt) return;
    const { sequence } = attempt.delivery;
    this.underWay.delete(sequence);
    for (const each of deliveriesOf(attempt))
      this.attempts.splice(this.attempts.lastIndexOf(nameOf(each)), 1);
    this.feed({ type: "unsent", sequence });
  }

  private confirm(which: number): void {
    const all = [...this.written.values()];
    const written = all[which % (all.length || 1)];
    if (!written) return;
    const { result } = written;
    this.written.delete(result.sequence);
    if (result.type === "refused" || result.endpointChanged) this.isOutdated = true;
    this.feed(result);
  }

  private due(isEarly: boolean): void {
    const at = nextDueAt(this.lane, this.postgres.now);
    if (at === Number.POSITIVE_INFINITY) return;
    if (!isEarly) this.postgres.now = at;
    this.feed({ type: "tick" });
  }

  private wake(): void {
    this.feed({
      type: "woken",
      lastSequence: this.postgres.lastSequence,
      withinMs: Number.POSITIVE_INFINITY,
    });
  }

  private allow(count: number): void {
    this.allowance = count;
    this.feed({ type: "tick" });
  }

  private intrude({ which, verdict }: Extract<LaneCommand, { do: "intrude" }>): void {
    const { postgres } = this;
    const firsts = [...postgres.rows.values()].filter(
      (row) => postgres.inFrontOf(row, postgres.ordering).length === 0,
    );
    const row = firsts[which % (firsts.length || 1)];
    if (!row) return;
    this.isDisturbed = true;
    postgres.record(row.sequence, row.attemptCount, verdict, RETRY_MS);
  }

  private feed(event: LaneEvent): void {
    const before = this.lane;
    const { now } = this.postgres;
    const { lane, steps } = advance(before, event, { now, allowance: this.allowance });
    this.lane = lane;
    if (before.phase === "closed") check(lane === before && steps.length === 0, "a closed lane changes");
    for (const step of steps) {
      if (step.do === "attempt") this.attempt(step);
      else this.startReading(step.request);
    }
    if (lane.phase !== "closed") this.checkState();
  }

  private startReading(request: ReadRequest): void {
    check(this.reading === null, "a read is asked for while one is under way");
    this.reading = { request, found: null };
    this.isOutdated = false;
  }

  private attempt({ delivery, behind }: Attempt): void {
    const { postgres, lane } = this;
    const { sequence } = delivery;
    const name = nameOf(delivery);
    const beside = [...this.underWay.values(), ...this.written.values()];
    check(lane.phase === "open" || lane.phase === "reading", `${name} begins while ${lane.phase}`);
    check(!this.isOutdated, `${name} begins on what was known before the change`);
    check(this.rest === null || this.rest.until <= postgres.now, `${name} begins while its endpoint rests`);
    check(this.rest === null || beside.length === 0, `${name} begins beside a probe`);
    check(this.allowance > 0, `${name} begins in spite of the rate limit`);
    check(beside.length < lane.maxInFlight, `${name} is one more than ${lane.maxInFlight}`);
    const shared = beside.flatMap(deliveriesOf).find((each) => shareOrder(lane.ordering, each, delivery));
    check(!shared, `${name} begins beside ${shared?.sequence} of its order`);
    this.checkPlace(delivery, []);
    this.checkBehind({ delivery, behind });
    this.allowance--;
    for (const each of [delivery, ...behind]) this.attempts.push(nameOf(each));
    this.underWay.set(sequence, { delivery, behind });
  }

  /** Checks that a delivery is due, and that all in front of it in its order go with it: those in the same request. */
  private checkPlace(delivery: PendingDelivery, before: readonly PendingDelivery[]): void {
    const { postgres, lane } = this;
    const name = nameOf(delivery);
    const row = postgres.rows.get(delivery.sequence);
    const isAsKnown = lane.ordering === postgres.ordering;
    if (row?.attemptCount === delivery.attemptCount && isAsKnown) {
      // If another process has ended one in front, it has made this one wait, and nobody has been told yet.
      const isDue = (row.nextAttemptAt ?? 0) <= postgres.now || !before.every((each) => this.isPending(each));
      check(isDue, `${name} begins before its time`);
      const ahead = postgres
        .inFrontOf(delivery, postgres.ordering)
        .find((each) => !before.some(({ sequence }) => sequence === each.sequence));
      check(!ahead, `${name} overtakes ${ahead?.sequence}`);
    }
    if (!row) check(this.isDisturbed || this.madeUp > 0, `${name} has ended`);
  }

  private isPending({ sequence, attemptCount }: PendingDelivery): boolean {
    return this.postgres.rows.get(sequence)?.attemptCount === attemptCount;
  }

  /** Checks that only deliveries of one order that never failed share a request, in their order. */
  private checkBehind(batch: Attempt): void {
    const { lane } = this;
    const { delivery, behind } = batch;
    const name = nameOf(delivery);
    const sequences = sequencesOf(batch);
    check(1 + behind.length <= lane.batchSize, `${name} takes ${behind.length} more`);
    for (const [i, each] of behind.entries()) {
      check(
        each.attemptCount + delivery.attemptCount === 0,
        `${name} has failed, and takes ${each.sequence}`,
      );
      check(shareOrder(lane.ordering, delivery, each), `${name} takes ${each.sequence} of another order`);
      check(each.sequence > (sequences[i] ?? 0), `${name} takes ${each.sequence} out of order`);
      this.checkPlace(each, deliveriesOf(batch).slice(0, i + 1));
    }
  }

  private checkState(): void {
    const { lane, postgres } = this;
    const { ready, inFlight, tail, held, phase, ordering } = lane;
    check(inFlight.length === this.underWay.size + this.written.size, "the lane miscounts what is in flight");
    check(phase === "open" || ready.length === 0, `something is ready while ${phase}`);
    check(
      ready.length <= Math.max(LANE_DELIVERIES, lane.batchSize) + PAGE_RESERVE,
      `${ready.length} are ready`,
    );
    check(ready.length <= LANE_DELIVERIES || charactersOf(ready) <= 2 * LANE_CHARACTERS, "too much is ready");
    const characters = inFlight.reduce((sum, { delivery }) => sum + sizeOf(delivery), 0);
    check(inFlight.length <= 1 || characters <= IN_FLIGHT_CHARACTERS, "too much is in flight");
    check(tail <= Math.max(postgres.lastSequence, this.madeUp), "a sequence is made up");
    for (const each of ready) {
      const order = orderOf(ordering, each);
      const from = isFoundByTime(lane, order) ? undefined : held.get(order)?.from;
      check(from === undefined || from >= each.sequence, `${each.sequence} is ready and held`);
    }
    if (this.options.mostHeld !== undefined) this.checkHeld(this.options.mostHeld);
    if (!this.isDisturbed && phase !== "paused") this.checkNothingIsLost();
  }

  private checkHeld(most: number): void {
    const { held, ready, inFlight } = this.lane;
    check(held.size <= most + ready.length + inFlight.length + 128, `${held.size} orders are held`);
  }

  /**
   * Checks that each pending delivery up to the tail is in memory, held, or will be found by its time or after the one in
   * front.
   */
  private checkNothingIsLost(): void {
    const { lane, postgres } = this;
    for (const row of postgres.rows.values()) {
      if (row.sequence > lane.tail || this.isInMemory(row)) continue;
      const order = orderOf(lane.ordering, row);
      const isHeld = (lane.held.get(order)?.from ?? row.sequence) < row.sequence;
      const isFound = isHeld || (isFoundByTime(lane, order) && this.isFoundInTime(row));
      check(isFound, `${row.sequence} is pending, before the tail, and nobody knows`);
    }
  }

  private isFoundInTime(row: LaneRow): boolean {
    const { lane, postgres } = this;
    const [first = row] = postgres.inFrontOf(row, lane.ordering);
    if (this.isInMemory(first)) return true;
    if (first.nextAttemptAt === null) return false;
    const isAskedFor = lane.hasMore || lane.phase === "reading";
    // The lane counts the wait from the moment at which it learns of the outcome.
    return isAskedFor || lane.retryAt <= Math.max(first.nextAttemptAt, postgres.now) + RETRY_MS;
  }

  private isInMemory({ sequence }: LaneRow): boolean {
    const { ready, inFlight } = this.lane;
    const isIt = (each: PendingDelivery) => each.sequence === sequence;
    return ready.some(isIt) || inFlight.some(({ delivery, behind }) => isIt(delivery) || behind.some(isIt));
  }
}

function sequencesOf(attempt: Attempt): number[] {
  return deliveriesOf(attempt).map(({ sequence }) => sequence);
}

/** A failure of several deliveries ends none. */
function verdictOnFirst({ behind }: Attempt, verdict: Verdict): Verdict {
  return behind.length > 0 && verdict === "exhausted" ? "retry" : verdict;
}

function recordedAs(verdict: Verdict): Outcome["verdict"] {
  switch (verdict) {
    case "delivered":
      return { kind: "delivered" };
    case "exhausted":
      return { kind: "failed", nextAfterMs: RETRY_MS };
    default:
      return { kind: "retry", afterMs: RETRY_MS };
  }
}

function nameOf({ sequence, attemptCount }: PendingDelivery): string {
  return `${sequence}#${attemptCount + 1}`;
}

function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
