import { type Database, DatabaseUnavailable } from "../db/database";
import { untilNoDeadlock } from "../db/deadlock";
import { Batcher } from "../runtime/batcher";
import type { Clock } from "../runtime/clock";
import { newId } from "../runtime/ids";
import type { DeliveryMessage } from "../stream/message";
import {
  type AcceptRow,
  acceptSends,
  findTakenKeys,
  type NewEventType,
  type NumberedSend,
  type TakenKey,
} from "./accept";
import type { Metering } from "./acceptance";
import { Known, monthOf } from "./known";
import type { AcceptedDelivery, Intake, Send, SendResult } from "./send";
import type { Slot } from "./slot";
import { Twins } from "./twins";

/** Sends in one commit. */
const MAX_BATCH = 500;
/**
 * Commits under way at once: one that Postgres carries out, and the next that it has at hand. On two connections it would
 * begin both, and the second would wait for the first one's locks, since busy endpoints are in both, and look at every
 * row again (EvalPlanQual): measured, that costs half as much again a send.
 */
const MAX_COMMITS = 2;
/** Payload characters in one commit, and in the whole queue. */
const MAX_BATCH_CHARACTERS = 8 * 1_048_576;
const MAX_QUEUED_CHARACTERS = 256 * 1_048_576;

export type GroupCommitOptions = {
  /** Best one connection of depth 2, see `MAX_COMMITS`. */
  database: Database;
  clock: Clock;
  /** Where it counts; no two intakes of a process should have the same. */
  slot: Slot;
  /** Sends that may wait for a commit. */
  maxQueued: number;
  /** Told of every delivery to dispatch, after its commit. */
  onAccepted(partition: number, message: DeliveryMessage): void;
};

type SendRow = Exclude<AcceptRow, { verdict: "has_limit" }>;

/** The intake: sends that arrive while a commit is under way go together in the next one. */
export class GroupCommit implements Intake {
  private readonly batcher: Batcher<NumberedSend, SendResult>;
  private readonly known: Known;
  private readonly twins = new Twins();

  constructor(private readonly options: GroupCommitOptions) {
    this.known = new Known(options.database);
    this.batcher = new Batcher({
      run: (sends) => this.commit(sends),
      // A statement that Postgres refuses must not take the others in its batch down with it.
      mayBeOneItem: (error) => !(error instanceof DatabaseUnavailable),
      weigh: (send) => send.data.length,
      maxItems: MAX_BATCH,
      maxRunning: MAX_COMMITS,
      inTurn: true,
      maxWeight: MAX_BATCH_CHARACTERS,
      maxQueued: options.maxQueued,
      maxQueuedWeight: MAX_QUEUED_CHARACTERS,
    });
  }

  accept(send: Send): Promise<SendResult> {
    const numbered: NumberedSend = { ...send, id: newId("wh") };
    if (!send.idempotency) return this.batcher.submit(numbered);
    return this.twins.inTurn(keyOf(send), () => this.batcher.submit(numbered));
  }

  /** Resolves once every send taken has its answer. */
  drained(): Promise<void> {
    return this.batcher.drained();
  }

  private async commit(sends: NumberedSend[]): Promise<SendResult[]> {
    const newEventTypes = this.known.newEventTypes(sends);
    const rows = await this.insert(sends, newEventTypes);
    const rowOf = new Map(rows.map((row) => [row.id, row]));
    this.publish(sends, rowOf);
    if (newEventTypes.length > 0)
      this.known.remember(sends.filter(({ id }) => rowOf.get(id)?.verdict === "accepted"));
    const taken = await this.takenKeys(sends, rowOf);
    return sends.map((send) => resultOf(send, rowOf.get(send.id), taken.get(keyOf(send))));
  }

  private async insert(sends: NumberedSend[], newEventTypes: NewEventType[]): Promise<SendRow[]> {
    const meter = { period: monthOf(this.options.clock.now()), slot: this.options.slot };
    const insertAs = (metering: Metering) =>
      untilNoDeadlock(() =>
        this.options.database.run((sql) => acceptSends(sql, sends, { newEventTypes, meter, metering })),
      );
    if (this.known.meteringOf(sends) === "counted") {
      const rows = await insertAs("counted");
      const limited = rows.filter((row) => row.verdict === "has_limit");
      if (limited.length === 0) return rows.filter(isOfSend);
      // Nothing was accepted.
      for (const { id } of limited) this.known.setLimited(id, true);
    }
    await this.known.ensureUsage(sends, meter);
    const rows = (await insertAs("held")).filter(isOfSend);
    this.forgetLimits(sends, rows);
    return rows;
  }

  private forgetLimits(sends: NumberedSend[], rows: SendRow[]): void {
    const unlimited = new Set(rows.flatMap(({ id, monthlyLimit }) => (monthlyLimit === null ? [id] : [])));
    for (const { id, accountId } of sends) if (unlimited.has(id)) this.known.setLimited(accountId, false);
  }

  private publish(sends: NumberedSend[], rowOf: Map<string, SendRow>): void {
    for (const send of sends) {
      const row = rowOf.get(send.id);
      if (row?.verdict !== "accepted" || row.sequence === null) continue;
      const { id, accountId, endpointId, event, data } = send;
      const { sequence, revision } = row;
      this.options.onAccepted(row.partition, { id, accountId, endpointId, sequence, event, revision, data });
    }
  }

  private async takenKeys(
    sends: NumberedSend[],
    rowOf: Map<string, SendRow>,
  ): Promise<Map<string, TakenKey>> {
    const refused = sends.filter((send) => send.idempotency && rowOf.get(send.id)?.verdict !== "accepted");
    if (refused.length === 0) return new Map();
    const taken = await this.options.database.run((sql) => findTakenKeys(sql, refused));
    return new Map(taken.map((each) => [`${each.accountId}/${each.key}`, each]));
  }
}

function keyOf(send: Send): string {
  return `${send.accountId}/${send.idempotency?.key}`;
}

function isOfSend(row: AcceptRow): row is SendRow {
  return row.verdict !== "has_limit";
}

function resultOf(send: NumberedSend, row: SendRow | undefined, taken: TakenKey | undefined): SendResult {
  if (row?.verdict === "accepted") {
    const { id, endpointId, event } = send;
    return { kind: "accepted", delivery: { id, endpointId, event, sequence: row.sequence } };
  }
  if (taken) return replayOf(send, taken);
  if (row) return { kind: "over_monthly_limit", limit: row.monthlyLimit };
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
