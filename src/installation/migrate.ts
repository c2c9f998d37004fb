import { readMigrationFiles } from "drizzle-orm/migrator";
import type postgres from "postgres";
import { parseDatabaseUrl } from "../db/address";
import { LOCKS } from "../db/advisory-locks";
import { untilNoDeadlock } from "../db/database";
import { isLockTimeout } from "../db/postgres-failure";
import { connectOnce, type SettingsTaken, SHARED } from "../db/settings-taken";
import { sleep, systemClock } from "../runtime/clock";
import { shipped } from "../runtime/shipped";
import { beginEras } from "./eras";

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
