import type { SendGuard } from "../attempt/exchange";
import { isTemporary } from "../db/database";
import { toText } from "../domain/ids";
import { changesEndpoint, type Outcome, type Recorded, together } from "../domain/outcome";
import type { QueueKey } from "../domain/partition";
import { charactersOf, type PendingDelivery } from "../domain/pending-delivery";
import type { Recorder } from "../recorder/recorder";
import { type Budget, BudgetShare } from "../runtime/budget";
import type { Clock } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { type Hint, pendingOf } from "../stream/hint";
import type { Attempts } from "./attempts";
import type { Backlog } from "./backlog/backlog";
import { outcomesBehind } from "./batch-request";
import { type EndpointView, needsRecovery } from "./endpoint";
import type { DeliveryBatch } from "./lane/batch";
import { advance, type LaneEvent, type Step } from "./lane/lane";
import { idleLane, isIdle, type Lane, newLane, nextDueAt, waitsUntil } from "./lane/lane-state";
import type { ReadRequest } from "./lane/page";
import { KNOWN_MS, Pacer } from "./pacer";

/** Everything that an actor works with. */
export type ActorDeps = Readonly<{
  clock: Clock;
  log: Log;
  backlog: Pick<Backlog, "read">;
  attempts: Pick<Attempts, "attempt">;
  recorder: Pick<Recorder, "record">;
  /** The memory of all actors together. */
  memory: Pick<Budget, "isFull" | "change">;
  /** Returns true while this dispatcher certainly holds the partition's lease. */
  mayActOn(partition: number): boolean;
  /** Returns since when this process knows all attempts at a partition's endpoints, in monotonic milliseconds. */
  startsKnownSince(partition: number): number;
  /** Returns true while slow and failing receivers of the partition get nothing new. */
  holdsSlowReceivers(partition: number): boolean;
  /** Called once, when the actor has ended and its last attempt is recorded or given up. */
  onClosed(actor: Actor): void;
}>;

/** The state of an idle actor. The endpoint's next actor starts from it without a read. */
export type DormantActor = Readonly<{
  /** Every delivery up to this sequence has ended. */
  tail: number;
  endpoint: EndpointView;
}>;

/** An attempt that has begun, with the settings that it uses. It guards its own request. */
type BegunAttempt = SendGuard & { readonly endpoint: EndpointView; isSent: boolean };

/**
 * Most weight that all actors of a process hold, besides one delivery each and the results of running reads. Each actor has a
 * limit of its own, but thousands of endpoints may hang at once. While the budget is used up, actors take nothing from hints,
 * and one delivery at a time from Postgres. That is slower, but no endpoint stops.
 */
export const MAX_WEIGHT = 64 * 1_048_576;
/** Weight of a delivery beside its payload: its ids, and the objects that hold it. */
export const DELIVERY_WEIGHT = 512;
/** Memory weight: this many held orders count as one delivery without its payload. */
const HOLDS_PER_DELIVERY = 4;

/** Wait before a failed read is repeated, doubled up to `most`. */
const READ_RETRY_MS = { first: 250, most: 10_000 };

/** Delivers for one endpoint: asks its lane for the next step, performs it, and reports the result to the lane. */
export class Actor {
  /** End of the last attempt, in monotonic milliseconds; -Infinity: there was none. */
  private lastWorkedAt = Number.NEGATIVE_INFINITY;
  private lane: Lane;
  private endpoint: EndpointView | null;
  private readonly pacer: Pacer;
  private readonly share: BudgetShare;
  /** Attempts being made or recorded, and how many of them have not begun. */
  private busy = 0;
  private unbegun = 0;
  private draining = false;
  /** True after a known failure, until the next success. */
  private needsRecovery = false;
  private hasEnded = false;
  private tick: { at: number; cancel(): void } | null = null;
  private cancelRead: (() => void) | null = null;
  private readRetryMs = READ_RETRY_MS.first;
  private idleSinceMs: number;

