import { type Database, DatabaseUnavailable } from "../db/database";
import { untilNoDeadlock } from "../db/deadlock";
import type { Clock } from "../runtime/clock";
import type { EndpointId } from "../runtime/ids";
import { acceptDraft } from "./accept-draft";
import { type AcceptedRow, type AcceptRow, acceptSends, type NumberedSend } from "./accept-sends";
import { type Meter, type Metering, meterAt } from "./acceptance";
import { draftOf } from "./draft";
import { Known } from "./known";
import { type KnownEndpoint, KnownEndpoints } from "./known-endpoints";
import type { NewEventType } from "./new-event-types";
import type { Slot } from "./slot";

export type SendCommitOptions = {
  /** One connection: what two statements say in a row is relied on (see `KnownEndpoints`). */
  db: Database;
  clock: Clock;
  /** Where it counts. */
  slot: Slot;
};

type FoundRow = Exclude<AcceptRow, { verdict: "has_limit" }>;
export type SendRow = AcceptedRow | FoundRow;

/**
 * One commit of many sends: as a draft, if what this process knows lets it foretell what becomes of them, and in the
 * statement that finds out otherwise, or when the draft was wrong.
 */
export class SendCommit {
  private readonly known: Known;
  private readonly endpoints = new KnownEndpoints();

  constructor(private readonly options: SendCommitOptions) {
    this.known = new Known(options.db);
    options.db.onLost(() => this.endpoints.forgetAll());
  }

  /** In the order of the sends. Of one without a row nothing was written: its endpoint is unknown or its key taken. */
  async run(sends: NumberedSend[]): Promise<(SendRow | null)[]> {
    const meter = meterAt(this.options.clock.now(), this.options.slot);
    const newEventTypes = this.known.newEventTypes(sends);
    try {
      const drafted = newEventTypes.length === 0 ? await this.insertDraft(sends, meter) : null;
      return drafted ?? (await this.findOut(sends, newEventTypes, meter));
    } catch (error) {
      if (error instanceof DatabaseUnavailable) {
        this.endpoints.forgetAll();
        this.known.forgetAll();
      }
      throw error;
    }
  }

  /** Spares a draft that would be wrong, which Postgres would log as an error; it would be noticed all the same. */
  endpointChanged(id: EndpointId): void {
    this.endpoints.forget(id);
  }

  private async findOut(
    sends: NumberedSend[],
    newEventTypes: NewEventType[],
    meter: Meter,
  ): Promise<(FoundRow | null)[]> {
    const found = await this.insertAny(sends, newEventTypes, meter);
    const rowOf = new Map(found.map((row) => [row.id, row]));
    const rows = sends.map(({ id }) => rowOf.get(id) ?? null);
    this.learn(sends, rows);
    return rows;
  }

  private async insertDraft(sends: NumberedSend[], meter: Meter): Promise<AcceptedRow[] | null> {
    if (this.known.meteringOf(sends) === "held") return null;
    const draft = draftOf(sends, (id) => this.endpoints.get(id));
    if (!draft) return null;
    return untilNoDeadlock(() => this.options.db.run((sql) => acceptDraft(sql, draft, meter)));
  }

  private async insertAny(
    sends: NumberedSend[],
    newEventTypes: NewEventType[],
    meter: Meter,
  ): Promise<FoundRow[]> {
    const insertAs = (metering: Metering) =>
      untilNoDeadlock(() =>
        this.options.db.run((sql) => acceptSends(sql, sends, { newEventTypes, meter, metering })),
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

  private forgetLimits(sends: NumberedSend[], rows: FoundRow[]): void {
    const unlimited = new Set(rows.flatMap(({ id, monthlyLimit }) => (monthlyLimit === null ? [id] : [])));
    for (const { id, accountId } of sends) if (unlimited.has(id)) this.known.setLimited(accountId, false);
  }

  private learn(sends: NumberedSend[], rows: (FoundRow | null)[]): void {
    const accepted: NumberedSend[] = [];
    const found = new Map<EndpointId, { endpoint: KnownEndpoint; isSettled: boolean }>();
    sends.forEach((send, i) => {
      const { accountId, endpointId } = send;
      const row = rows[i] ?? null;
      if (row?.verdict === "accepted") {
        const { partition, filterRevision, filter, isSettled } = row;
        found.set(endpointId, { endpoint: { accountId, partition, filterRevision, filter }, isSettled });
        accepted.push(send);
      } else if (row === null && send.idempotency === null) this.endpoints.forgetOf(accountId, endpointId);
    });
    this.known.remember(accepted);
    // Once for each, however many went to it: what one statement says is of one moment.
    for (const [id, { endpoint, isSettled }] of found) this.endpoints.learn(id, endpoint, isSettled);
  }
}

function isOfSend(row: AcceptRow): row is FoundRow {
  return row.verdict !== "has_limit";
}
