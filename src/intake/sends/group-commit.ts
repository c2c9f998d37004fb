import { type Database, DatabaseUnavailable, isTemporary } from "../../db/database";
import type { Sql } from "../../db/pool";
import { isLockTimeout } from "../../db/postgres-failure";
import { arrayOf } from "../../db/sql/arrays";
import { periodOf } from "../../db/sql/time";
import type { AccountId, EndpointId } from "../../domain/ids";
import type { Clock } from "../../runtime/clock";
import { Batcher } from "../../runtime/queues/batcher";
import { KeyedMutex } from "../../runtime/queues/keyed-mutex";
import type { Hint } from "../../stream/hint";
import { Commit, type Decision, hintsOf } from "../commit";
import type { Accepted, Intake, NewDelivery, SendResult } from "../new-delivery";
import { ClientGone } from "../new-delivery";
import { findTakenSends, settleTaken } from "../taken-keys";
import type { UsageShard } from "../usage";
import { EndpointCache, type SendRefusal } from "./endpoint-cache";

/** Most sends in one commit. */
export const MAX_SENDS = 500;
/** Most payload characters in one commit, and in the whole queue. */
const MAX_BATCH_CHARACTERS = 8 * 1_048_576;
export const MAX_QUEUED_CHARACTERS = 256 * 1_048_576;

/** Options of every intake. */
export type IntakeOptions = {
  db: Database;
  clock: Clock;
  /** The shard that counts its deliveries. Each intake of a process has its own. */
  shard: UsageShard;
  /** Most sends that wait for a commit. */
  maxQueued: number;
  /** Called with every delivery to dispatch, after its commit. */
  onAccepted(hint: Hint): void;
};

/**
 * `db` has one connection of depth 2, so that Postgres has the next commit already (see `Capacity.depth`). It gives up waiting
 * for a lock after a while (`lock_timeout`).
 */
export type GroupCommitOptions = IntakeOptions & {
  /** One connection that waits for locks without a limit. */
  patient: Database;
  /**
   * Most concurrent commits: 1, or 2 so that Postgres has the next one already when one ends. Two make commits half as large,
   * and accept more in a process that only accepts. A process that also delivers would lose that time for deliveries. Both use
   * one connection: on two, the second would wait for the first one's locks and look at every row again (EvalPlanQual), which
   * takes half as long again for a send (measured).
   */
  commitsAtOnce: 1 | 2;
};

/** The result of a send in a commit; a promise if it is decided separately. */
type Decided = SendResult | Promise<SendResult>;
type SendDecision = Decision<SendRefusal>;

/**
 * Commits sends in groups: those that arrive during a commit go together into the next one. If a commit must wait for a lock,
 * for example of an endpoint that a large event goes to, the sends that need the lock wait separately, and so do later sends
 * to the same endpoints. All others continue.
 */
export class GroupCommit implements Intake {
  private readonly batcher: Batcher<NewDelivery, SendResult>;
  private readonly endpoints = new EndpointCache();
  private readonly sendCommit: Commit<NewDelivery, SendRefusal>;
  private readonly patientBatcher: Batcher<NewDelivery, SendResult>;
  /** Runs requests with the same key one after the other, so that the second finds the key taken. */
  private readonly keys = new KeyedMutex();
  private readonly locked = new LockedEndpoints();

  constructor(private readonly options: GroupCommitOptions) {
    this.sendCommit = new Commit({ ...options, directory: this.endpoints });
    for (const each of [options.db, options.patient]) each.onLost(() => this.sendCommit.forgetAll());
    const bounds = {
      // A send that Postgres refuses must not fail the others in its batch.
      mayBeOneItem: (error: unknown) => !isTemporary(error),
      weigh: (send: NewDelivery) => send.data.length,
      ownerOf: (send: NewDelivery) => send.accountId,
      cancelled: ({ request }: NewDelivery) => (request?.isGone ? new ClientGone() : null),
      maxItems: MAX_SENDS,
      maxWeight: MAX_BATCH_CHARACTERS,
      maxQueued: options.maxQueued,
      maxQueuedWeight: MAX_QUEUED_CHARACTERS,
    };
    this.patientBatcher = new Batcher({
      ...bounds,
      run: (sends) => this.commit(sends, options.patient),
      maxRunning: 1,
    });
    this.batcher = new Batcher({
      ...bounds,
      run: (sends) => this.commitUnlocked(sends),
      maxRunning: options.commitsAtOnce,
      inTurn: { patience: null },
    });
  }