  /** `dormant`: the state that the endpoint's former actor left. */
  constructor(
    readonly queue: QueueKey,
    private readonly deps: ActorDeps,
    dormant: DormantActor | null = null,
  ) {
    this.idleSinceMs = deps.clock.monotonic();
    this.pacer = new Pacer(queue.partition, deps);
    this.share = new BudgetShare(deps.memory);
    this.lane = dormant ? idleLane(dormant.tail, dormant.endpoint) : newLane;
    this.endpoint = dormant?.endpoint ?? null;
    if (dormant) this.pacer.setEndpoint(dormant.endpoint);
  }

  /** Reports an accepted delivery. */
  announce(hint: Hint): void {
    const { sequence, orderingKey, revision } = hint;
    const delivery = this.deps.memory.isFull ? null : pendingOf(hint);
    const revisionIsKnown = this.endpoint === null || revision <= this.endpoint.revision;
    this.handle({ type: "announced", sequence, orderingKey, delivery, revisionIsKnown });
  }

  /** Reports that Postgres has work due within `withinMs`. `lastSequence`: the last sequence given out. */
  wake(lastSequence: number | null, withinMs = Number.POSITIVE_INFINITY): void {
    this.handle({ type: "woken", lastSequence, withinMs });
  }

  /** Reports that the endpoint or its queue was changed. */
  endpointChanged(): void {
    this.handle({ type: "changed" });
  }

  /** Ends now. Attempts in flight are still recorded, if Postgres accepts them. */
  close(): void {
    this.handle({ type: "closed" });
  }

  /** Starts nothing more, and ends once the attempts in flight are recorded. */
  drain(): void {
    this.draining = true;
    if (this.busy === 0) this.close();
  }

  /** Continues after `drain`, unless it has ended. */
  resume(): void {
    this.draining = false;
    this.wake(null);
  }

  /** The time until which a rate limit may count the last attempt, in monotonic milliseconds, also one that is set later. */
  get pacedUntil(): number {
    return this.lastWorkedAt + Math.max(KNOWN_MS, this.pacer.windowMs);
  }

  /**
   * Returns when it became idle, in monotonic milliseconds, or Infinity if there is work now or within `aheadMs`. It is not idle
   * before its rate limit has forgotten its last attempt.
   */
  idleSince(aheadMs: number): number {
    const { lane, busy } = this;
    const hasNoWork = isIdle(lane) || lane.phase === "paused" || this.waitsBeyond(aheadMs);
    if (!hasNoWork || busy > 0) return Number.POSITIVE_INFINITY;
    return Math.max(this.idleSinceMs, this.lastWorkedAt + this.pacer.windowMs);
  }

  /** The state from which the endpoint's next actor can begin; null if it must read from Postgres. */
  get dormant(): DormantActor | null {
    const { lane, endpoint } = this;
    const isComplete =
      lane.phase === "open" && lane.settings === "known" && isIdle(lane) && lane.seen <= lane.tail;
    return endpoint && isComplete ? { tail: lane.tail, endpoint } : null;
  }

  /** True during a long wait of an ordered endpoint, which a sweep wakes in time. Other actors stay while any order waits. */
  private waitsBeyond(aheadMs: number): boolean {
    const { ready, inFlight, phase } = this.lane;
    const hasNoWork = phase === "open" && ready.length === 0 && inFlight.length === 0;
    return hasNoWork && waitsUntil(this.lane) > this.deps.clock.monotonic() + aheadMs;
  }

  private handle(event: LaneEvent): void {
    const before = this.lane;
    const now = this.deps.clock.monotonic();
    const { lane, steps } = advance(before, event, { now, allowance: this.allowance() });
    this.lane = lane;
    const isMoved =
      lane.ready !== before.ready || lane.inFlight !== before.inFlight || lane.held !== before.held;
    if (isMoved) this.countMemory(lane);
    if (isMoved || steps.length > 0) this.idleSinceMs = now;
    for (const step of steps) this.perform(step);
    if (this.lane.phase === "closed") this.finish();
    else this.setTick();
  }

