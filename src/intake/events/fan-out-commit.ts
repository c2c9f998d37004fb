import { DatabaseUnavailable, untilNoDeadlock } from "../../db/database";
import type { AccountId } from "../../domain/ids";
import { QueueFull } from "../../runtime/queues/batcher";
import { FairQueue } from "../../runtime/queues/fair-queue";
import { KeyedMutex } from "../../runtime/queues/keyed-mutex";
import type { IntakeOptions } from "../sends/group-commit";
import { ClientGone } from "../sends/sending-request";
import { findTakenEvents, settleTaken } from "../taken-keys";
import { usageKeyAt } from "../usage-shard";
import { WrittenRowsCache } from "../written-rows-cache";
import {
  ALONE,
  acceptEvents,
  type EventRow,
  MAX_ENDPOINTS,
  SHARED,
  type StatementSize,
} from "./accept-events";
import { Announcements } from "./announcements";
import type { Audience } from "./audience";
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

/** The decision of a commit about an event: a result, a promise of one that is still looked up, or when to try again. */
type Decision = FanOutResult | Promise<FanOutResult> | "later" | "large";

type Waiting = {
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
  private readonly queue = new FairQueue<Waiting>({
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
  private readonly written = new WrittenRowsCache();
  /** Runs requests with the same key one after the other, so that the second finds the key taken. */
  private readonly keys = new KeyedMutex();

  constructor(
    private readonly options: FanOutCommitOptions,
    private readonly audience: Audience = "events",
  ) {
    this.announcements = new Announcements(options.onAccepted);
    options.db.onLost(() => this.written.forgetAll());
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
      await this.commit(batch, SHARED);
    }
    this.working = null;
  }

  private startLarge(waiting: Waiting): void {
    const { accountId } = waiting.event;
    this.queue.hold(accountId);
    this.largeWaiting++;
    const committed = this.workingOnLarge.then(() => this.commit([waiting], ALONE));
    this.workingOnLarge = committed.finally(() => {
      this.largeWaiting--;
      this.queue.release(accountId);
      this.keepPace(accountId);
      this.wake();
    });
  }

  private async commit(batch: readonly Waiting[], size: StatementSize): Promise<void> {
    const wanted = batch.filter(isWanted);
    for (const each of batch) if (!wanted.includes(each)) each.reject(new ClientGone());
    if (wanted.length === 0) return;
    try {
      const decisions = await this.commitSome(
        wanted.map(({ event }) => event),
        size,
      );
      if (decisions.every((each) => each === "later"))
        throw new DatabaseUnavailable("the statement wrote nothing");
      const later = wanted.filter((_, i) => decisions[i] === "later");
      this.nextBatch =
        later.length === 0 ? MAX_BATCH : Math.min(MAX_BATCH, 2 * (wanted.length - later.length));
      this.queue.putBack(later);
      for (const [i, decision] of decisions.entries()) {
        const waiting = wanted[i];
        if (!waiting || decision === "later") continue;
        if (decision === "large") this.startLarge(waiting);
        else waiting.resolve(decision);
      }
    } catch (error) {
      await this.fail(wanted, size, error);
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

  private async fail(batch: readonly Waiting[], size: StatementSize, error: unknown): Promise<void> {
    if (error instanceof DatabaseUnavailable) this.written.forgetAll();
    // An event that Postgres refuses must not fail the others in its batch.
    else if (batch.length > 1) return this.commitOneByOne(batch, size);
    for (const { reject } of batch) reject(error);
  }

  private async commitOneByOne(batch: readonly Waiting[], size: StatementSize): Promise<void> {
    const behind: Waiting[] = [];
    for (const each of batch) {
      if (this.queue.isHeld(each.event.accountId)) behind.push(each);
      else await this.commit([each], size);
    }
    this.queue.putBack(behind);
  }

  /** Returns the decisions in the order of the events. The first is never "later". */
  private async commitSome(events: readonly FanOut[], size: StatementSize): Promise<Decision[]> {
    const open = events.filter(({ request }) => request?.left !== 0);
    const rowsOf = Map.groupBy(open.length > 0 ? await this.insert(open, size) : [], (row) => row.eventId);
    this.announce(open, rowsOf);
    this.written.remember(open.filter(({ id }) => rowsOf.get(id)?.[0]?.kind === "accepted"));
    const isUnanswered = ({ id }: FanOut) => !this.isFeed && !rowsOf.has(id);
    const keyed = events.filter((event) => event.idempotency && isUnanswered(event));
    const taken = await settleTaken(this.options.db, keyed, findTakenEvents, replayOf);
    // A promoted standby may lack the month's usage, or a key was taken during the statement and is free by now.
    const unwritten = open.filter((event) => isUnanswered(event) && !taken.has(event));
    if (unwritten.length > 0) this.written.forgetAll();
    return events.map((event) => {
      const replay = taken.get(event);
      if (replay) return replay;
      if (!open.includes(event)) return { kind: "over_request_limit", made: null };
      return unwritten.includes(event) ? "later" : decisionOf(event, rowsOf.get(event.id) ?? []);
    });
  }

  private async insert(events: readonly FanOut[], size: StatementSize): Promise<EventRow[]> {
    const { isFeed, written, audience } = this;
    const { db, clock, shard } = this.options;
    const usageKey = usageKeyAt(clock.now(), shard);
    if (!isFeed) await written.ensureUsage(events, usageKey, db);
    // A feed's events are not event types of the account.
    const newEventTypes = isFeed ? [] : written.newEventTypes(events);
    const options = { newEventTypes, usageKey, audience, size };
    return untilNoDeadlock(() => db.run((sql) => acceptEvents(sql, events, options)));
  }

  private get isFeed(): boolean {
    return this.audience === "feed";
  }

  private announce(events: readonly FanOut[], rowsOf: Map<string, EventRow[]>): void {
    for (const { id: eventId, accountId, event, orderingKey, externalId, data, request } of events) {
      const shared = { accountId, event, orderingKey, eventExternalId: externalId ?? null, data };
      const rows = rowsOf.get(eventId) ?? [];
      const accepted = rows.filter((row) => row.kind === "accepted");
      request?.accepted(accepted.length);
      if (rows[0]?.kind === "over_request_limit") request?.close();
      this.announcements.add(
        accepted.flatMap(({ id, endpointId, partition, sequence, revision }) =>
          sequence === null ? [] : [{ partition, hint: { ...shared, id, endpointId, sequence, revision } }],
        ),
      );
    }
  }
}

function isWanted({ event: { request } }: Waiting): boolean {
  return !request?.isGone;
}

function replayOf(event: AcceptedEvent | null): FanOutResult {
  return event ? { kind: "replayed", event } : { kind: "key_conflict" };
}

function decisionOf(fanOut: FanOut, rows: readonly EventRow[]): Decision {
  const [first] = rows;
  switch (first?.kind) {
    case "later":
    case "large":
      return first.kind;
    case "over_request_limit":
      return { kind: "over_request_limit", made: first.made };
    case "over_monthly_limit":
      return { kind: "over_monthly_limit", limit: first.limit };
    case "too_many":
      return { kind: "too_many_endpoints", most: MAX_ENDPOINTS };
    default:
      return { kind: "accepted", event: acceptedOf(fanOut, rows) };
  }
}

function acceptedOf(fanOut: FanOut, rows: readonly EventRow[]): AcceptedEvent {
  const { id, event, orderingKey, externalId = null, dueAt = null } = fanOut;
  const accepted = rows.filter((row) => row.kind === "accepted").sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    id,
    event,
    orderingKey,
    externalId,
    deliveries: accepted.map((row) => {
      return { id: row.id, endpointId: row.endpointId, event, orderingKey, sequence: row.sequence, dueAt };
    }),
    held: accepted.filter(({ isHeld }) => isHeld).map((row) => row.id),
    skipped: rows.flatMap((row) => (row.kind === "skipped" ? [row.endpointId] : [])).sort(),
  };
}
