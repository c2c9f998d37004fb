import type { Database } from "../../src/db/database";
import type { TransactionSql } from "../../src/db/pool";

/** The `search_path` of a session in which `pg_try_advisory_xact_lock` waits for `holdLocks` before it tries. */
export const LATE_LOCKS = "late_locks, public, pg_catalog";
const GATE = 1;

/** Lets sessions take locks late: when other work has committed after their statement began. */
export async function makeLateLocks(db: Database): Promise<void> {
  await db.run((sql) => sql.unsafe("create schema late_locks"));
  await db.run((sql) =>
    sql.unsafe(`
      create function late_locks.pg_try_advisory_xact_lock(key bigint) returns boolean language plpgsql as $$
      begin
        perform pg_advisory_xact_lock_shared(${GATE});
        return pg_catalog.pg_try_advisory_xact_lock(key);
      end $$`),
  );
}

/** Holds the late locks back until the transaction ends. */
export async function holdLocks(sql: TransactionSql): Promise<void> {
  await sql`select pg_advisory_xact_lock(${GATE})`;
}
