import { getTableName } from "drizzle-orm";
import { doomCopies } from "../cold/blocks";
import type { Thawing } from "../cold/thawing";
import { LOCKS, waitForLock } from "../db/advisory-locks";
import { untilNoDeadlock } from "../db/database";
import type { Sql, TransactionSql } from "../db/pool";
import { AFTER_ALL_IDS, BEFORE_ALL_IDS } from "../deliveries/lists/cursor";
import type { AccountDeparture } from "../domain/account-departure";
import type { AccountId, KeyId } from "../domain/ids";
import { type ChannelNames, channelOf } from "../domain/move-channel";
import { LONGEST_LEASE } from "../ownership/leases";
import { readTimeRanges } from "../retention/range-tables";
import type { TimeRange } from "../retention/time-range";
import { type CarriedTable, carriedTables, FOLLOWED } from "./account-tables";
import { purgeFollowed } from "./purge";
import { isSubscribed } from "./subscription";

/** Rows of a table that one row of `moved_rows` has. */
export const PACKED = 500;
/** Most endpoints whose figures over time are followed. Those of others are taken at the departure. */
export const MOST_SUBJECTS = 5_000;
/** Locks of the loops that move figures from one table to another, in the order in which they are taken. */
const FIGURES = [LOCKS.retention, LOCKS.counterDeltas, LOCKS.tallies];

/** An account as its source has it. */
export type LeavingAccount = Readonly<{
  departure: AccountDeparture | null;
  plan: string;
  externalId: string | null;
  hasFiles: boolean;
}>;

export type SlotState = "missing" | "there" | "lost";

/** The cell that an account leaves. Every method may be repeated, and a process that dies leaves each done or undone. */
export class MoveSource {
  private readonly names: ChannelNames;
  private readonly tables: readonly CarriedTable[];

  constructor(
    private readonly sql: Sql,
    private readonly id: AccountId,
  ) {
    this.names = channelOf(id);
    this.tables = carriedTables(this.names);
  }

  /** Returns null if the account is not here. */
  async find(): Promise<LeavingAccount | null> {
    const [account] = await this.sql<LeavingAccount[]>`
      select departure, plan, external_id as "externalId",
        exists (select from cold_blocks where account_id = ${this.id}) as "hasFiles"
      from accounts where id = ${this.id}
    `;
    return account ?? null;
  }

  /** Returns the keys that end with one of another account: of this account, and of others that this account's keys created. */
  async keysOfTwoAccounts(): Promise<KeyId[]> {
    const keys = await this.sql<{ id: KeyId }[]>`
      select k.id from api_keys k join api_keys maker on maker.id = k.created_by
      where k.account_id <> maker.account_id and ${this.id} in (k.account_id, maker.account_id) order by k.id
    `;
    return keys.map(({ id }) => id);
  }

  /** True if the move by which the account came here has not ended: that one must end first. */
  isArriving(): Promise<boolean> {
    return isSubscribed(this.sql, this.names.slot);
  }

  async timeRanges(): Promise<TimeRange[]> {
    const ranges = await this.transaction(readTimeRanges);
    return ranges.map(({ range }) => range);
  }

  /** Begins the move, and stops retention. Returns how many milliseconds are left for it. */
  async begin(deadlineMs: number): Promise<number> {
    return this.transaction(async (sql) => {
      await waitForLock(sql, LOCKS.retention);
      const [row] = await sql<{ leftMs: number }[]>`
        insert into moves as m (account_id, deadline)
        values (${this.id}, now() + ${deadlineMs}::float8 * interval '1 millisecond')
        on conflict (account_id) do update
          set deadline = case when m.deadline > now() then m.deadline else excluded.deadline end
        returning (extract(epoch from deadline - now()) * 1000)::float8 as "leftMs"
      `;
      return row?.leftMs ?? 0;
    });
  }

  /** Returns the state of the slot, which keeps what the destination has not read: `lost` once Postgres has dropped some of it. */
  async slot(): Promise<SlotState> {
    const [slot] = await this.sql<{ isLost: boolean }[]>`
      select wal_status = 'lost' as "isLost" from pg_replication_slots where slot_name = ${this.names.slot}
    `;
    if (!slot) return "missing";
    return slot.isLost ? "lost" : "there";
  }

  /**
   * Brings the rows of the account's next file back to Postgres, from where they are copied. Resolves to false if none is left.
   * Retention has stopped, so none moves to a file again.
   */
  async restoreFile(thawing: Thawing): Promise<boolean> {
    return this.transaction(async (sql) => {
      const block = await thawing.first(sql, this.id, { first: BEFORE_ALL_IDS, last: AFTER_ALL_IDS });
      if (block === null) await doomCopies(sql, this.id, BEFORE_ALL_IDS);
      else await thawing.restore(sql, block);
      return block !== null;
    });
  }

