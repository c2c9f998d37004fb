import { type Database, DatabaseUnavailable } from "../db/database";
import { isRetryable } from "../db/pool";
import { Batcher } from "../runtime/batcher";
import type { Clock } from "../runtime/clock";
import { type AccountId, newId } from "../runtime/ids";
import type { DeliveryMessage } from "../stream/message";
import {
  type AcceptRow,
  acceptSends,
  ensureUsageRows,
  findTakenKeys,
  type NewEventType,
  type NumberedSend,
  type TakenKey,
} from "./accept";
import type { AcceptedDelivery, Intake, Send, SendResult } from "./send";

/** Sends in one commit. */
const MAX_BATCH = 500;
/**
 * Commits under way at once. A second one would wait for the first one's locks, since busy endpoints are in both, and
 * Postgres would then look at every row again (EvalPlanQual): measured, two cost it half as much again a send.
 */
const MAX_COMMITS = 1;
/** Payload characters in one commit, and in the whole queue. */
const MAX_BATCH_CHARACTERS = 8 * 1_048_576;
const MAX_QUEUED_CHARACTERS = 256 * 1_048_576;
/** Event types remembered as registered; beyond it they are all registered anew, which changes nothing. */
const MAX_KNOWN_EVENT_TYPES = 100_000;
const MAX_TRIES = 5;

export type GroupCommitOptions = {
  database: Database;
  clock: Clock;
  /** Sends that may wait for a commit. */
  maxQueued: number;
  /** Told of every delivery to dispatch, after its commit. */
  onAccepted(partition: number, message: DeliveryMessage): void;
};

/** The intake: sends that arrive while a commit is under way go together in the next one. */
export class GroupCommit implements Intake {
  private readonly batcher: Batcher<NumberedSend, SendResult>;
  private readonly knownEventTypes = new Set<string>();
  private readonly knownUsage = new Set<string>();
  private readonly keysUnderWay = new Map<string, Promise<unknown>>();

  constructor(private readonly options: GroupCommitOptions) {
    this.batcher = new Batcher({
      run: (sends) => this.commit(sends),
      // A statement that Postgres refuses must not take the others in its batch down with it.
      mayBeOneItem: (error) => !(error instanceof DatabaseUnavailable),
      weigh: (send) => send.data.length,
      maxItems: MAX_BATCH,
      maxRunning: MAX_COMMITS,
      maxWeight: MAX_BATCH_CHARACTERS,
      maxQueued: options.maxQueued,
      maxQueuedWeight: MAX_QUEUED_CHARACTERS,
    });
  }

  accept(send: Send): Promise<SendResult> {
    const numbered: NumberedSend = { ...send, id: newId("wh") };
    if (!send.idempotency) return this.batcher.submit(numbered);
    return this.acceptOnce(numbered, `${send.accountId}/${send.idempotency.key}`);
  }

  /** Resolves once every send taken has its answer. */
  drained(): Promise<void> {
    return this.batcher.drained();
  }

  // Twins wait for the first one's commit, then find its key taken.
  private async acceptOnce(send: NumberedSend, key: string): Promise<SendResult> {
    for (let twin = this.keysUnderWay.get(key); twin; twin = this.keysUnderWay.get(key)) {
      await twin.catch(() => {});
    }
    const result = this.batcher.submit(send);
    this.keysUnderWay.set(key, result);
    try {
      return await result;
    } finally {
      this.keysUnderWay.delete(key);
    }
  }

  private async commit(sends: NumberedSend[]): Promise<SendResult[]> {
    const period = monthOf(this.options.clock.now());
    await this.ensureUsage(sends, period);
    const newEventTypes = this.unknownEventTypes(sends);
    const rows = await this.tryUntilNoDeadlock(sends, newEventTypes, period);
    const rowOf = new Map(rows.map((row) => [row.id, row]));
    this.publish(sends, rowOf);
    this.remember(newEventTypes, sends, rowOf);
    const taken = await this.takenKeys(sends, rowOf);
    return sends.map((send) => resultOf(send, rowOf.get(send.id), taken.get(keyOf(send))));
  }

