import { type Database, DatabaseUnavailable } from "../../db/database";
import { isLockTimeout } from "../../db/pool";
import { type EndpointId, newId } from "../../domain/ids";
import { periodOf } from "../../domain/period";
import type { Clock } from "../../runtime/clock";
import { Batcher } from "../../runtime/queues/batcher";
import { KeyedMutex } from "../../runtime/queues/keyed-mutex";
import type { DeliveryMessage } from "../../stream/message";
import { findTakenSends, settleTaken } from "../taken-keys";
import type { UsageShard } from "../usage-shard";
import { LockedEndpoints, readLocked } from "./locked-endpoints";
import type { AcceptedDelivery, Intake, NumberedSend, Send, SendResult } from "./send";
import { SendCommit, type SendRow } from "./send-commit";
import { ClientGone } from "./sending-request";

/** Sends in one commit. */
export const MAX_SENDS = 500;
/** Payload characters in one commit, and in the whole queue. */
const MAX_BATCH_CHARACTERS = 8 * 1_048_576;
const MAX_QUEUED_CHARACTERS = 256 * 1_048_576;

/** What every intake is made of. */
export type IntakeOptions = {
  db: Database;
  clock: Clock;
  /** Where it counts; no two intakes of a process should have the same. */
  shard: UsageShard;
  /** Sends that may wait for a commit. */
  maxQueued: number;
  /** Told of every delivery to dispatch, after its commit. */
  onAccepted(partition: number, message: DeliveryMessage): void;
};

/** `db` has one connection of depth 2 (see `SendCommit`), and gives up waiting for a lock after a while (`lock_timeout`). */
export type GroupCommitOptions = IntakeOptions & {
  /** One connection that waits for locks as long as it takes. */
  patient: Database;
  /**
   * Commits under way at once: 1, or 2 so that the next one is already with Postgres when one ends. Two make commits half as
   * large, and accept more where a process only accepts. Where it delivers too, they take that time from the deliveries. On two
   * connections both would begin, and the second would wait for the first one's locks and look at every row again
   * (EvalPlanQual): measured, half as much again a send.
   */
  commitsAtOnce: 1 | 2;
};

/** What becomes of a send in a commit; a promise when that is settled by itself. */
type Decided = SendResult | Promise<SendResult>;

/**
 * Commits sends, all that arrive during a commit together in the next one. Where a commit waits for a lock, such as that of an
 * endpoint that a large event goes to, the sends that need the lock wait apart, and so do later sends to the same endpoints; all
 * others go on.
 */
export class GroupCommit implements Intake {
  private readonly batcher: Batcher<NumberedSend, SendResult>;
  private readonly sendCommit: SendCommit;
  private readonly patientBatcher: Batcher<NumberedSend, SendResult>;
  private readonly patientCommit: SendCommit;
  /** Requests with the same key go one after the other: the second then finds the key taken. */
  private readonly keys = new KeyedMutex();
  private readonly locked = new LockedEndpoints();

  constructor(private readonly options: GroupCommitOptions) {
    this.sendCommit = new SendCommit(options);
    this.patientCommit = new SendCommit({ ...options, db: options.patient });
    const bounds = {
      // A statement that Postgres refuses must not take the others in its batch down with it.
      mayBeOneItem: (error: unknown) => !(error instanceof DatabaseUnavailable),
      weigh: (send: NumberedSend) => send.data.length,
      ownerOf: (send: NumberedSend) => send.accountId,
      cancelled: ({ request }: NumberedSend) => (request?.isGone ? new ClientGone() : null),
      maxItems: MAX_SENDS,
      maxWeight: MAX_BATCH_CHARACTERS,
      maxQueued: options.maxQueued,
      maxQueuedWeight: MAX_QUEUED_CHARACTERS,
    };
    this.patientBatcher = new Batcher({
      ...bounds,
      run: (sends) => this.commit(sends, this.patientCommit),
      maxRunning: 1,
    });
    this.batcher = new Batcher({
      ...bounds,
      run: (sends) => this.commitUnlocked(sends),
      maxRunning: options.commitsAtOnce,
      inTurn: { patience: null },
    });
  }

  accept(send: Send): Promise<SendResult> {
    const numbered: NumberedSend = { ...send, id: send.deliveryId ?? newId("wh", send.hops) };
    if (!send.idempotency) return this.submit(numbered);
    return this.keys.run(keyOf(send), () => this.submit(numbered));
  }

  /** Sends that wait for a commit, or for a lock before it. */
  get queued(): number {
    return this.batcher.queued + this.patientBatcher.queued;
  }

