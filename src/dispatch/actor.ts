import { DatabaseUnavailable } from "../db/database";
import { type Place, toldPlace } from "../endpoints/place";
import type { Ordering } from "../endpoints/tuning";
import type { Outcome, RecordAnswer } from "../recorder/outcome";
import type { Clock } from "../runtime/clock";
import type { EndpointId } from "../runtime/ids";
import { describeError, type Log } from "../runtime/log";
import type { DeliveryMessage } from "../stream/message";
import type { BacklogPage } from "./backlog";
import { charactersOf, deliveryIn, type PendingDelivery } from "./delivery";
import type { EndpointView } from "./endpoint";
import {
  advance,
  isBehind,
  type Lane,
  type LaneEvent,
  newLane,
  nextStep,
  type RecordedResult,
  type Step,
} from "./lane";
import { Pacer } from "./pacer";
import type { Holding, Room } from "./room";
import type { UnorderedBacklogPage } from "./unordered-backlog";

/** What an actor does its work with. */
export type ActorDeps = Readonly<{
  clock: Clock;
  log: Log;
  read(partition: number, endpointId: EndpointId, after: number): Promise<BacklogPage>;
  /** The same of an endpoint without order, and without the sequences that are in flight. */
  readUnordered(
    partition: number,
    endpointId: EndpointId,
    after: number,
    without: readonly number[],
  ): Promise<UnorderedBacklogPage>;
  /**
   * Makes the attempt, unless `mayStart` says no at the moment of the send, which may come late, or `isWanted` before that:
   * then null. Never rejects.
   */
  attempt(
    delivery: PendingDelivery,
    endpoint: EndpointView,
    at: Place,
    mayStart: () => boolean,
    isWanted: () => boolean,
  ): Promise<Outcome | null>;
  record(outcome: Outcome, isUrgent: boolean): Promise<RecordAnswer>;
  /** For what waits here, of all actors together. */
  room: Pick<Room, "isFull" | "holding">;
  /** True while the partition is surely ours. */
  mayActOn(partition: number): boolean;
  /** Since when all attempts at a partition's endpoints are known here; monotonic milliseconds. */
  startsKnownSince(partition: number): number;
  /** Whether slow and failing receivers of the partition are to be sent nothing new for now. */
  isCalm(partition: number): boolean;
  /** Told once, when the actor has ended and its last attempt, if any, is recorded or given up. */
  onClosed(actor: Actor): void;
}>;

/** One endpoint at work, in whichever way. */
export type Actor = Readonly<{
  place: Place;
  /** The way in which the endpoint is to be taken up again when this one has closed; null: there is no reason to. */
  successor: Ordering | null;
  /** When the last attempt was over, on the monotonic clock; -Infinity: there was none. */
  lastWorkedAt: number;
  /** A message of the stream: taken, or let go of at once. */
  announce(message: DeliveryMessage): void;
  /**
   * There may be work in Postgres that no message told of; with the last sequence given out, if that is known. It is due
   * within `aheadMs`, if that is said.
   */
  wake(lastSequence: number | null, aheadMs?: number): void;
  /** The endpoint was changed, paused, resumed or deleted. */
  endpointChanged(): void;
  /** Ends now. Attempts under way are still recorded, if Postgres takes them. */
  close(): void;
  /** Starts nothing more, and ends once the attempts under way are recorded. */
  drain(): void;
  /** Takes up work again after `drain`, unless it has ended. */
  resume(): void;
  restingFor(aheadMs: number): number;
}>;

/** Once an attempt has taken so long, milliseconds, what comes meanwhile is left to Postgres: reading it costs little then. */
const LONG_ATTEMPT_MS = 1_000;

/** Postgres away fails all endpoints with work, over and over: whoever renews the leases tells of it once. */
export function tellUnread(log: Log, place: Place, error: unknown): void {
  const level = error instanceof DatabaseUnavailable ? "debug" : "warn";
  log[level]({ ...toldPlace(place), ...describeError(error) }, "a backlog could not be read");
}

/** A backlog that could not be read is tried again after this long, doubling up to the second. */
export const READ_RETRY_MS = { first: 250, most: 10_000 };

/** One ordered endpoint at work: holds its lane, does what the lane asks for and tells it how that went. */
export class OrderedActor implements Actor {
  successor: Ordering | null = null;
  private lane: Lane = newLane;
  private endpoint: EndpointView | null = null;
  private readonly pacer: Pacer;
  private readonly holding: Holding;
  private cancelTimer: (() => void) | null = null;
  private draining = false;
  /** An attempt is being made or recorded. */
  private isBusy = false;
  private readRetryMs = READ_RETRY_MS.first;
  private phaseSince: number;
  private workedAt = Number.NEGATIVE_INFINITY;

  constructor(
    readonly place: Place,
    private readonly deps: ActorDeps,
  ) {
    this.phaseSince = deps.clock.monotonic();
    this.pacer = new Pacer(place.partition, deps);
    this.holding = deps.room.holding();
  }

  announce(message: DeliveryMessage): void {
    const { sequence, revision } = message;
    const delivery = this.hasRoom() ? deliveryIn(message) : null;
    this.feed({
      type: "announced",
      sequence,
      delivery,
      revisionIsKnown: this.endpoint === null || revision <= this.endpoint.revision,
    });
  }

  // Whoever waits for longer than until something is due has missed a change.
  wake(lastSequence: number | null, aheadMs = Number.POSITIVE_INFINITY): void {
    this.feed(this.waitsBeyond(aheadMs) ? { type: "changed" } : { type: "woken", lastSequence });
  }