  /** Publishes the account's rows, and keeps what is written from now on for the subscription. */
  async publish(): Promise<void> {
    const { sql, names } = this;
    const [found] = await sql`select from pg_publication where pubname = ${names.changes}`;
    if (!found) {
      const subjects = (await this.subjects()).slice(0, MOST_SUBJECTS);
      await this.transaction((transaction) => this.createPublications(transaction, subjects));
    }
    if ((await this.slot()) === "missing")
      await sql`select pg_create_logical_replication_slot(${names.slot}, 'pgoutput')`;
  }

  /** Ends the publication. Postgres keeps nothing any more for a subscription that is gone. */
  async unpublish(): Promise<void> {
    const { sql, names } = this;
    await sql`
      select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = ${names.slot} and not active
    `;
    await sql.unsafe(`drop publication if exists "${names.changes}", "${names.records}"`);
  }

  /**
   * Holds the account's deliveries back. Returns after how many milliseconds no attempt at them is under way: every dispatcher has
   * renewed its leases by then, and attempts that had begun have ended. The hold lasts for `forMs` more.
   */
  async hold(attemptTimeoutMs: number, forMs: number): Promise<number> {
    const [held] = await untilNoDeadlock(() =>
      this.transaction(async (sql) => {
        await sql`
          select from mailboxes where endpoint_id in (select id from endpoints where account_id = ${this.id})
          order by endpoint_id for update
        `;
        return sql<{ idleInMs: number }[]>`
          with idle as materialized (
            select greatest(coalesce(max(timeout_ms), 0), ${attemptTimeoutMs}::float8)
              + coalesce((select value::float8 from settings where name = ${LONGEST_LEASE}), 0) as ms
            from endpoints where account_id = ${this.id} and deleted_at is null
          ),
          noted as (
            update moves set held_until = now() + (idle.ms + ${forMs}::float8) * interval '1 millisecond' from idle
            where account_id = ${this.id} returning held_until
          ),
          held as (
            update endpoints e set switched_until = greatest(e.switched_until, n.held_until) from noted n
            where e.account_id = ${this.id} and e.url is not null and e.deleted_at is null returning e.id
          ),
          noticed as (update mailboxes m set revision = m.revision + 1 from held h where m.endpoint_id = h.id)
          select ms as "idleInMs" from idle
        `;
      }),
    );
    return held?.idleInMs ?? attemptTimeoutMs;
  }

  /** Lets requests of the account end: later ones get 503. Undone by `false`. */
  async close(isClosing: boolean): Promise<void> {
    await this.sql`
      update accounts set departure = ${isClosing ? "closing" : null}
      where id = ${this.id} and departure is distinct from 'left'
    `;
  }

  /** Ends the hold of deliveries. */
  async release(): Promise<void> {
    await this.transaction(async (sql) => {
      await sql`update moves set held_until = null where account_id = ${this.id}`;
      await sql`
        with freed as (
          update endpoints set switched_until = null
          where account_id = ${this.id} and url is not null and switched_until is not null returning id
        )
        update mailboxes m set revision = m.revision + 1 from freed f where m.endpoint_id = f.id
      `;
    });
  }

  /**
   * Takes everything of the account that does not follow by itself, in one transaction: it is in this cell before, and in
   * `moved_rows` after it. Writes for the account are either before it or refused. Throws if the hold is over.
   */
  async leave(withinMs: number): Promise<void> {
    await untilNoDeadlock(() =>
      this.transaction(async (sql) => {
        await sql`select set_config('statement_timeout', ${String(Math.floor(withinMs))}, true)`;
        for (const lock of FIGURES) await waitForLock(sql, lock);
        const [account] = await sql<{ isHeld: boolean }[]>`
          select m.held_until > clock_timestamp() + ${withinMs}::float8 * interval '1 millisecond' as "isHeld"
          from accounts a join moves m on m.account_id = a.id where a.id = ${this.id} and a.departure = 'closing' for update of a
        `;
        if (!account?.isHeld)
          throw new Error("the account was not held back for long enough: start the move again");
        await this.takeAll(sql);
        await sql`update accounts set departure = 'left' where id = ${this.id}`;
        await sql`insert into moved_rows (account_id, "table", "rows") values (${this.id}, '', '[]')`;
      }),
    );
  }

  /** Returns what the account's figures over time are of: the account itself and its endpoints, also once it has left. */
  async subjects(): Promise<string[]> {
    const rows = await this.sql<{ id: string }[]>`
      select id from endpoints where account_id = ${this.id}
      union
      select (r ->> 'id')::uuid from moved_rows m cross join lateral json_array_elements(m."rows") r
      where m.account_id = ${this.id} and m."table" = 'endpoints'
      order by 1
    `;
    return [this.id, ...rows.map(({ id }) => id)];
  }

