import type { Outcome, RecordAnswer } from "../recorder/outcome";
import type { Clock } from "../runtime/clock";
import type { EndpointId } from "../runtime/ids";
import { describeError, type Log } from "../runtime/log";
import type { DeliveryMessage } from "../stream/message";
import type { BacklogPage } from "./backlog";
import type { PendingDelivery } from "./delivery";
import type { EndpointView } from "./endpoint";
import {
  advance,
  type Lane,
  type LaneEvent,
  newLane,
  nextStep,
  type RecordedResult,
  type Step,
} from "./lane";
import { newPace, type Pace, paceWaitMs, withStart } from "./pace";

/** What an actor does its work with. */
export type ActorDeps = Readonly<{
  clock: Clock;
  log: Log;
  read(partition: number, endpointId: EndpointId, after: number): Promise<BacklogPage>;
  /**
   * Makes the attempt, unless `mayStart` says no at the moment of the send, which may come late: then null.
   * Never rejects.
   */
  attempt(
    delivery: PendingDelivery,
    endpoint: EndpointView,
    at: Place,
    mayStart: () => boolean,
  ): Promise<Outcome | null>;
  record(outcome: Outcome): Promise<RecordAnswer>;
  /** True while the partition is surely ours. */
  mayActOn(partition: number): boolean;
  /** Since when all attempts at a partition's endpoints are known here; monotonic milliseconds. */
  startsKnownSince(partition: number): number;
  /** Told once, when the actor has ended and its last attempt, if any, is recorded or given up. */
  onClosed(actor: EndpointActor): void;
}>;

/** Where an endpoint's deliveries are queued. */
export type Place = Readonly<{ partition: number; endpointId: EndpointId }>;

/** A backlog that could not be read is tried again after this long, doubling up to the second. */
const READ_RETRY_MS = { first: 250, most: 10_000 };

/** One endpoint at work: holds its lane, does what the lane asks for and tells it how that went. */
export class EndpointActor {
  private lane: Lane = newLane;
  private endpoint: EndpointView | null = null;
  /** Null unless the endpoint has a rate limit. */
  private pace: Pace | null = null;
  private cancelTimer: (() => void) | null = null;
  private draining = false;
  /** An attempt is being made or recorded. */
  private isBusy = false;
  private readRetryMs = READ_RETRY_MS.first;
  private restingSince: number;
  private workedAt = Number.NEGATIVE_INFINITY;

  constructor(
    readonly place: Place,
    private readonly deps: ActorDeps,
  ) {
    this.restingSince = deps.clock.monotonic();
  }

  /** A message of the stream: taken, or noted. */
  announce(message: DeliveryMessage): void {
    const { id, accountId, sequence, event, data, revision } = message;
    const delivery = data === null ? null : { id, accountId, sequence, event, data, attemptCount: 0 };
    this.feed({
      type: "announced",
      sequence,
      delivery,
      revisionIsKnown: this.endpoint === null || revision <= this.endpoint.revision,
    });
  }

  /** There may be work in Postgres that no message told of. */
  wake(): void {
    this.feed({ type: "woken" });
  }

  /** The endpoint was changed, paused, resumed or deleted. */
  endpointChanged(): void {
    this.feed({ type: "changed" });
  }

  /** Ends now. An attempt under way is still recorded, if Postgres takes it. */
  close(): void {
    this.feed({ type: "closed" });
  }

  /** Starts nothing more, and ends once the attempt under way is recorded. */
  drain(): void {
    this.draining = true;
    if (!this.isBusy) this.close();
  }

  /** Takes up work again after `drain`, unless it has ended. */
  resume(): void {
    this.draining = false;
  }

  /** Milliseconds for which there has been nothing to do, nor will be for `aheadMs`; 0 while there is. */
  restingFor(aheadMs: number): number {
    const { phase } = this.lane;
    const rested = this.deps.clock.monotonic() - this.restingSince;
    const waitsLong = phase.kind === "waiting" && phase.forMs - rested > aheadMs;
    return waitsLong || phase.kind === "idle" || phase.kind === "paused" ? rested : 0;
  }

  /** When the last attempt was over, on the monotonic clock; -Infinity: there was none. */
  get lastWorkedAt(): number {
    return this.workedAt;
  }

  private feed(event: LaneEvent): void {
    const before = this.lane;
    this.lane = advance(before, event);
    if (this.lane.phase !== before.phase) this.enter();
  }

  private enter(): void {
    this.cancelTimer?.();
    this.cancelTimer = null;
    this.restingSince = this.deps.clock.monotonic();
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
        this.pace = this.paceFor(endpoint);
        this.endpoint = endpoint;
        this.readRetryMs = READ_RETRY_MS.first;
        this.feed({ type: "read", page });
      },
      (error: unknown) => this.readAgain(error, after),
    );
  }

  private readAgain(error: unknown, after: number): void {
    this.deps.log.warn({ ...this.place, ...describeError(error) }, "a backlog could not be read");
    if (this.lane.phase.kind !== "reading") return;
    this.cancelTimer = this.deps.clock.after(this.readRetryMs, () => this.read(after));
    this.readRetryMs = Math.min(this.readRetryMs * 2, READ_RETRY_MS.most);
  }

  // What began before a limit was set is not known either.
  private paceFor(endpoint: EndpointView | null): Pace | null {
    if (!endpoint || endpoint.rateLimit === null) return null;
    const { clock, startsKnownSince } = this.deps;
    return this.pace ?? newPace(this.endpoint ? clock.monotonic() : startsKnownSince(this.place.partition));
  }

  private paceWait({ rateLimit }: EndpointView): number {
    if (!this.pace || rateLimit === null) return 0;
    return paceWaitMs(this.pace, rateLimit, this.deps.clock.monotonic());
  }

  // Right before the request goes out: so the time that a look-up took does not bring it nearer to the next one.
  private mayStart(): boolean {
    const isAllowed = this.lane.phase.kind === "attempting" && this.deps.mayActOn(this.place.partition);
    if (isAllowed && this.pace) this.pace = withStart(this.pace, this.deps.clock.monotonic());
    return isAllowed;
  }

  private async attempt(delivery: PendingDelivery): Promise<void> {
    const { endpoint, place, deps } = this;
    if (!endpoint || !deps.mayActOn(place.partition)) {
      this.close();
      return;
    }
    const wait = this.paceWait(endpoint);
    if (wait > 0) {
      this.feed({ type: "held", forMs: wait });
      return;
    }
    this.isBusy = true;
    const outcome = await deps.attempt(delivery, endpoint, place, () => this.mayStart());
    if (outcome) this.feed({ type: "attempted" });
    const result = outcome && (await this.record(outcome, endpoint.revision));
    this.isBusy = false;
    this.workedAt = deps.clock.monotonic();
    if (this.lane.phase.kind === "closed") this.finish();
    else if (result) this.feed({ type: "recorded", result });
    else this.close();
  }

  /** Null when it can't be: the sweep takes the endpoint up again. */
  private async record(outcome: Outcome, revision: number): Promise<RecordedResult | null> {
    try {
      return resultOf(outcome, await this.deps.record(outcome), revision);
    } catch (error) {
      this.deps.log.error({ ...this.place, ...describeError(error) }, "an outcome was not recorded");
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