  private async tryUntilNoDeadlock(
    sends: NumberedSend[],
    newEventTypes: NewEventType[],
    period: string,
  ): Promise<AcceptRow[]> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.options.database.run((sql) => acceptSends(sql, sends, newEventTypes, period));
      } catch (error) {
        if (tries >= MAX_TRIES || !isRetryable(error)) throw error;
      }
    }
  }

  private publish(sends: NumberedSend[], rowOf: Map<string, AcceptRow>): void {
    for (const send of sends) {
      const row = rowOf.get(send.id);
      if (!row?.accepted || row.sequence === null) continue;
      const { id, accountId, endpointId, event, data } = send;
      const { sequence, revision } = row;
      this.options.onAccepted(row.partition, { id, accountId, endpointId, sequence, event, revision, data });
    }
  }

  private async ensureUsage(sends: NumberedSend[], period: string): Promise<void> {
    const missing = new Set<AccountId>();
    for (const { accountId } of sends) {
      if (!this.knownUsage.has(`${accountId}/${period}`)) missing.add(accountId);
    }
    if (missing.size === 0) return;
    await this.options.database.run((sql) => ensureUsageRows(sql, [...missing], period));
    if (this.knownUsage.size > MAX_KNOWN_EVENT_TYPES) this.knownUsage.clear();
    for (const accountId of missing) this.knownUsage.add(`${accountId}/${period}`);
  }

  private unknownEventTypes(sends: NumberedSend[]): NewEventType[] {
    const found = new Map<string, NewEventType>();
    for (const { accountId, event } of sends) {
      if (event === null) continue;
      const name = `${accountId}/${event}`;
      if (!this.knownEventTypes.has(name)) found.set(name, { accountId, name: event });
    }
    return [...found.values()];
  }

  private remember(types: NewEventType[], sends: NumberedSend[], rowOf: Map<string, AcceptRow>): void {
    if (types.length === 0) return;
    if (this.knownEventTypes.size > MAX_KNOWN_EVENT_TYPES) this.knownEventTypes.clear();
    for (const { id, accountId, event } of sends) {
      if (rowOf.get(id)?.accepted) this.knownEventTypes.add(`${accountId}/${event}`);
    }
  }

  private async takenKeys(
    sends: NumberedSend[],
    rowOf: Map<string, AcceptRow>,
  ): Promise<Map<string, TakenKey>> {
    const refused = sends.filter((send) => send.idempotency && !rowOf.get(send.id)?.accepted);
    if (refused.length === 0) return new Map();
    const taken = await this.options.database.run((sql) => findTakenKeys(sql, refused));
    return new Map(taken.map((each) => [`${each.accountId}/${each.key}`, each]));
  }
}

function keyOf(send: Send): string {
  return `${send.accountId}/${send.idempotency?.key}`;
}

function resultOf(send: NumberedSend, row: AcceptRow | undefined, taken: TakenKey | undefined): SendResult {
  if (row?.accepted) {
    const { id, endpointId, event } = send;
    return { kind: "accepted", delivery: { id, endpointId, event, sequence: row.sequence } };
  }
  if (taken) return replayOf(send, taken);
  if (row) return { kind: "over_monthly_limit", limit: row.monthlyLimit ?? 0 };
  return { kind: "unknown_endpoint" };
}

function replayOf(send: NumberedSend, taken: TakenKey): SendResult {
  const same =
    send.idempotency !== null && Buffer.from(taken.fingerprint).equals(send.idempotency.fingerprint);
  const delivery = deliveryOf(taken);
  return same && delivery ? { kind: "replayed", delivery } : { kind: "key_conflict" };
}

function deliveryOf(taken: TakenKey): AcceptedDelivery | null {
  const { deliveryId, endpointId, event, sequence } = taken;
  return deliveryId && endpointId ? { id: deliveryId, endpointId, event, sequence } : null;
}

/** The first day of the calendar month (UTC), as Postgres takes a date. */
export function monthOf(now: number): string {
  return `${new Date(now).toISOString().slice(0, 7)}-01`;
}
