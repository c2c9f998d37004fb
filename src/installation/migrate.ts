import { readMigrationFiles } from "drizzle-orm/migrator";
import type postgres from "postgres";
import { parseDatabaseUrl } from "../db/address";
import { LOCKS } from "../db/advisory-locks";
import { untilNoDeadlock } from "../db/database";
import type { AnySql } from "../db/pool";
import { isLockTimeout } from "../db/postgres-failure";
import { connectOnce, type SettingsTaken, SHARED } from "../db/settings-taken";
import { sleep, systemClock } from "../runtime/clock";
import { shipped } from "../runtime/shipped";

/** The folder of this version's migrations. */
export const MIGRATIONS = shipped("drizzle");

/** Time limits for connecting to Postgres, in seconds, and for its first answer, in milliseconds. */
const CONNECT_S = 10;
const ANSWER_MS = 12_000;
/**
 * A migration waits for a table for at most this long, because sends wait behind it. If a long reader, such as a backup, holds
 * the table, the migration gives sends the same time before it tries again. Just above Postgres' `deadlock_timeout` of 1 s,
 * after which Postgres cancels an autovacuum that blocks the migration.
 */
const LOCK_MS = 1_100;
const PAUSE_MS = 6_000;

/** Messages for an operator. */
export const LEFT_OUT = "ignored parameters of DATABASE_URL that Postgres or its driver does not know";
export const HELD_UP =
  "a migration waits for a lock: end the transaction that holds it, such as a backup, or wait for it";

export type MigrateOptions = {
  /** Folder of the migrations; this version's own by default. */
  folder?: string;
  /** Limit for the first answer of Postgres, in milliseconds. */
  answerMs?: number;
  /** Longest wait for a table, and the pause after it, in milliseconds. */
  lockMs?: number;
  pauseMs?: number;
  /** Called once if others lock the tables for longer than `lockMs`. */
  heldUp?: () => void;
  /** Called with the URL's ignored parameters, if there are any. */
  leftOut?: (parameters: readonly string[]) => void;
};

/**
 * Migrates the database to this version's schema. Processes that start together wait for the first one. Processes of the
 * previous version run and start meanwhile, and lock tables in any order; after a deadlock the migration starts again. Returns
 * the way in which the server takes settings.
 */
