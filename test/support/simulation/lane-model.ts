import { charactersOf, type PendingDelivery } from "../../../src/dispatch/delivery";
import {
  advance,
  type Lane,
  type LaneEvent,
  MAILBOX_CHARACTERS,
  MAILBOX_DELIVERIES,
  newLane,
  nextStep,
  type Page,
  type Step,
} from "../../../src/dispatch/lane";
import { deliveryOf, LanePostgres, type Written } from "./lane-postgres";

export type LaneCommand =
  | { do: "accept"; count: number; characters: number }
  /** A message arrives: the next one that did not yet, or any one that was sent, again. */
  | { do: "announce"; count: number }
  | { do: "announce again"; which: number }
  /** A message of what was never accepted, as from a foreign or restored store. */
  | { do: "announce falsely"; ahead: number }
  | { do: "change"; kind: "edit" | "pause" | "resume" | "delete"; isTold: boolean }
  /** The next step of what is under way, of those below. */
  | { do: "go on" }
  /** The tables are read, and the answer comes; with other things in between. */
  | { do: "look" }
  | { do: "answer" }
  /** The rate limit has the attempt wait. */
  | { do: "hold" }
  | { do: "finish"; verdict: "delivered" | "retry"; endpointChanged: boolean }
  | { do: "write" }
  | { do: "confirm" }
  | { do: "due"; isEarly: boolean }
  | { do: "wake" }
  /** Another process, which takes the partition for its own, ends or postpones the first delivery. */
  | { do: "intrude"; verdict: "delivered" | "retry" };

type Message = { sequence: number; revision: number; delivery: PendingDelivery | null };
type Read = { after: number; found: { page: Page; revision: number } | null };
type Outcome = { delivery: PendingDelivery; verdict: "delivered" | "retry"; endpointChanged: boolean };

const LARGE = 65_536;
const RETRY_MS = 10;

/** Drives a lane as an actor does, against a Postgres and a stream, and checks it at every step. */
export class LaneModel {
  lane: Lane = newLane;
  readonly postgres = new LanePostgres();
  private readonly messages: Message[] = [];
  private announced = 0;
  /** The highest sequence heard of since a read was asked for last. */
  private highest = 0;
  private madeUp = 0;
  private knownRevision: number | null = null;
  private reading: Read | null = null;
  private attempting: PendingDelivery | null = null;
  private outcome: Outcome | null = null;
  private written: Written | null = null;
  /** The delivery attempted last, and whether it may be attempted again. */
  private last = { sequence: 0, mayRepeat: false };
  /** A change was heard of, and no read has been asked for since. */
  private isOutdated = false;
  attempts = 0;

  run(command: LaneCommand): void {
    if (command.do === "accept") this.accept(command);
    else if (command.do === "announce") this.announceNext(command.count);
    else if (command.do === "announce again") this.announceAgain(command.which);
    else if (command.do === "announce falsely") this.announceFalsely(command.ahead);
    else if (command.do === "change") this.change(command);
    else if (command.do === "go on") this.goOn();
    else if (command.do === "look") this.look();
    else if (command.do === "answer") this.answer();
    else if (command.do === "hold") this.hold();
    else if (command.do === "finish") this.finish(command);
    else if (command.do === "write") this.write();
    else if (command.do === "confirm") this.confirm();
    else if (command.do === "due") this.due(command.isEarly);
    else if (command.do === "wake") this.feed({ type: "woken", lastSequence: this.postgres.lastSequence });
    else this.intrude(command.verdict);
  }

  /** Lets all that is under way come to its end, without anything new. */
  settle(): void {
    for (let i = 0; i < 10_000; i++) if (!this.goOn()) return;
    throw new Error("the lane never comes to rest");
  }

  /** False when nothing is under way. */
  private goOn(): boolean {
    const { reading, attempting, outcome, written, lane } = this;
    if (reading && !reading.found) this.look();
    else if (reading) this.answer();
    else if (attempting) this.finish({ do: "finish", verdict: "delivered", endpointChanged: false });
    else if (outcome && !written) this.write();
    else if (written) this.confirm();
    else if (lane.phase.kind === "waiting" || lane.phase.kind === "pacing") this.due(false);
    else return false;
    return true;
  }

  announceAll(): void {
    this.announceNext(this.messages.length - this.announced);
  }

  private announceNext(count: number): void {
    for (let i = 0; i < count; i++) this.announce(this.messages[this.announced++]);
  }

  private announceAgain(which: number): void {
    this.announce(this.messages[which % (this.messages.length || 1)]);
  }

  private announceFalsely(ahead: number): void {
    const sequence = this.postgres.lastSequence + ahead;
    this.madeUp = Math.max(this.madeUp, sequence);
    this.announce({ sequence, revision: 0, delivery: null });
  }

  private accept({ count, characters }: Extract<LaneCommand, { do: "accept" }>): void {
    if (this.postgres.isDeleted) return;
    const { postgres } = this;
    for (let i = 0; i < count; i++) {
      const sequence = postgres.accept(characters);
      const data = "x".repeat(characters);
      const delivery = characters > LARGE ? null : deliveryOf(sequence, { attemptCount: 0, data });
      this.messages.push({ sequence, revision: postgres.revision, delivery });
    }
  }

  private announce(message: Message | undefined): void {
    if (!message) return;
    const { sequence, revision, delivery } = message;
    const revisionIsKnown = this.knownRevision === null || revision <= this.knownRevision;
    if (!revisionIsKnown) this.isOutdated = true;
    this.highest = Math.max(this.highest, sequence);
    this.feed({ type: "announced", sequence, revisionIsKnown, delivery });
  }

