import { type Database, DatabaseUnavailable } from "../db/database";
import { Batcher } from "../runtime/batcher";
import type { Clock } from "../runtime/clock";
import { type EndpointId, newId } from "../runtime/ids";
import type { DeliveryMessage } from "../stream/message";
import { findTakenKeys, type NumberedSend, type TakenKey } from "./accept";
import type { AcceptedDelivery, Intake, Send, SendResult } from "./send";
import { SendCommit, type SendRow } from "./send-commit";
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
/**
 * How long a commit waits to be nearly as large as the one before while the cores are contended. The same clients send again
 * as soon as they have their answers, and would be spread over twice as many commits.
 */
const GATHER_MS = 3;

/** What every intake is made of. */
export type IntakeOptions = {
  database: Database;
  clock: Clock;
  /** Where it counts; no two intakes of a process should have the same. */
  slot: Slot;
  /** Sends that may wait for a commit. */
  maxQueued: number;
  /** Told of every delivery to dispatch, after its commit. */
  onAccepted(partition: number, message: DeliveryMessage): void;
};

/** The database is one connection (see `SendCommit`), best of depth 2 (see `MAX_COMMITS`). */
export type GroupCommitOptions = IntakeOptions & {
  /** Whether there is more work than cores: then commits follow each other, and are rather late than small. */
  isContended(): boolean;
};

/** The intake: sends that arrive while a commit is under way go together in the next one. */
export class GroupCommit implements Intake {
  private readonly batcher: Batcher<NumberedSend, SendResult>;
  private readonly sendCommit: SendCommit;
  private readonly twins = new Twins();

  constructor(private readonly options: GroupCommitOptions) {
    this.sendCommit = new SendCommit(options);
    this.batcher = new Batcher({
      run: (sends) => this.commit(sends),
      // A statement that Postgres refuses must not take the others in its batch down with it.
      mayBeOneItem: (error) => !(error instanceof DatabaseUnavailable),
      weigh: (send) => send.data.length,
      maxItems: MAX_BATCH,
      maxRunning: MAX_COMMITS,
      inTurn: true,
      gathering: { isOn: options.isContended, ms: GATHER_MS, clock: options.clock },
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

  /** To be told of changes to endpoints, as far as they are heard of. */
  endpointChanged(id: EndpointId): void {
    this.sendCommit.endpointChanged(id);
  }

  /** Resolves once every send taken has its answer. */
  drained(): Promise<void> {
    return this.batcher.drained();
  }

  private async commit(sends: NumberedSend[]): Promise<SendResult[]> {
    const rows = await this.sendCommit.run(sends);
    this.publish(sends, rows);
    const taken = await this.takenKeys(sends, rows);
    return sends.map((send, i) =>
      resultOf(send, rows[i] ?? null, send.idempotency ? taken.get(keyOf(send)) : undefined),
    );
  }

  private publish(sends: NumberedSend[], rows: (SendRow | null)[]): void {
    sends.forEach(({ id, accountId, endpointId, event, data }, i) => {
      const row = rows[i];
      if (row?.verdict !== "accepted" || row.sequence === null) return;
      const { partition, sequence, revision } = row;
      this.options.onAccepted(partition, { id, accountId, endpointId, sequence, event, revision, data });
    });
  }

  private async takenKeys(sends: NumberedSend[], rows: (SendRow | null)[]): Promise<Map<string, TakenKey>> {
    const refused = sends.filter((send, i) => send.idempotency && rows[i]?.verdict !== "accepted");
    if (refused.length === 0) return new Map();
    const taken = await this.options.database.run((sql) => findTakenKeys(sql, refused));
    return new Map(taken.map((each) => [`${each.accountId}/${each.key}`, each]));
  }
}

function keyOf(send: Send): string {
  return `${send.accountId}/${send.idempotency?.key}`;
}

function resultOf(send: NumberedSend, row: SendRow | null, taken: TakenKey | undefined): SendResult {
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
