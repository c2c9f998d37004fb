import { LOCKS, waitForLock } from "../db/advisory-locks";
import type { Sql, TransactionSql } from "../db/pool";
import type { AccountId } from "../domain/ids";
import { type ChannelNames, channelOf } from "../domain/move-channel";
import { adoption } from "../retention/plan";
import { readTimeRanges, rebuild } from "../retention/range-tables";
import type { TimeRange } from "../retention/time-range";
import { type CarriedTable, carriedTables } from "./account-tables";
import { purgeFollowed } from "./purge";
import type { SlotState } from "./source";
import { isSubscribed } from "./subscription";

/** How far the copy is: the tables that are copied and followed, of all. */
export type CopyProgress = Readonly<{ ready: number; all: number }>;

/** The cell to which an account moves. Every method may be repeated, and a process that dies leaves each done or undone. */
export class MoveDestination {
  private readonly names: ChannelNames;
  private readonly tables: readonly CarriedTable[];

  constructor(
    private readonly sql: Sql,
    private readonly id: AccountId,
  ) {
    this.names = channelOf(id);
    this.tables = carriedTables(this.names);
  }

  async hasAccount(): Promise<boolean> {
    return (await this.sql`select from accounts where id = ${this.id}`).length > 0;
  }

  /** True while another move takes the account away from here. */
  async isLeft(): Promise<boolean> {
    const found = await this.sql`
      select from accounts a join moves m on m.account_id = a.id where a.id = ${this.id}
    `;
    return found.length > 0;
  }

  async hasPlan(name: string): Promise<boolean> {
    return (await this.sql`select from plans where name = ${name}`).length > 0;
  }

  async hasExternalId(externalId: string): Promise<boolean> {
    return (await this.sql`select from accounts where external_id = ${externalId}`).length > 0;
  }

  /**
   * Begins the move: stops retention, makes the time ranges of the source, so that rows expire here as there, and removes what a
   * broken move, or the account when it lived here, may have left. Throws if the tables stay in use, see `rebuild`.
   */
  async begin(
    deadlineMs: number,
    subjects: readonly string[],
    rangesOfSource: readonly TimeRange[],
  ): Promise<void> {
    await this.sql.begin(async (transaction) => {
      const sql = transaction as TransactionSql;
      await waitForLock(sql, LOCKS.retention);
      const ranges = await readTimeRanges(sql);
      const [first] = ranges;
      const plan = first ? adoption(first.range, rangesOfSource) : null;
      if (plan) await rebuild(sql, ranges, plan, "move");
      await sql`insert into moves (account_id, deadline) values (${this.id}, now() + ${deadlineMs}::float8 * interval '1 millisecond')
        on conflict (account_id) do update set deadline = excluded.deadline`;
    });
    if (!(await this.isSubscribed())) await this.purge(subjects);
  }

  /** Subscribes to what the source publishes. `sourceUrl`: the source as this Postgres reaches it. */
  async subscribe(sourceUrl: string): Promise<void> {
    if (await this.isSubscribed()) return;
    const { changes, records, slot } = this.names;
    await this.sql.unsafe(
      `create subscription "${slot}" connection ${literal(sourceUrl)} publication "${changes}", "${records}"
      with (create_slot = false, slot_name = '${slot}', streaming = off, synchronous_commit = on)`,
    );
  }

  /** Ends the subscription, and with it the source's slot, if that is there. */
  async unsubscribe(slot: SlotState): Promise<void> {
    if (!(await this.isSubscribed())) return;
    const { sql, names } = this;
    await sql.unsafe(`alter subscription "${names.slot}" disable`);
    if (slot === "missing") await sql.unsafe(`alter subscription "${names.slot}" set (slot_name = none)`);
    await sql.unsafe(`drop subscription "${names.slot}"`);
  }

  async progress(): Promise<CopyProgress> {
    const [row] = await this.sql<CopyProgress[]>`
      select count(*) filter (where r.srsubstate = 'r')::integer as ready, count(*)::integer as all
      from pg_subscription s join pg_subscription_rel r on r.srsubid = s.oid where s.subname = ${this.names.slot}
    `;
    return row ?? { ready: 0, all: 0 };
  }

  /** True once everything that the account had is here: rows arrive in the order of their commits, behind the copy. */
  async hasAll(): Promise<boolean> {
    const { ready, all } = await this.progress();
    const last = await this.sql`select from moved_rows where account_id = ${this.id} and "table" = ''`;
    return last.length > 0 && ready === all && all > 0;
  }

  /** Puts the account in place, in one transaction. */
  async arrive(): Promise<void> {
    await this.sql.begin(async (transaction) => {
      const sql = transaction as TransactionSql;
      for (const table of this.tables.toReversed()) await this.fill(sql, table);
      await this.fill(sql, TALLIES);
      // A hold of the source is over. Pages that a receiver had before its endpoint was pushed may still be in flight.
      await sql`
        update endpoints e set switched_until = (
          select max(p.ends_at) from pulls p where p.endpoint_id = e.id and p.ends_at > now()
        )
        where e.account_id = ${this.id} and e.url is not null and e.switched_until is not null
      `;
      // Counts of expired time ranges begin again, with the account's rows.
      await sql`delete from retention_counts`;
      await sql`delete from retention_progress`;
      await sql`delete from moved_rows where account_id = ${this.id}`;
      await sql`delete from moves where account_id = ${this.id}`;
    });
  }

  /**
   * Deletes all rows of an account that is not here. Beside what was copied, requests that ended once it had left a cell may have
   * written some, which it would meet when it comes back. Their entries of the audit log stay: these it lacks.
   */
  async purge(subjects: readonly string[]): Promise<void> {
    const { sql, id } = this;
    await purgeFollowed(sql, id, subjects);
    for (const { name, isOwned } of this.tables)
      if (name !== "audit_log") await sql.unsafe(`delete from "${name}" t where ${isOwned}`, [id]);
    await sql`delete from moved_rows where account_id = ${id}`;
  }

  /** Ends a move that was given up. Retention goes on. */
  async end(): Promise<void> {
    await this.sql`delete from moves where account_id = ${this.id}`;
  }

  private isSubscribed(): Promise<boolean> {
    return isSubscribed(this.sql, this.names.slot);
  }

  private async fill(sql: TransactionSql, { name, columns, arrives, order }: FilledTable): Promise<void> {
    const values = columns.map((column) => arrives[column] ?? `r."${column}"`);
    await sql.unsafe(
      `insert into "${name}" (${columns.map((column) => `"${column}"`).join(", ")})
      select ${values.join(", ")}
      from moved_rows m cross join lateral json_populate_recordset(null::"${name}", m."rows") r
      where m.account_id = $1 and m."table" = '${name}' ${order === null ? "" : `order by r."${order}"`}`,
      [this.id],
    );
  }
}

type FilledTable = Pick<CarriedTable, "name" | "columns" | "arrives" | "order">;

const TALLIES: FilledTable = {
  name: "tallies",
  columns: ["at", "endpoint_ids", "codes", "counts"],
  arrives: {},
  order: null,
};

/** Quotes a text for a statement that takes no parameters. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
