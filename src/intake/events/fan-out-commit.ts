import { DatabaseUnavailable } from "../../db/database";
import type { AccountId } from "../../domain/ids";
import { QueueFull } from "../../runtime/queues/batcher";
import { FairQueue } from "../../runtime/queues/fair-queue";
import { KeyedMutex } from "../../runtime/queues/keyed-mutex";
import { Commit, type Decision, hintsOf } from "../commit";
import { ClientGone } from "../new-delivery";
import type { IntakeOptions } from "../sends/group-commit";
import { findTakenEvents, settleTaken } from "../taken-keys";
import { Announcements } from "./announcements";
import {
  AudienceCache,
  type AudienceKind,
  MAX_ENDPOINTS,
  type Omission,
  SHARED_DELIVERIES,
} from "./audience";
import type { DeliveryPace } from "./delivery-pace";
import type { AcceptedEvent, FanOut, FanOutIntake, FanOutResult } from "./fan-out";

/** Most events in one commit. The statement bounds the deliveries that they make. */
const MAX_BATCH = 200;
const MAX_BATCH_CHARACTERS = 8 * 1_048_576;
export const MAX_QUEUED_CHARACTERS = 64 * 1_048_576;

export type FanOutCommitOptions = IntakeOptions & {
  /** Null in a process that does not dispatch. */
  pace?: Pick<DeliveryPace, "untilCaughtUp"> | null;
};

type EventCommit = Commit<FanOut, Omission>;
type EventDecision = Decision<Omission>;
/** The answer of a commit: a result, a promise of one that is still looked up, or when to try again. */
type EventAnswer = FanOutResult | Promise<FanOutResult> | "later" | "large";

type QueuedEvent = {
  event: FanOut;
  resolve(result: FanOutResult | Promise<FanOutResult>): void;
  reject(reason: unknown): void;
};

/**
 * Commits events, many in one statement. Separate from the commits of sends, so a large event delays only sends to its own
 * endpoints. Takes events of the accounts in turns, and keeps the order of each account's events.
 *
 * A large event, to more than 300 endpoints, gets a statement of its own beside the shared ones, one large event at a time. Later
 * events of its account wait for it; events of other accounts go on.
 */
export class FanOutCommit implements FanOutIntake {
  private readonly queue = new FairQueue<QueuedEvent>({
    ownerOf: ({ event }) => event.accountId,
    weigh: ({ event }) => event.data.length,
  });
  /** Null while the queue is empty. */
  private working: Promise<void> | null = null;
  /** Resolves once all large events so far are committed. */
  private workingOnLarge: Promise<void> = Promise.resolve();
  private largeWaiting = 0;
  /** The accounts that are held until their deliveries have caught up. */
  private readonly paced = new Map<AccountId, Promise<void>>();
  /** Most events in the next commit. If the last one left some for later, twice as many as it decided: comparing costs as well. */
  private nextBatch = MAX_BATCH;
  private readonly announcements: Announcements;
  private readonly shared: EventCommit;
  private readonly alone: EventCommit;
  /** Runs requests with the same key one after the other, so that the second finds the key taken. */
  private readonly keys = new KeyedMutex();

  constructor(
    private readonly options: FanOutCommitOptions,
    private readonly kind: AudienceKind = "events",
  ) {
    this.announcements = new Announcements(options.onAccepted);
    const audiences = new AudienceCache(kind);
    this.shared = new Commit({ ...options, directory: audiences.within(SHARED_DELIVERIES) });
    this.alone = new Commit({ ...options, directory: audiences.within(MAX_ENDPOINTS) });
    options.db.onLost(() => this.forgetAll());
  }

  accept(fanOut: FanOut): Promise<FanOutResult> {
    const submit = () => this.submit(fanOut);
    const { accountId, idempotency } = fanOut;
    return idempotency ? this.keys.run(`${accountId}/${idempotency.key}`, submit) : submit();
  }

  /** How many events wait for a commit. */
  get queued(): number {
    return this.queue.size + this.largeWaiting;
  }

  /** Resolves once every event has its answer. */
  async drained(): Promise<void> {
    while (this.working !== null || this.largeWaiting > 0 || this.paced.size > 0) {
      await this.working;
      await this.workingOnLarge;
      await Promise.all(this.paced.values());
    }
  }

  private submit(event: FanOut): Promise<FanOutResult> {
    const { promise, resolve, reject } = Promise.withResolvers<FanOutResult>();
    const waiting = { event, resolve, reject };
    this.queue.add(waiting);
    const shed = this.queue.shed(waiting, this.options.maxQueued, MAX_QUEUED_CHARACTERS);
    for (const each of shed) each.reject(new QueueFull());
    this.wake();
    return promise;
  }

  private wake(): void {
    this.working ??= this.work();
  }

  private async work(): Promise<void> {
    // Lets the events of this turn of the event loop go into one commit.
    await new Promise(setImmediate);
    for (;;) {
      const batch = this.queue.take(this.nextBatch, MAX_BATCH_CHARACTERS);
      if (batch.length === 0) break;
      await this.commit(batch, this.shared);
    }
    this.working = null;
  }

  private startLarge(waiting: QueuedEvent): void {
    const { accountId } = waiting.event;
    this.queue.hold(accountId);
    this.largeWaiting++;
    const committed = this.workingOnLarge.then(() => this.commit([waiting], this.alone));
    this.workingOnLarge = committed.finally(() => {
      this.largeWaiting--;
      this.queue.release(accountId);
      this.keepPace(accountId);
      this.wake();
    });
  }

