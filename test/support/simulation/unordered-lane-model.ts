import {
  advanceUnordered,
  newUnorderedLane,
  type UnorderedEvent,
  type UnorderedLane,
  type UnorderedPage,
  type UnorderedResult,
} from "../../../src/dispatch/unordered-lane";
import { deliveryOf } from "./lane-postgres";

export type UnorderedCommand =
  | { do: "accept"; count: number }
  /** The next message that did not come yet arrives, or any one again. */
  | { do: "announce" }
  | { do: "announce again"; which: number }
  | { do: "change"; kind: "pause" | "resume" | "more" | "fewer" | "order" | "delete"; isTold: boolean }
  /** The tables are read, and the answer comes; with other things in between. */
  | { do: "look" }
  | { do: "answer" }
  /** One of those under way: is recorded, or was not to begin; and its actor hears of it. */
  | { do: "finish"; which: number; verdict: "ended" | "retry" | "lost answer" | "unsent" }
  | { do: "due" }
  | { do: "wake" }
  | { do: "allow"; count: number };

type Row = { attemptCount: number; retryAt: number | null };
type Read = {
  after: number;
  without: readonly number[];
  found: { page: UnorderedPage; revision: number } | null;
};

const SCANNED = 6;
const PAGE = 3;
const RETRY_MS = 10;
const REFUSED: UnorderedResult = { kind: "refused" };

/** Drives a lane without order as an actor does, against a Postgres and a stream, and checks it at every step. */
export class UnorderedLaneModel {
  lane: UnorderedLane = newUnorderedLane;
  readonly rows = new Map<number, Row>();
  lastSequence = 0;
  attempts = 0;
  private kind: UnorderedPage["kind"] = "active";
  private maxInFlight = 2;
  private revision = 1;
  private knownRevision = 0;
  private announced = 0;
  private now = 0;
  private dueAt: number | null = null;
  private allowance = Number.POSITIVE_INFINITY;
  private reading: Read | null = null;
  private readonly underWay = new Map<number, number>();

  run(command: UnorderedCommand): void {
    if (command.do === "accept") this.accept(command.count);
    else if (command.do === "announce") this.announceNext();
    else if (command.do === "announce again") this.announceAgain(command.which);
    else if (command.do === "change") this.change(command.kind, command.isTold);
    else if (command.do === "look") this.look();
    else if (command.do === "answer") this.answer();
    else if (command.do === "finish") this.finish(command.which, command.verdict);
    else if (command.do === "due") this.due();
    else if (command.do === "wake") this.feed({ type: "woken", lastSequence: this.lastSequence });
    else this.allow(command.count);
  }

  /** Lets all that is under way come to its end, without anything new. */
  settle(): void {
    this.allow(Number.POSITIVE_INFINITY);
    for (let i = 0; i < 10_000; i++) {
      if (this.reading) this.answer();
      else if (this.underWay.size > 0) this.finish(0, "ended");
      else if (this.dueAt !== null) this.due();
      else return;
    }
    throw new Error("the lane never comes to rest");
  }

  private allow(count: number): void {
    this.allowance = count;
    this.feed({ type: "allowed" });
  }

  private accept(count: number): void {
    for (let i = 0; i < count && this.kind !== "gone"; i++) {
      this.rows.set(++this.lastSequence, { attemptCount: 0, retryAt: null });
    }
  }

  private announceNext(): void {
    if (this.announced < this.lastSequence) this.announce(++this.announced);
  }

  private announceAgain(which: number): void {
    if (this.announced > 0) this.announce(1 + (which % this.announced));
  }

  private announce(sequence: number): void {
    const delivery = deliveryOf(sequence, { attemptCount: 0, data: "{}" });
    this.feed({
      type: "announced",
      sequence,
      delivery,
      revisionIsKnown: this.revision <= this.knownRevision,
    });
  }

  private change(kind: Extract<UnorderedCommand, { do: "change" }>["kind"], isTold: boolean): void {
    if (this.kind === "gone") return;
    this.revision++;
    if (kind === "pause") this.kind = "inactive";
    else if (kind === "resume") this.kind = "active";
    else if (kind === "order") this.kind = "ordered";
    else if (kind === "more") this.maxInFlight = 4;
    else if (kind === "fewer") this.maxInFlight = 1;
    else {
      this.kind = "gone";
      this.rows.clear();
    }
    if (isTold) this.feed({ type: "changed" });
  }

  private look(): void {
    const { reading, revision } = this;
    if (reading) reading.found ??= { page: this.page(reading), revision };
  }

  private answer(): void {
    this.look();
    const found = this.reading?.found;
    if (!found) return;
    this.reading = null;
    this.knownRevision = found.revision;
    this.feed({ type: "read", page: found.page });
  }