  private change({ kind, isTold }: Extract<LaneCommand, { do: "change" }>): void {
    this.postgres.change(kind);
    if (!isTold) return;
    this.isOutdated = true;
    this.feed({ type: "changed" });
  }

  private look(): void {
    const { reading, postgres } = this;
    if (reading) reading.found ??= { page: postgres.page(reading.after), revision: postgres.revision };
  }

  private answer(): void {
    const found = this.reading?.found;
    if (!found) return;
    this.reading = null;
    this.knownRevision = found.revision;
    this.feed({ type: "read", page: found.page });
  }

  private hold(): void {
    if (!this.attempting) return;
    this.attempting = null;
    this.attempts--;
    this.last.mayRepeat = true;
    this.feed({ type: "held", forMs: 1 });
  }

  private finish({ verdict, endpointChanged }: Extract<LaneCommand, { do: "finish" }>): void {
    const delivery = this.attempting;
    if (!delivery) return;
    this.attempting = null;
    this.outcome = { delivery, verdict, endpointChanged };
    this.feed({ type: "attempted" });
  }

  private write(): void {
    const { outcome, postgres, knownRevision } = this;
    if (!outcome || this.written) return;
    const isStale = postgres.revision !== knownRevision;
    const { sequence, attemptCount } = outcome.delivery;
    const until = outcome.verdict === "retry" ? postgres.now + RETRY_MS : null;
    const written = postgres.record(sequence, attemptCount, until, outcome.endpointChanged);
    if (written.kind === "ended" && isStale) written.endpointChanged = true;
    this.written = written;
  }

  private confirm(): void {
    const { written } = this;
    if (!written) return;
    this.written = null;
    this.outcome = null;
    this.last.mayRepeat = written.kind !== "ended";
    if (written.kind === "ended" && written.endpointChanged) this.isOutdated = true;
    this.feed({
      type: "recorded",
      result: written.kind === "postponed" ? { kind: "postponed", forMs: RETRY_MS } : written,
    });
  }

  // A wall clock ahead of Postgres' lets a wait end early.
  private due(isEarly: boolean): void {
    if (this.lane.phase.kind !== "waiting" && this.lane.phase.kind !== "pacing") return;
    if (!isEarly) this.postgres.now += this.lane.phase.forMs;
    this.feed({ type: "due" });
  }

  private intrude(verdict: "delivered" | "retry"): void {
    const { postgres } = this;
    const row = postgres.rows.get(postgres.firstPending);
    const until = verdict === "retry" ? postgres.now + RETRY_MS : null;
    if (row) postgres.record(postgres.firstPending, row.attemptCount, until, false);
  }

  private feed(event: LaneEvent): void {
    const before = this.lane;
    this.lane = advance(before, event);
    this.checkState(before);
    if (this.lane.phase !== before.phase) this.enter(nextStep(this.lane), before);
  }

  private enter(step: Step, before: Lane): void {
    if (step.do === "read") {
      check(this.reading === null, "a read is asked for while one is under way");
      this.reading = { after: step.after, found: null };
      this.isOutdated = false;
      this.highest = 0;
    } else if (step.do === "attempt") this.checkAttempt(step.delivery, before);
  }

  private checkAttempt(delivery: PendingDelivery, before: Lane): void {
    const { last, postgres } = this;
    const { sequence } = delivery;
    check(!this.attempting && !this.outcome, "two attempts at a time");
    check(
      !["waiting", "paused", "closed"].includes(before.phase.kind),
      `an attempt out of ${before.phase.kind}`,
    );
    const isRepeat = sequence === last.sequence && last.mayRepeat;
    check(sequence > last.sequence || isRepeat, `${sequence} is attempted after ${last.sequence}`);
    check(postgres.firstPending >= sequence, `${sequence} skips ${postgres.firstPending}`);
    check(!this.isOutdated, `${sequence} is attempted on what was known before the change`);
    this.last = { sequence, mayRepeat: false };
    this.attempting = delivery;
    this.attempts++;
  }

  private checkState(before: Lane): void {
    const { phase, tail, seen, mailbox } = this.lane;
    const { kind } = phase;
    check(before.phase.kind !== "closed" || this.lane === before, "a closed lane changes");
    if (kind === "closed") return;
    const isBusy = kind === "attempting" || kind === "pacing" || kind === "recording";
    check(isBusy === mailbox.length > 0, `${mailbox.length} in the mailbox while ${kind}`);
    const isAskedAnew = kind === "reading" && before.phase !== phase;
    check(seen >= before.seen || isAskedAnew, "seen goes back");
    check(isAskedAnew || Math.max(tail, seen) >= this.highest, "a message is forgotten");
    check(tail <= this.postgres.lastSequence, "a sequence is made up");
    check(seen <= Math.max(this.postgres.lastSequence, this.madeUp), "a sequence is heard of nowhere");
    check(kind !== "idle" || seen <= tail, "idle, though something is missing");
    this.checkMailbox();
  }

  private checkMailbox(): void {
    const { tail, mailbox } = this.lane;
    const sequences = mailbox.map(({ sequence }) => sequence);
    check(
      sequences.every((each, i) => i === 0 || each > (sequences[i - 1] ?? each)),
      "a mailbox out of order",
    );
    check((sequences.at(-1) ?? 0) <= tail, "the tail is before the mailbox's end");
    const characters = charactersOf(mailbox);
    check(mailbox.length <= MAILBOX_DELIVERIES, `${mailbox.length} in the mailbox`);
    check(mailbox.length <= 1 || characters <= MAILBOX_CHARACTERS, `${characters} characters in the mailbox`);
    for (const sequence of this.postgres.rows.keys()) {
      if (sequence > tail) break;
      check(sequences.includes(sequence), `${sequence} is pending, before the tail and not in the mailbox`);
    }
  }
}

function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