  endpointChanged(): void {
    this.feed({ type: "changed" });
  }

  close(): void {
    this.feed({ type: "closed" });
  }

  drain(): void {
    this.draining = true;
    if (!this.isBusy) this.close();
  }

  resume(): void {
    this.draining = false;
  }

  /** Milliseconds for which there has been nothing to do, nor will be for `aheadMs`; 0 while there is. */
  restingFor(aheadMs: number): number {
    const { phase } = this.lane;
    const rested = this.deps.clock.monotonic() - this.phaseSince;
    return this.waitsBeyond(aheadMs) || phase.kind === "idle" || phase.kind === "paused" ? rested : 0;
  }

  get lastWorkedAt(): number {
    return this.workedAt;
  }

  private waitsBeyond(aheadMs: number): boolean {
    const { phase } = this.lane;
    const rested = this.deps.clock.monotonic() - this.phaseSince;
    return phase.kind === "waiting" && phase.forMs - rested > aheadMs;
  }

  private hasRoom(): boolean {
    if (this.deps.room.isFull) return false;
    if (this.lane.phase.kind !== "attempting") return true;
    return this.deps.clock.monotonic() - this.phaseSince < LONG_ATTEMPT_MS;
  }

  private feed(event: LaneEvent): void {
    const before = this.lane;
    this.lane = advance(before, event);
    const { mailbox, phase } = this.lane;
    if (mailbox !== before.mailbox) this.holding.set(mailbox.length, charactersOf(mailbox));
    if (phase !== before.phase) this.enter();
  }

  private enter(): void {
    this.cancelTimer?.();
    this.cancelTimer = null;
    this.phaseSince = this.deps.clock.monotonic();
    const { kind } = this.lane.phase;
    if (kind === "closed") this.finish();
    else if (this.draining && kind !== "recording") this.close();
    else this.take(nextStep(this.lane));
  }

  private take(step: Step): void {
    if (step.do === "read") this.read(step.after);
    else if (step.do === "attempt") this.attempt(step.delivery);
    else if (step.do === "wait") this.wait(step.ms);
  }

  private finish(): void {
    if (this.lane.phase.kind === "closed" && !this.isBusy) this.deps.onClosed(this);
  }

  private wait(ms: number): void {
    this.cancelTimer = this.deps.clock.after(ms, () => this.feed({ type: "due" }));
  }

  private read(after: number): void {
    const { partition, endpointId } = this.place;
    if (!this.deps.mayActOn(partition)) {
      this.close();
      return;
    }
    this.deps.read(partition, endpointId, after).then(
      ({ page, endpoint }) => {
        this.endpoint = endpoint;
        this.pacer.setEndpoint(endpoint);
        this.successor = page.kind === "unordered" ? "unordered" : null;
        this.readRetryMs = READ_RETRY_MS.first;
        this.feed({ type: "read", page });
      },
      (error: unknown) => this.readAgain(error, after),
    );
  }

  private readAgain(error: unknown, after: number): void {
    tellUnread(this.deps.log, this.place, error);
    if (this.lane.phase.kind !== "reading") return;
    this.cancelTimer = this.deps.clock.after(this.readRetryMs, () => this.read(after));
    this.readRetryMs = Math.min(this.readRetryMs * 2, READ_RETRY_MS.most);
  }

  // Right before the request goes out: so the time that a look-up took does not bring it nearer to the next one.
  private mayStart(): boolean {
    const isWanted = this.isWanted();
    if (isWanted) this.pacer.started();
    return isWanted;
  }

  private isWanted(): boolean {
    const { phase, fresh } = this.lane;
    return phase.kind === "attempting" && fresh && !this.draining && this.deps.mayActOn(this.place.partition);
  }

  private async attempt(delivery: PendingDelivery): Promise<void> {
    const { endpoint, place, deps } = this;
    if (!endpoint || !deps.mayActOn(place.partition)) {
      this.close();
      return;
    }
    const wait = this.pacer.waitMs();
    if (wait > 0) {
      this.feed({ type: "held", forMs: wait });
      return;
    }
    this.isBusy = true;
    const [mayStart, isWanted] = [() => this.mayStart(), () => this.isWanted()];
    const outcome = await deps.attempt(delivery, endpoint, place, mayStart, isWanted);
    if (outcome) {
      this.pacer.ended(outcome.attempt.durationMs);
      this.feed({ type: "attempted" });
    }
    const result = outcome && (await this.record(outcome, endpoint.revision));
    this.isBusy = false;
    this.workedAt = deps.clock.monotonic();
    if (this.lane.phase.kind === "closed") this.finish();
    else if (result) this.feed({ type: "recorded", result });
    else if (!outcome && deps.mayActOn(place.partition)) this.feed({ type: "unsent" });
    else this.close();
  }

  /** Null when it can't be: the sweep takes the endpoint up again. */
  private async record(outcome: Outcome, revision: number): Promise<RecordedResult | null> {
    try {
      return resultOf(outcome, await this.deps.record(outcome, isBehind(this.lane)), revision);
    } catch (error) {
      this.deps.log.error(
        { ...toldPlace(this.place), ...describeError(error) },
        "an outcome was not recorded",
      );
      return null;
    }
  }
}

function resultOf(outcome: Outcome, answer: RecordAnswer, revision: number): RecordedResult {
  if (!answer.applied) return { kind: "refused" };
  if (outcome.verdict.kind === "retry") return { kind: "postponed", forMs: outcome.verdict.afterMs };
  const endpointChanged = outcome.health !== "none" || answer.revision !== revision;
  return { kind: "ended", endpointChanged };
}