  private countMemory({ ready, inFlight, held }: Lane): void {
    let characters = charactersOf(ready);
    let deliveries = ready.length;
    for (const { delivery, behind } of inFlight) {
      characters += charactersOf([delivery]) + charactersOf(behind);
      deliveries += 1 + behind.length;
    }
    const holds = Math.floor(held.size / HOLDS_PER_DELIVERY);
    this.share.set((deliveries + holds) * DELIVERY_WEIGHT + characters);
  }

  private allowance(): number {
    return this.draining ? 0 : this.pacer.allowance() - this.unbegun;
  }

  private perform(step: Step): void {
    if (step.do === "read") this.read(step.request);
    else this.attempt(step);
  }

  private finish(): void {
    this.tick?.cancel();
    this.cancelRead?.();
    if (this.busy > 0 || this.hasEnded) return;
    this.hasEnded = true;
    this.share.set(0);
    this.deps.onClosed(this);
  }

  // Attempts that have not begun are not counted: each sets the timer again when it begins.
  private setTick(): void {
    const at = this.nextTickAt();
    if (this.tick?.at === at) return;
    this.tick?.cancel();
    this.tick = null;
    if (at === Number.POSITIVE_INFINITY) return;
    const cancel = this.deps.clock.after(at - this.deps.clock.monotonic(), () => {
      this.tick = null;
      this.handle({ type: "tick" });
    });
    this.tick = { at, cancel };
  }

  private nextTickAt(): number {
    const now = this.deps.clock.monotonic();
    const paceMs = this.lane.ready.length > 0 && !this.draining ? this.pacer.waitMs() : 0;
    return Math.min(nextDueAt(this.lane, now), paceMs > 0 ? now + paceMs : Number.POSITIVE_INFINITY);
  }

  private read(request: ReadRequest): void {
    if (!this.deps.mayActOn(this.queue.partition)) {
      this.close();
      return;
    }
    this.deps.backlog.read(this.queue, request).then(
      ({ page, endpoint }) => {
        this.endpoint = endpoint;
        if (endpoint && needsRecovery(endpoint)) this.needsRecovery = true;
        this.pacer.setEndpoint(endpoint);
        this.readRetryMs = READ_RETRY_MS.first;
        this.handle({ type: "read", page });
      },
      (error: unknown) => this.readAgain(error, request),
    );
  }

  // During a Postgres outage every busy endpoint fails repeatedly: the lease loop logs the outage once.
  private readAgain(error: unknown, request: ReadRequest): void {
    const level = isTemporary(error) ? "debug" : "warn";
    const details = { ...this.idsForLog(), retry_in_ms: this.readRetryMs, ...describeError(error) };
    this.deps.log[level](details, "could not read an endpoint's pending deliveries; reading them again");
    if (this.lane.phase === "closed") return;
    this.cancelRead = this.deps.clock.after(this.readRetryMs, () => this.read(request));
    this.readRetryMs = Math.min(this.readRetryMs * 2, READ_RETRY_MS.most);
  }

  /** Makes one attempt: begin, make, record, end. */
  private async attempt(batch: DeliveryBatch): Promise<void> {
    const attempt = this.begin();
    if (!attempt) return this.close();
    const outcome = await this.make(batch, attempt);
    const recorded = outcome && (await this.tryRecord(outcome, batch));
    this.end(this.resultOf(batch.delivery, outcome, recorded));
  }

  /** Takes the endpoint as known now. Returns null if nothing may be attempted. */
  private begin(): BegunAttempt | null {
    const { endpoint } = this;
    if (!endpoint || !this.deps.mayActOn(this.queue.partition)) return null;
    this.busy++;
    this.unbegun++;
    const attempt: BegunAttempt = {
      endpoint,
      isSent: false,
      stillWanted: () => this.mayBegin(endpoint.revision),
      tryStart: () => {
        if (!this.mayBegin(endpoint.revision)) return false;
        if (!attempt.isSent) this.unbegun--;
        attempt.isSent = true;
        // The rate limit counts from here, also a request that is sent again. Otherwise a slow address look-up could bring
        // two requests closer together than the limit allows.
        this.pacer.started();
        this.setTick();
        return true;
      },
    };
    return attempt;
  }

