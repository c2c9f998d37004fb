import type { Clearance } from "../attempt/clearance";
import type { QueueKey } from "../db/queue-key";
import type { Ordering } from "../endpoints/tuning";
import { changesEndpoint, type Outcome, type RecordAnswer } from "../recorder/outcome";
import type { DeliveryMessage } from "../stream/message";
import { type Actor, type ActorDeps, READ_RETRY_MS, tellUnread, tryRecord } from "./actor";
import { charactersOf, deliveryIn, type PendingDelivery } from "./delivery";
import type { EndpointView } from "./endpoint";
import { Pacer } from "./pacer";
import type { Holding } from "./room";
import {
  advanceUnordered,
  newUnorderedLane,
  type UnorderedEvent,
  type UnorderedLane,
  type UnorderedResult,
  type UnorderedStep,
} from "./unordered-lane";

/**
 * One endpoint without order at work: holds its lane, does what it asks for and tells it how that went. It stays
 * for as long as anything waits for a retry, since only it knows by when.
 */
export class UnorderedActor implements Actor {
  successor: Ordering | null = null;
  lastWorkedAt = Number.NEGATIVE_INFINITY;
  private lane: UnorderedLane = newUnorderedLane;
  private endpoint: EndpointView | null = null;
  private readonly pacer: Pacer;
  private readonly holding: Holding;
  /** Attempts that are being made or recorded. */
  private busy = 0;
  /** The sequences of those that have not begun yet. */
  private readonly unbegun = new Set<number>();
  private draining = false;
  private hasEnded = false;
  private retry: { dueAt: number; cancel(): void } | null = null;
  private cancelPause: (() => void) | null = null;
  private cancelRead: (() => void) | null = null;
  private readRetryMs = READ_RETRY_MS.first;
  private restingSince: number;

  constructor(
    readonly queue: QueueKey,
    private readonly deps: ActorDeps,
  ) {
    this.restingSince = deps.clock.monotonic();
    this.pacer = new Pacer(queue.partition, deps);
    this.holding = deps.room.holding();
  }

  announce(message: DeliveryMessage): void {
    const { sequence, revision } = message;
    const delivery = this.deps.room.isFull ? null : deliveryIn(message);
    const revisionIsKnown = this.endpoint === null || revision <= this.endpoint.revision;
    this.feed({ type: "announced", sequence, delivery, revisionIsKnown });
  }

  wake(lastSequence: number | null): void {
    this.feed({ type: "woken", lastSequence });
  }

  endpointChanged(): void {
    this.feed({ type: "changed" });
  }

  close(): void {
    this.feed({ type: "closed" });
  }

  drain(): void {
    this.draining = true;
    if (this.busy === 0) this.close();
  }

  resume(): void {
    this.draining = false;
    this.wake(null);
  }

  /** Its successor reads. */
  readonly rest = null;

  restsSince(): number {
    const { isReading, ready, inFlight } = this.lane;
    const isResting = !isReading && ready.length === 0 && inFlight.size === 0 && this.retry === null;
    return isResting ? this.restingSince : Number.POSITIVE_INFINITY;
  }

  private feed(event: UnorderedEvent): void {
    const before = this.lane;
    const { lane, steps } = advanceUnordered(before, event, this.allowance());
    this.lane = lane;
    if (lane.ready !== before.ready || lane.inFlight !== before.inFlight) this.hold(lane);
    if (steps.length > 0 || lane.inFlight !== before.inFlight) {
      this.restingSince = this.deps.clock.monotonic();
    }
    for (const step of steps) this.take(step);
    this.waitForPace();
    if (lane.phase === "closed") this.finish();
  }

  private hold({ ready, inFlight }: UnorderedLane): void {
    const characters = charactersOf(ready) + charactersOf(inFlight.values());
    this.holding.set(ready.length + inFlight.size, characters);
  }

  private allowance(): number {
    return this.draining ? 0 : this.pacer.allowance() - this.unbegun.size;
  }

  private take(step: UnorderedStep): void {
    if (step.do === "read") this.read(step.after, step.without);
    else if (step.do === "attempt") this.attempt(step.delivery);
    else this.wait(step.ms);
  }