  accept(send: NewDelivery): Promise<SendResult> {
    if (!send.idempotency) return this.submit(send);
    return this.keys.run(keyOf(send), () => this.submit(send));
  }

  /** How many sends wait for a commit, or for a lock before it. */
  get queued(): number {
    return this.batcher.queued + this.patientBatcher.queued;
  }

  /** Forgets a changed endpoint, to avoid a wrong plan, which Postgres would log as an error. */
  endpointChanged(id: EndpointId): void {
    this.endpoints.delete(id);
  }

  /** Resolves once every send has its answer. */
  async drained(): Promise<void> {
    await this.batcher.drained();
    await this.patientBatcher.drained();
  }

  private submit(send: NewDelivery): Promise<SendResult> {
    return this.locked.has(send.endpointId) ? this.waitApart(send) : this.batcher.submit(send);
  }

  private waitApart(send: NewDelivery): Promise<SendResult> {
    return this.locked.during(send.endpointId, () => this.patientBatcher.submit(send));
  }

  /** Commits the sends that no lock delays. While any send waits separately, each commit first checks which locks are taken. */
  private async commitUnlocked(sends: NewDelivery[]): Promise<Decided[]> {
    if (!this.locked.isEmpty) return this.commitOnly(await this.unlocked(sends), sends);
    try {
      return await this.commit(sends, this.options.db);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
    return this.commitOnly(await this.unaffected(sends), sends);
  }

  /** Returns the sends that do not seem to need the lock that all have just waited for in vain. */
  private async unaffected(sends: NewDelivery[]): Promise<NewDelivery[]> {
    const unlocked = await this.unlocked(sends);
    if (unlocked.length < sends.length) return unlocked;
    // The lock is not an endpoint's or a month's, so it is a key's: a request of another kind has not committed yet.
    const keyless = withoutKeys(sends);
    return keyless.length < sends.length ? keyless : [];
  }

  private async commitOnly(going: NewDelivery[], sends: NewDelivery[]): Promise<Decided[]> {
    const decided = new Map<NewDelivery, Decided>();
    try {
      const results = going.length > 0 ? await this.commit(going, this.options.db) : [];
      for (const [i, result] of results.entries()) decided.set(going[i] as NewDelivery, result);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
    return sends.map((send) => decided.get(send) ?? this.waitApart(send));
  }

  /** Returns the sends whose endpoint and month are not locked now, and whose endpoint no other send waits for. */
  private async unlocked(sends: NewDelivery[]): Promise<NewDelivery[]> {
    const { db, clock } = this.options;
    const endpoints = [...new Set(sends.map(({ endpointId }) => endpointId))];
    const accounts = [...new Set(sends.map(({ accountId }) => accountId))];
    const month = periodOf(clock.now());
    const locked = await db.run((sql) => readLocked(sql, endpoints, accounts, month)).catch(unlessLocked);
    // A whole table is locked, as by a migration: no send can go.
    if (locked === null) return [];
    return sends.filter(
      ({ accountId, endpointId }) =>
        !locked.has(endpointId) && !locked.has(accountId) && !this.locked.has(endpointId),
    );
  }

  private async commit(sends: NewDelivery[], db: Database): Promise<Decided[]> {
    const decisions = await this.decide(sends, db);
    for (const [i, send] of sends.entries()) this.publish(send, decisions[i]);
    const unanswered = sends.filter((send, i) => send.idempotency && mayRepeat(decisions[i]));
    const taken = await settleTaken(this.options.db, unanswered, findTakenSends, replayOf);
    return decisions.map((decision, i) => taken.get(sends[i] as NewDelivery) ?? resultOf(decision));
  }

  private async decide(sends: NewDelivery[], db: Database): Promise<SendDecision[]> {
    try {
      return await this.sendCommit.run(sends, db);
    } catch (error) {
      // A timeout of a commit that waits for locks does not show that Postgres was lost. `onLost` reports a loss.
      if (error instanceof DatabaseUnavailable && db !== this.options.patient) this.sendCommit.forgetAll();
      throw error;
    }
  }

  private publish(send: NewDelivery, decision: SendDecision | undefined): void {
    if (decision?.kind !== "accepted") return;
    for (const hint of hintsOf(send, decision.rows)) this.options.onAccepted(hint);
  }
}

/** Returns null for a lock that was not granted in time. Throws any other error. */
function unlessLocked(error: unknown): null {
  if (isLockTimeout(error)) return null;
  throw error;
}

/** Returns the sends to endpoints that no send with a key goes to. */
function withoutKeys(sends: NewDelivery[]): NewDelivery[] {
  const keyed = new Set(sends.flatMap(({ idempotency, endpointId }) => (idempotency ? [endpointId] : [])));
  return sends.filter(({ endpointId }) => !keyed.has(endpointId));
}

function keyOf(send: NewDelivery): string {
  return `${send.accountId}/${send.idempotency?.key}`;
}

function resultOf(decision: SendDecision): SendResult {
  switch (decision.kind) {
    case "accepted":
      // A send goes to one endpoint.
      return { kind: "accepted", delivery: decision.rows[0] as Accepted };
    case "refused":
      return { kind: decision.refusal };
    case "over_monthly_limit":
      return decision;
    // A key that was taken and is free by now.
    default:
      return { kind: "unknown_endpoint" };
  }
}

/** True if a send may repeat an earlier one, from before its endpoint was deleted or became a feed's. */
function mayRepeat(decision: SendDecision | undefined): boolean {
  return decision?.kind === "taken" || decision?.kind === "refused";
}

function replayOf(delivery: Accepted | null): SendResult {
  return delivery ? { kind: "replayed", delivery } : { kind: "key_conflict" };
}

/** Endpoints that another transaction has locked, and for which sends wait separately. */
class LockedEndpoints {
  /** How many sends wait for each endpoint. */
  private readonly waiting = new Map<EndpointId, number>();

  get isEmpty(): boolean {
    return this.waiting.size === 0;
  }

  has(id: EndpointId): boolean {
    return this.waiting.has(id);
  }

  /** Counts a send that waits for an endpoint while `work` runs. */
  async during<T>(id: EndpointId, work: () => Promise<T>): Promise<T> {
    this.waiting.set(id, (this.waiting.get(id) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.waiting.get(id) ?? 0) - 1;
      if (left > 0) this.waiting.set(id, left);
      else this.waiting.delete(id);
    }
  }
}

/** Reads which endpoints, and which accounts' months, another transaction has locked at this moment. */
async function readLocked(
  sql: Sql,
  endpoints: readonly EndpointId[],
  accounts: readonly AccountId[],
  period: string,
): Promise<Set<EndpointId | AccountId>> {
  const rows = await sql<{ id: EndpointId | AccountId }[]>`
    with free_mailboxes as materialized (
      select endpoint_id from mailboxes where endpoint_id = any(${arrayOf(endpoints)}::uuid[]) for update skip locked
    ),
    free_months as materialized (
      select account_id from usage
      where account_id = any(${arrayOf(accounts)}::uuid[]) and period = ${period}::date and shard = 0
      for update skip locked
    )
    select m.endpoint_id as id from mailboxes m
    where m.endpoint_id = any(${arrayOf(endpoints)}::uuid[])
      and not exists (select from free_mailboxes f where f.endpoint_id = m.endpoint_id)
    union all
    select u.account_id from usage u
    where u.account_id = any(${arrayOf(accounts)}::uuid[]) and u.period = ${period}::date and u.shard = 0
      and not exists (select from free_months f where f.account_id = u.account_id)
  `;
  return new Set(rows.map(({ id }) => id));
}