  private async make({ delivery, behind }: DeliveryBatch, attempt: BegunAttempt): Promise<Outcome | null> {
    const made = await this.deps.attempts.attempt(delivery, attempt.endpoint, this.queue, attempt, behind);
    const outcome = this.withRecovery(made);
    if (!attempt.isSent) this.unbegun--;
    if (outcome) this.pacer.ended(outcome.attempt.durationMs);
    return outcome;
  }

  /** Records an outcome. Returns null if that fails. Then the actor closes, and a sweep finds the endpoint again. */
  private async tryRecord(outcome: Outcome, { behind }: DeliveryBatch): Promise<Recorded | null> {
    try {
      if (behind.length === 0) return await this.deps.recorder.record(outcome);
      return await this.recordAll([outcome, ...outcomesBehind(outcome, behind)]);
    } catch (error) {
      const details = { ...this.idsForLog(), sequence: outcome.sequence, ...describeError(error) };
      this.deps.log.error(details, "could not record an attempt; the delivery will be attempted again");
      return null;
    }
  }

  /** Records the outcomes of one request. Ends after the last, so that none is written once the endpoint has another actor. */
  private async recordAll(outcomes: readonly Outcome[]): Promise<Recorded> {
    const settled = await Promise.allSettled(outcomes.map((each) => this.deps.recorder.record(each)));
    return together(
      settled.map((each) => {
        if (each.status === "rejected") throw each.reason;
        return each.value;
      }),
    );
  }

  /** Reports the result to the lane. Null ends the actor, since the delivery's state is unknown. */
  private end(result: LaneEvent | null): void {
    this.busy--;
    this.lastWorkedAt = this.deps.clock.monotonic();
    if (this.lane.phase === "closed") this.finish();
    else if (result === null) this.close();
    else {
      this.handle(result);
      if (this.draining && this.busy === 0) this.close();
    }
  }

  private resultOf(
    { sequence }: PendingDelivery,
    outcome: Outcome | null,
    recorded: Recorded | null,
  ): LaneEvent | null {
    if (!outcome) return this.deps.mayActOn(this.queue.partition) ? { type: "unsent", sequence } : null;
    if (!recorded) return null;
    if (!recorded.applied) return { type: "refused", sequence };
    const { revision } = recorded;
    // 0: the endpoint was deleted. The actor may know any other revision from an earlier record.
    const isNewRevision = revision === 0 || revision > (this.endpoint?.revision ?? 0);
    const endpointChanged = changesEndpoint(outcome) || isNewRevision;
    return { type: "recorded", sequence, verdict: outcome.verdict, endpointChanged };
  }

  /** Marks a success as a recovery if the endpoint began to fail while the attempt was in flight. */
  private withRecovery(outcome: Outcome | null): Outcome | null {
    if (outcome?.verdict.kind === "delivered" && outcome.health === "none" && this.needsRecovery)
      return { ...outcome, health: "recovered" };
    if (outcome && outcome.health !== "none") this.needsRecovery = outcome.health !== "recovered";
    return outcome;
  }

  /** Returns true if an attempt with the settings of this revision may still begin. */
  private mayBegin(revision: number): boolean {
    const isKnown = this.lane.settings === "known" && this.endpoint?.revision === revision;
    const isOpen = this.lane.phase === "open" || this.lane.phase === "reading";
    return isOpen && isKnown && !this.draining && this.deps.mayActOn(this.queue.partition);
  }

  private idsForLog() {
    const { partition, endpointId } = this.queue;
    return { partition, endpoint_id: toText("ep", endpointId) };
  }
}