  private finish(): void {
    this.retry?.cancel();
    this.cancelPause?.();
    this.cancelRead?.();
    if (this.busy > 0 || this.hasEnded) return;
    this.hasEnded = true;
    this.holding.set(0, 0);
    this.deps.onClosed(this);
  }

  private wait(ms: number): void {
    const dueAt = this.deps.clock.monotonic() + ms;
    if (this.retry && this.retry.dueAt <= dueAt) return;
    this.retry?.cancel();
    const cancel = this.deps.clock.after(ms, () => {
      this.retry = null;
      this.feed({ type: "due" });
    });
    this.retry = { dueAt, cancel };
  }

  // What has not begun yet will call again when it does.
  private waitForPace(): void {
    this.cancelPause?.();
    this.cancelPause = null;
    const ms = this.lane.ready.length > 0 && !this.draining ? this.pacer.waitMs() : 0;
    if (ms > 0) this.cancelPause = this.deps.clock.after(ms, () => this.feed({ type: "allowed" }));
  }

  private read(after: number, without: readonly number[]): void {
    const { partition, endpointId } = this.queue;
    if (!this.deps.mayActOn(partition)) {
      this.close();
      return;
    }
    this.deps.readUnordered(partition, endpointId, after, without).then(
      ({ page, endpoint }) => {
        this.endpoint = endpoint;
        this.pacer.setEndpoint(endpoint);
        this.readRetryMs = READ_RETRY_MS.first;
        this.successor = page.kind === "ordered" ? "ordered" : null;
        this.feed({ type: "read", page });
      },
      (error: unknown) => this.readAgain(error, after, without),
    );
  }

  private readAgain(error: unknown, after: number, without: readonly number[]): void {
    tellUnread(this.deps.log, this.queue, error);
    if (this.lane.phase === "closed") return;
    this.cancelRead = this.deps.clock.after(this.readRetryMs, () => this.read(after, without));
    this.readRetryMs = Math.min(this.readRetryMs * 2, READ_RETRY_MS.most);
  }

  private async attempt(delivery: PendingDelivery): Promise<void> {
    const { endpoint, queue, deps } = this;
    if (!endpoint || !deps.mayActOn(queue.partition)) {
      this.close();
      return;
    }
    const { sequence } = delivery;
    this.busy++;
    this.unbegun.add(sequence);
    const outcome = await deps.attempt(delivery, endpoint, queue, this.clearanceOf(sequence, endpoint));
    this.unbegun.delete(sequence);
    if (outcome) this.pacer.ended(outcome.attempt.durationMs);
    const answer = outcome && (await tryRecord(deps, queue, outcome));
    this.busy--;
    this.lastWorkedAt = deps.clock.monotonic();
    if (this.lane.phase === "closed") this.finish();
    else if (answer) this.settled({ type: "recorded", sequence, result: this.resultOf(outcome, answer) });
    else if (!outcome && deps.mayActOn(queue.partition)) this.settled({ type: "unsent", sequence });
    else this.close();
  }

  private clearanceOf(sequence: number, { revision }: EndpointView): Clearance {
    const isWanted = () => {
      const { phase, current } = this.lane;
      const isKnown = phase === "open" && current && this.endpoint?.revision === revision;
      return isKnown && !this.draining && this.deps.mayActOn(this.queue.partition);
    };
    const mayStart = () => {
      if (!isWanted()) return false;
      this.pacer.started();
      this.unbegun.delete(sequence);
      this.waitForPace();
      return true;
    };
    return { isWanted, mayStart };
  }

  private settled(event: UnorderedEvent): void {
    this.feed(event);
    if (this.draining && this.busy === 0) this.close();
  }

  private resultOf(outcome: Outcome, answer: RecordAnswer): UnorderedResult {
    if (!answer.applied) return { kind: "refused" };
    const { revision } = answer;
    // A deleted endpoint has the revision 0; another record may have told of this one already.
    const isNews = revision === 0 || revision > (this.endpoint?.revision ?? 0);
    const retryInMs = outcome.verdict.kind === "retry" ? outcome.verdict.afterMs : null;
    return { kind: "written", retryInMs, endpointChanged: changesEndpoint(outcome) || isNews };
  }
}