  /** To be told of changes to endpoints, as far as they are heard of. */
  endpointChanged(id: EndpointId): void {
    this.sendCommit.endpointChanged(id);
    this.patientCommit.endpointChanged(id);
  }

  /** Resolves once every send taken has its answer. */
  async drained(): Promise<void> {
    await this.batcher.drained();
    await this.patientBatcher.drained();
  }

  private submit(send: NumberedSend): Promise<SendResult> {
    return this.locked.has(send.endpointId) ? this.waitApart(send) : this.batcher.submit(send);
  }

  private waitApart(send: NumberedSend): Promise<SendResult> {
    return this.locked.during(send.endpointId, () => this.patientBatcher.submit(send));
  }

  /** Commits what no lock holds up. While any send waits apart, each commit first looks which locks are taken. */
  private async commitUnlocked(sends: NumberedSend[]): Promise<Decided[]> {
    if (!this.locked.isEmpty) return this.commitOnly(await this.unlocked(sends), sends);
    try {
      return await this.commit(sends, this.sendCommit);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
    return this.commitOnly(await this.unaffected(sends), sends);
  }

  /** The sends that don't need the lock that all of them have just waited for in vain, as far as can be seen. */
  private async unaffected(sends: NumberedSend[]): Promise<NumberedSend[]> {
    const unlocked = await this.unlocked(sends);
    if (unlocked.length < sends.length) return unlocked;
    // It is no endpoint's and no month's, so it is a key's: a request of another kind has taken it and not committed yet.
    const keyless = withoutKeys(sends);
    return keyless.length < sends.length ? keyless : [];
  }

  private async commitOnly(going: NumberedSend[], sends: NumberedSend[]): Promise<Decided[]> {
    const decided = new Map<NumberedSend, Decided>();
    try {
      const results = going.length > 0 ? await this.commit(going, this.sendCommit) : [];
      for (const [i, result] of results.entries()) decided.set(going[i] as NumberedSend, result);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
    return sends.map((send) => decided.get(send) ?? this.waitApart(send));
  }

  /** The sends whose endpoint and month nobody has locked at this moment, and whose endpoint no other send waits for apart. */
  private async unlocked(sends: NumberedSend[]): Promise<NumberedSend[]> {
    const { db, clock } = this.options;
    const endpoints = [...new Set(sends.map(({ endpointId }) => endpointId))];
    const accounts = [...new Set(sends.map(({ accountId }) => accountId))];
    const locked = await db.run((sql) => readLocked(sql, endpoints, accounts, periodOf(clock.now())));
    return sends.filter(
      ({ accountId, endpointId }) =>
        !locked.has(endpointId) && !locked.has(accountId) && !this.locked.has(endpointId),
    );
  }

  private async commit(sends: NumberedSend[], sendCommit: SendCommit): Promise<Decided[]> {
    const rows = await sendCommit.run(sends);
    this.publish(sends, rows);
    const untold = sends.filter((send, i) => send.idempotency && rows[i] === null);
    const taken = await settleTaken(this.options.db, untold, findTakenSends, replayOf);
    return sends.map((send, i) => taken.get(send) ?? resultOf(send, rows[i] ?? null));
  }

  private publish(sends: NumberedSend[], rows: SendRow[]): void {
    sends.forEach(({ id, accountId, endpointId, event, orderingKey, data }, i) => {
      const row = rows[i];
      if (row?.verdict !== "accepted" || row.sequence === null) return;
      const { partition, sequence, revision } = row;
      const delivery = { id, accountId, endpointId, sequence, event, orderingKey, eventExternalId: null };
      this.options.onAccepted(partition, { ...delivery, revision, data });
    });
  }
}

/** Those to endpoints that none with a key goes to. */
function withoutKeys(sends: NumberedSend[]): NumberedSend[] {
  const keyed = new Set(sends.flatMap(({ idempotency, endpointId }) => (idempotency ? [endpointId] : [])));
  return sends.filter(({ endpointId }) => !keyed.has(endpointId));
}

function keyOf(send: Send): string {
  return `${send.accountId}/${send.idempotency?.key}`;
}

function resultOf(send: NumberedSend, row: SendRow): SendResult {
  if (row?.verdict === "accepted") {
    const { id, endpointId, event, orderingKey } = send;
    return { kind: "accepted", delivery: { id, endpointId, event, orderingKey, sequence: row.sequence } };
  }
  if (row) return { kind: "over_monthly_limit", limit: row.monthlyLimit };
  return { kind: "unknown_endpoint" };
}

function replayOf(delivery: AcceptedDelivery | null): SendResult {
  return delivery ? { kind: "replayed", delivery } : { kind: "key_conflict" };
}