export async function migrateDatabase(url: string, options: MigrateOptions = {}): Promise<SettingsTaken> {
  const {
    folder = MIGRATIONS,
    answerMs = ANSWER_MS,
    lockMs = LOCK_MS,
    pauseMs = PAUSE_MS,
    heldUp = () => {},
    leftOut = () => {},
  } = options;
  const address = parseDatabaseUrl(url);
  const connected = await connectOnce(address, { connectS: CONNECT_S, answerMs }).catch(unusable);
  const { sql, taken } = connected;
  try {
    if (taken.shared) throw new Error(SHARED);
    await sql`select pg_advisory_lock(${LOCKS.upgrade})`;
    await untilLocked(() => migrateOnce(sql, folder, lockMs), pauseMs, heldUp);
    await untilLocked(() => beginEras(sql, lockMs), pauseMs, heldUp);
    const { ignored } = address;
    if (ignored.length + taken.unknown.length > 0) leftOut([...ignored, ...taken.unknown]);
    return taken;
  } catch (error) {
    return unusable(error);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Throws an error that names Postgres, which the driver's message does not. */
function unusable(error: unknown): never {
  throw new Error("Postgres can't be used", { cause: error });
}

/**
 * Applies each migration in a transaction of its own, so that the tables are free in between. After a success it still holds
 * `LOCKS.migration`.
 */
async function migrateOnce(sql: postgres.Sql, folder: string, lockMs: number): Promise<void> {
  await sql`select pg_advisory_lock(${LOCKS.migration})`;
  await sql`select set_config('lock_timeout', ${`${lockMs}ms`}, false)`;
  try {
    const appliedAt = await lastApplied(sql);
    for (const step of readMigrationFiles({ migrationsFolder: folder })) {
      if (step.folderMillis > appliedAt) await untilNoDeadlock(() => apply(sql, step));
    }
  } catch (error) {
    await sql`select pg_advisory_unlock(${LOCKS.migration})`;
    throw error;
  } finally {
    await sql`reset lock_timeout`;
  }
}

/** Returns the time of the last migration that the database has, as drizzle's own migrator keeps it; 0 without one. */
async function lastApplied(sql: postgres.Sql): Promise<number> {
  await sql`create schema if not exists drizzle`;
  await sql`
    create table if not exists drizzle.__drizzle_migrations (
      id serial primary key, hash text not null, created_at bigint
    )
  `;
  const [row] = await sql<{ at: string | null }[]>`
    select max(created_at) as at from drizzle.__drizzle_migrations
  `;
  return Number(row?.at ?? 0);
}

async function apply(
  sql: postgres.Sql,
  step: Readonly<{ sql: string[]; hash: string; folderMillis: number }>,
): Promise<void> {
  await sql.begin(async (transaction) => {
    for (const statement of step.sql) {
      await transaction.unsafe(statement).catch((cause) => {
        throw new Error(`a migration failed at: ${statement.trim()}`, { cause });
      });
    }
    await transaction`
      insert into drizzle.__drizzle_migrations (hash, created_at) values (${step.hash}, ${step.folderMillis})
    `;
  });
}

/**
 * Repeats the work until it gets its tables, however long others lock them. Pauses between tries, so that others can use the
 * tables.
 */
async function untilLocked(work: () => Promise<void>, pauseMs: number, heldUp: () => void): Promise<void> {
  for (let tries = 0; ; tries++) {
    const began = systemClock.monotonic();
    try {
      return await work();
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (tries === 0) heldUp();
      await sleep(systemClock, Math.max(pauseMs, systemClock.monotonic() - began));
    }
  }
}

/** The setting that names the server whose transactions the deliveries refer to. */
const SETTING = "server";

/**
 * Begins an era of every account on a server that the deliveries don't know yet. Another one may count transactions from less: after
 * a dump or a backup was restored, or a standby promoted that lacks the last commits. Iterators would pass what it accepts.
 * Waits for the transactions under way, since they write stamps of the era before.
 */
async function beginEras(sql: postgres.Sql, lockMs: number): Promise<void> {
  const server = await serverOf(sql);
  const [known] = await sql<{ value: string }[]>`select value from settings where name = ${SETTING}`;
  if (server !== null && server === known?.value) return;
  await sql.begin(async (transaction) => {
    await transaction`select set_config('lock_timeout', ${`${lockMs}ms`}, true)`;
    await transaction`lock table deliveries in share row exclusive mode`;
    // Counts of expired deliveries also name transactions of the other server.
    await transaction`delete from retention_counts`;
    await transaction`delete from retention_progress`;
    await (server !== null && known
      ? transaction`update accounts set era = era + 1`
      : passFuture(transaction));
    if (server === null) return;
    await transaction`
      insert into settings (name, value) values (${SETTING}, ${server})
      on conflict (name) do update set value = excluded.value`;
  });
}

/** Begins an era of the accounts that have a delivery of a future transaction. For a server that can't be told from others. */
async function passFuture(sql: postgres.TransactionSql): Promise<void> {
  await sql`
    update accounts a set era = a.era + 1
    from accounts of, pg_snapshot_xmax(pg_current_snapshot()) as s(next), lateral (
      (select from deliveries d where d.account_id = of.id and d.transaction >= stamp(of.era, s.next) limit 1)
      union all
      (select from cold_blocks b where b.account_id = of.id and b.last_transaction >= stamp(of.era, s.next) limit 1)
      limit 1
    ) ahead
    where a.id = of.id
  `;
}

/**
 * Returns a short text that changes whenever the numbers of deliveries can come again: with a restored backup or dump, and with a
 * promoted standby, which may lack the last commits. Null if Postgres does not show it.
 */
export async function epochOf(sql: AnySql): Promise<string | null> {
  const server = await serverOf(sql);
  return server && new Bun.CryptoHasher("sha256").update(server).digest("hex").slice(0, 16);
}

/**
 * Identifies the server. Changes with the server, with its timeline and with every restore of the settings. Returns null if
 * Postgres does not show it.
 */
async function serverOf(sql: postgres.Sql | AnySql): Promise<string | null> {
  try {
    const [row] = await sql`
      select s.system_identifier || '/' || c.timeline_id || '/' || 'settings'::regclass::oid as server
      from pg_control_system() s, pg_control_checkpoint() c`;
    return row?.server ?? null;
  } catch (error) {
    if (error instanceof Error && error.name === "PostgresError") return null;
    throw error;
  }
}
