import type { Clearance } from "../attempt/clearance";
import type { QueueKey } from "../db/queue-key";
import type { Ordering } from "../endpoints/tuning";
import { changesEndpoint, type Outcome, type RecordAnswer } from "../recorder/outcome";
import type { DeliveryMessage } from "../stream/message";
import { type Actor, type ActorDeps, READ_RETRY_MS, tellUnread, tryRecord } from "./actor";
import { charactersOf, deliveryIn, type PendingDelivery } from "./delivery";
import type { EndpointView } from "./endpoint";
import {
  advance,
  type Lane,
  type LaneEvent,
  newLane,
  nextStep,
  type RecordedResult,
  restingLane,
  type Step,
} from "./lane";
import { Pacer } from "./pacer";
import type { Rest } from "./rests";
import type { Holding } from "./room";

/**
 * During an attempt that has taken so long, milliseconds, messages are no longer kept: their deliveries are read from Postgres
 * after it, which costs little beside such an attempt.
 */
const LONG_ATTEMPT_MS = 1_000;

/**
 * One ordered endpoint at work: holds its lane, does what the lane asks for and tells it how that went. It is itself the
 * clearance of its one attempt, which spares each an object.
 */
export class OrderedActor implements Actor, Clearance {
  successor: Ordering | null = null;
  lastWorkedAt = Number.NEGATIVE_INFINITY;
  private lane: Lane;
  private endpoint: EndpointView | null;
  private readonly pacer: Pacer;
  private readonly holding: Holding;
  private cancelTimer: (() => void) | null = null;
  private draining = false;
  /** An attempt is being made or recorded. */
  private isBusy = false;
  private readRetryMs = READ_RETRY_MS.first;
  private phaseSince: number;

  /** Goes on from where its predecessor came to rest, if that is known. */
  constructor(
    readonly queue: QueueKey,
    private readonly deps: ActorDeps,
    rest: Rest | null = null,
  ) {
    this.phaseSince = deps.clock.monotonic();
    this.pacer = new Pacer(queue.partition, deps);
    this.holding = deps.room.holding();
    this.lane = rest ? restingLane(rest.tail) : newLane;
    this.endpoint = rest?.endpoint ?? null;
    if (rest) this.pacer.setEndpoint(rest.endpoint);
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

  // Postgres says that the first delivery is due within `aheadMs`. A lane that waits for longer has missed a change.
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

  restsSince(aheadMs: number): number {
    const { kind } = this.lane.phase;
    const isResting = kind === "idle" || kind === "paused" || this.waitsBeyond(aheadMs);
    return isResting ? this.phaseSince : Number.POSITIVE_INFINITY;
  }

  get rest(): Rest | null {
    const { lane, endpoint } = this;
    return endpoint && lane.fresh && lane.phase.kind === "idle" ? { tail: lane.tail, endpoint } : null;
  }

  isWanted(): boolean {
    const { phase, fresh } = this.lane;
    return phase.kind === "attempting" && fresh && !this.draining && this.deps.mayActOn(this.queue.partition);
  }

  // The rate limit counts starts from here, when the request goes out: counted from before the look-up of the address, a
  // slow look-up would bring two requests closer together than the limit allows.
  mayStart(): boolean {
    const isWanted = this.isWanted();
    if (isWanted) this.pacer.started();
    return isWanted;
  }

  /** How long the lane has been in its phase. */
  private get inPhaseMs(): number {
    return this.deps.clock.monotonic() - this.phaseSince;
  }

  private waitsBeyond(aheadMs: number): boolean {
    const { phase } = this.lane;
    return phase.kind === "waiting" && phase.forMs - this.inPhaseMs > aheadMs;
  }

  private hasRoom(): boolean {
    if (this.deps.room.isFull) return false;
    if (this.lane.phase.kind !== "attempting") return true;
    return this.inPhaseMs < LONG_ATTEMPT_MS;
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
    const { partition, endpointId } = this.queue;
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
    tellUnread(this.deps.log, this.queue, error);
    if (this.lane.phase.kind !== "reading") return;
    this.cancelTimer = this.deps.clock.after(this.readRetryMs, () => this.read(after));
    this.readRetryMs = Math.min(this.readRetryMs * 2, READ_RETRY_MS.most);
  }

  private async attempt(delivery: PendingDelivery): Promise<void> {
    const { endpoint, queue, deps } = this;
    if (!endpoint || !deps.mayActOn(queue.partition)) {
      this.close();
      return;
    }
    const wait = this.pacer.waitMs();
    if (wait > 0) {
      this.feed({ type: "held", forMs: wait });
      return;
    }
    this.isBusy = true;
    const outcome = await deps.attempt(delivery, endpoint, queue, this);
    if (outcome) {
      this.pacer.ended(outcome.attempt.durationMs);
      this.feed({ type: "attempted" });
    }
    const answer = outcome && (await tryRecord(deps, queue, outcome));
    this.isBusy = false;
    this.lastWorkedAt = deps.clock.monotonic();
    if (this.lane.phase.kind === "closed") this.finish();
    else if (answer) this.feed({ type: "recorded", result: resultOf(outcome, answer, endpoint.revision) });
    else if (!outcome && deps.mayActOn(queue.partition)) this.feed({ type: "unsent" });
    else this.close();
  }
}

function resultOf(outcome: Outcome, answer: RecordAnswer, revision: number): RecordedResult {
  if (!answer.applied) return { kind: "refused" };
  if (outcome.verdict.kind === "retry") return { kind: "postponed", forMs: outcome.verdict.afterMs };
  const endpointChanged = changesEndpoint(outcome) || answer.revision !== revision;
  return { kind: "ended", endpointChanged };
}