  private page({ after, without }: Read): UnorderedPage {
    if (this.kind !== "active") return { kind: this.kind };
    const { maxInFlight, lastSequence, now } = this;
    const free = [...this.rows].filter(([sequence]) => !without.includes(sequence));
    const due = free.filter(([, { retryAt }]) => retryAt !== null && retryAt <= now);
    const rest = [...this.rows].filter(([sequence]) => sequence > after);
    const scanned = rest.slice(0, SCANNED);
    const untried = scanned.filter(([at, { retryAt }]) => retryAt === null && !without.includes(at));
    const taken = untried.slice(0, PAGE);
    const isCut = taken.length < untried.length;
    const end = scanned.length < rest.length ? (scanned.at(-1)?.[0] ?? after) : lastSequence;
    const waits = [...this.rows.values()].flatMap(({ retryAt }) =>
      retryAt !== null && retryAt > now ? [retryAt - now] : [],
    );
    return {
      kind: "active",
      maxInFlight,
      deliveries: [...due.slice(0, PAGE), ...taken].map(([sequence, { attemptCount }]) =>
        deliveryOf(sequence, { attemptCount, data: "{}" }),
      ),
      scannedTo: isCut ? (taken.at(-1)?.[0] ?? after) : end,
      hasMore: isCut || scanned.length < rest.length || due.length > PAGE,
      lastSequence,
      retryInMs: waits.length === 0 ? null : Math.min(...waits),
    };
  }

  private finish(which: number, verdict: Extract<UnorderedCommand, { do: "finish" }>["verdict"]): void {
    const all = [...this.underWay];
    const [sequence, attemptCount] = all[which % (all.length || 1)] ?? [0, 0];
    if (!this.underWay.delete(sequence)) return;
    const wasSent = verdict !== "unsent";
    const written: UnorderedResult = wasSent
      ? this.record(sequence, attemptCount, verdict === "retry")
      : REFUSED;
    const result = verdict === "lost answer" ? REFUSED : written;
    this.feed(wasSent ? { type: "recorded", sequence, result } : { type: "unsent", sequence });
  }

  private record(sequence: number, attemptCount: number, isRetry: boolean): UnorderedResult {
    const row = this.rows.get(sequence);
    if (!row) return { kind: "refused" };
    check(row.attemptCount === attemptCount, `${sequence} was attempted with ${attemptCount} before`);
    row.attemptCount++;
    row.retryAt = this.now + RETRY_MS;
    if (!isRetry) this.rows.delete(sequence);
    const endpointChanged = this.revision > this.knownRevision;
    return { kind: "written", retryInMs: isRetry ? RETRY_MS : null, endpointChanged };
  }

  private due(): void {
    if (this.dueAt === null) return;
    this.now = Math.max(this.now, this.dueAt);
    this.dueAt = null;
    this.feed({ type: "due" });
  }

  private feed(event: UnorderedEvent): void {
    const before = this.lane;
    const { lane, steps } = advanceUnordered(before, event, this.allowance);
    this.lane = lane;
    if (before.phase === "closed") check(lane === before && steps.length === 0, "a closed lane changes");
    for (const step of steps) {
      if (step.do === "wait")
        this.dueAt = Math.min(this.dueAt ?? Number.POSITIVE_INFINITY, this.now + step.ms);
      else if (step.do === "read") this.startReading(step.after, step.without);
      else this.attempt(step.delivery.sequence, step.delivery.attemptCount);
    }
    check(!lane.isReading || lane.ready.length === 0, "something is ready while a read is under way");
    check(lane.phase === "open" || lane.ready.length === 0, `something is ready while ${lane.phase}`);
  }

  private startReading(after: number, without: readonly number[]): void {
    check(this.reading === null, "a read is asked for while one is under way");
    check(
      [...this.underWay.keys()].every((each) => without.includes(each)),
      "a read of what is under way",
    );
    this.reading = { after, without, found: null };
  }

  private attempt(sequence: number, attemptCount: number): void {
    check(!this.underWay.has(sequence), `${sequence} is under way twice`);
    check(this.underWay.size < this.lane.maxInFlight, `${sequence} is one too many`);
    check(this.allowance > 0, `${sequence} begins in spite of the rate limit`);
    check(this.lane.phase === "open" && this.lane.current, `${sequence} begins while ${this.lane.phase}`);
    const row = this.rows.get(sequence);
    // A message may come again when its delivery has ended: then it was accepted before the tail.
    check(row !== undefined || this.kind === "gone", `${sequence} has ended`);
    check(!row || (row.retryAt ?? 0) <= this.now, `${sequence} begins before its time`);
    this.allowance--;
    this.attempts++;
    this.underWay.set(sequence, attemptCount);
  }
}

function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