  private async commit(batch: readonly QueuedEvent[], by: EventCommit): Promise<void> {
    const wanted = batch.filter(isWanted);
    for (const each of batch) if (!wanted.includes(each)) each.reject(new ClientGone());
    if (wanted.length === 0) return;
    try {
      const answers = await this.commitSome(
        wanted.map(({ event }) => event),
        by,
      );
      const later = wanted.filter((_, i) => answers[i] === "later");
      this.nextBatch =
        later.length === 0 ? MAX_BATCH : Math.min(MAX_BATCH, 2 * (wanted.length - later.length));
      this.queue.putBack(later);
      for (const [i, answer] of answers.entries()) {
        const waiting = wanted[i];
        if (!waiting || answer === "later") continue;
        if (answer === "large") this.startLarge(waiting);
        else waiting.resolve(answer);
      }
    } catch (error) {
      await this.fail(wanted, by, error);
    }
    // Commits no faster than deliveries are announced.
    await this.announcements.made();
    for (const { event } of wanted) this.keepPace(event.accountId);
  }

  /** Holds an account's further events until its deliveries have caught up. */
  private keepPace(accountId: AccountId): void {
    // Held already, or behind a large event.
    if (this.queue.isHeld(accountId)) return;
    const caughtUp = this.options.pace?.untilCaughtUp(accountId);
    if (!caughtUp) return;
    this.queue.hold(accountId);
    const released = caughtUp.then(() => {
      this.paced.delete(accountId);
      this.queue.release(accountId);
      this.wake();
    });
    this.paced.set(accountId, released);
  }

  private async fail(batch: readonly QueuedEvent[], by: EventCommit, error: unknown): Promise<void> {
    if (error instanceof DatabaseUnavailable) this.forgetAll();
    // An event that Postgres refuses must not fail the others in its batch.
    else if (batch.length > 1) return this.commitOneByOne(batch, by);
    for (const { reject } of batch) reject(error);
  }

  private async commitOneByOne(batch: readonly QueuedEvent[], by: EventCommit): Promise<void> {
    const behind: QueuedEvent[] = [];
    for (const each of batch) {
      if (this.queue.isHeld(each.event.accountId)) behind.push(each);
      else await this.commit([each], by);
    }
    this.queue.putBack(behind);
  }

  /** Returns the answers in the order of the events. The first is never "later". */
  private async commitSome(events: readonly FanOut[], by: EventCommit): Promise<EventAnswer[]> {
    const open = events.filter(({ request }) => !request?.isFull);
    const decisions = await by.run(open, this.options.db);
    const decided = new Map(open.map((event, i) => [event, decisions[i]] as const));
    for (const [event, decision] of decided) {
      if (decision?.kind === "accepted") this.announce(event, decision);
      if (decision?.kind === "over_request_limit") event.request?.close();
    }
    const taken = await this.settle(open.filter((event) => decided.get(event)?.kind === "taken"));
    return events.map((event) => {
      const decision = decided.get(event);
      return (
        taken.get(event) ??
        (decision ? answerOf(event, decision) : { kind: "over_request_limit", made: null })
      );
    });
  }

  /** Returns the answers to the first requests with the keys, and no delivery for reports that were sent before. */
  private async settle(taken: readonly FanOut[]): Promise<ReadonlyMap<FanOut, EventAnswer>> {
    if (this.kind === "feed") return new Map(taken.map((report) => [report, sentBefore(report)]));
    return settleTaken(this.options.db, taken, findTakenEvents, replayOf);
  }

  private forgetAll(): void {
    this.shared.forgetAll();
    this.alone.forgetAll();
  }

  private announce(event: FanOut, { rows }: EventDecision & { kind: "accepted" }): void {
    event.request?.accepted(rows.length);
    this.announcements.add(hintsOf(event, rows));
  }
}

function isWanted({ event: { request } }: QueuedEvent): boolean {
  return !request?.isGone;
}

function replayOf(event: AcceptedEvent | null): FanOutResult {
  return event ? { kind: "replayed", event } : { kind: "key_conflict" };
}

function sentBefore({ id, event, orderingKey, externalId = null }: FanOut): FanOutResult {
  return {
    kind: "accepted",
    event: { id, event, orderingKey, externalId, deliveries: [], held: [], skipped: [] },
  };
}

function answerOf(event: FanOut, decision: EventDecision): EventAnswer {
  switch (decision.kind) {
    case "refused":
      return decision.refusal === "too_many"
        ? { kind: "too_many_endpoints", most: MAX_ENDPOINTS }
        : decision.refusal;
    // The key was taken and is free by now.
    case "taken":
      return "later";
    case "accepted":
      return { kind: "accepted", event: acceptedOf(event, decision) };
    default:
      return decision;
  }
}

function acceptedOf(
  { id, event, orderingKey, externalId = null }: FanOut,
  { recipients, rows }: EventDecision & { kind: "accepted" },
): AcceptedEvent {
  const inactive = new Set("inactive" in recipients ? recipients.inactive : []);
  const getting = new Set(rows.map(({ endpointId }) => endpointId));
  return {
    id,
    event,
    orderingKey,
    externalId,
    deliveries: rows,
    held: rows.filter(({ endpointId }) => inactive.has(endpointId)).map((each) => each.id),
    skipped: [...inactive].filter((endpointId) => !getting.has(endpointId)),
  };
}