  /** Forgets the account, which has arrived: from now on this cell looks for its home. */
  async forget(): Promise<void> {
    const { id } = this;
    await this.transaction(async (sql) => {
      await sql`update accounts set departure = 'closing' where id = ${id}`;
      await sql`delete from sessions where account_id = ${id}`;
      await sql`delete from api_keys where account_id = ${id}`;
      await sql`delete from rate_windows where account_id = ${id}`;
      await sql`delete from retention_counts where account_id = ${id}`;
      await sql`delete from accounts where id = ${id}`;
    });
  }

  /** Deletes the rows that replication copied. */
  async purge(): Promise<void> {
    await purgeFollowed(this.sql, this.id, await this.subjects());
  }

  /** Ends the move. Retention goes on. */
  async end(): Promise<void> {
    await this.sql`delete from moved_rows where account_id = ${this.id}`;
    await this.sql`delete from moves where account_id = ${this.id}`;
  }

  private async createPublications(sql: TransactionSql, subjects: readonly string[]): Promise<void> {
    const { changes, records } = this.names;
    const listOf = (tables: readonly string[]) =>
      tables.map((table) => `"${table}" where (account_id = '${this.id}')`).join(", ");
    const create = (name: string, tables: string, kinds: string) =>
      sql.unsafe(
        `create publication "${name}" for table ${tables} with (publish = '${kinds}', publish_via_partition_root = true)`,
      );
    // Erased payloads and the numbers of scheduled deliveries are changes, and figures are summed up by the hour. The filter's column
    // is in the keys of these tables alone.
    const figures = `"series" where (subject = any ('{${subjects.join(",")}}'::uuid[]))`;
    const changing = listOf([...FOLLOWED.changing.map(getTableName), "moved_rows"]);
    await create(changes, `${changing}, ${figures}`, "insert, update, delete");
    await create(records, listOf(FOLLOWED.lasting.map(getTableName)), "insert");
  }

  private async takeAll(sql: TransactionSql): Promise<void> {
    // Receivers' keys refuse requests until the account is forgotten, and refer to endpoints, which go now.
    const keeps = ["accounts", "api_keys"];
    for (const table of this.tables) {
      const { name } = table;
      if (name === "endpoints") {
        await this.takeTallies(sql);
        await sql`update api_keys set endpoint_id = null where account_id = ${this.id}`;
      }
      await this.take(sql, table, keeps.includes(name) ? "copy" : "remove");
    }
  }

  private async take(
    sql: TransactionSql,
    { name, isOwned }: CarriedTable,
    way: "copy" | "remove",
  ): Promise<void> {
    const taken =
      way === "copy"
        ? `select t.* from "${name}" t where ${isOwned}`
        : `delete from "${name}" t where ${isOwned} returning t.*`;
    await sql.unsafe(
      `with taken as (${taken})
      insert into moved_rows (account_id, "table", "rows")
      select $1::uuid, '${name}', json_agg(p.line) from (
        select row_to_json(t) as line, (row_number() over () - 1) / ${PACKED} as pack from taken t
      ) p group by p.pack order by p.pack`,
      [this.id],
    );
  }

  /** Takes the parts of tallies that count the account's endpoints. A row may count those of several accounts. */
  private async takeTallies(sql: TransactionSql): Promise<void> {
    await sql`
      with ours as materialized (select id from endpoints where account_id = ${this.id}),
      taken as (
        delete from tallies where endpoint_ids && (select coalesce(array_agg(id), '{}') from ours)
        returning at, endpoint_ids, codes, counts
      ),
      parts as materialized (
        select t.at, u.endpoint_id in (select id from ours) as is_ours, array_agg(u.endpoint_id) as endpoint_ids,
          array_agg(u.code) as codes, array_agg(coalesce(u.n, 1)) as counts
        from (select row_number() over () as row, * from taken) t
        cross join lateral unnest(t.endpoint_ids, t.codes, t.counts) as u(endpoint_id, code, n)
        group by t.row, t.at, 2
      ),
      kept as (
        insert into tallies (at, endpoint_ids, codes, counts)
        select at, endpoint_ids, codes, counts from parts where not is_ours
      )
      insert into moved_rows (account_id, "table", "rows")
      select ${this.id}, 'tallies', json_agg(json_build_object('at', at, 'endpoint_ids', endpoint_ids, 'codes', codes, 'counts', counts))
      from parts where is_ours having count(*) > 0
    `;
  }

  private transaction<T>(work: (sql: TransactionSql) => Promise<T>): Promise<T> {
    return this.sql.begin((sql) => work(sql as TransactionSql)) as Promise<T>;
  }
}
