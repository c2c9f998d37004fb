import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";
import { sleep, systemClock, within } from "../runtime/clock";
import { driverOptions, parseDatabaseUrl } from "./address";
import { LOCKS } from "./advisory-locks";
import { untilNoDeadlock } from "./deadlock";
import { isLockTimeout } from "./pool";
import { adoptRestoredDump } from "./restored-dump";

/** The folder of this version's migrations. */
export const MIGRATIONS = fileURLToPath(new URL("../../drizzle", import.meta.url));

/** Time limits for connecting to Postgres, in seconds, and for its first answer, in milliseconds. */
const CONNECT_S = 10;
const ANSWER_MS = 12_000;
/**
 * How long a migration waits for a table, in milliseconds. All others wait behind it meanwhile. So it steps back from a
 * long reader, such as a backup, and leaves the others some time before it tries again. Longer than Postgres'
 * `deadlock_timeout` of 1 s, after which Postgres cancels an autovacuum that is in the way.
 */
const LOCK_MS = 2_000;
const PAUSE_MS = 6_000;

/** The message for an operator who waits. */
export const HELD_UP = "the upgrade of the database waits: others, such as a backup, hold its tables";

export type MigrateOptions = {
  /** Folder of the migrations; this version's own by default. */
  folder?: string;
  /** Limit for the first answer of Postgres, in milliseconds. */
  answerMs?: number;
  /** How long to wait for a table, and how long then to leave it to others, in milliseconds. */
  lockMs?: number;
  pauseMs?: number;
  /** Called once if others hold the tables for longer than that. */
  heldUp?: () => void;
};

/**
 * Brings the database to this version's schema. Processes that start together wait for the first one. Processes of the
 * previous version keep running and starting meanwhile, and lock tables in any order: after a deadlock the migration
 * starts again.
 */
export async function migrateDatabase(url: string, options: MigrateOptions = {}): Promise<void> {
  const {
    folder = MIGRATIONS,
    answerMs = ANSWER_MS,
    lockMs = LOCK_MS,
    pauseMs = PAUSE_MS,
    heldUp = () => {},
  } = options;
  const address = parseDatabaseUrl(url);
  const sql = postgres({
    ...driverOptions(address),
    connection: address.parameters,
    max: 1,
    onnotice: () => {},
    connect_timeout: CONNECT_S,
  });
  try {
    // If connections are closed at once, as by a proxy without a server, the driver opens new ones for ever.
    const answered = await within(systemClock, answerMs, sql`select`);
    if (!answered) throw new Error(`no answer in ${answerMs} ms`);
    await sql`select pg_advisory_lock(${LOCKS.upgrade})`;
    await untilLocked(() => migrateOnce(sql, folder, lockMs), pauseMs, heldUp);
    await adoptRestoredDump(sql);
  } catch (error) {
    // The driver's message does not name the server.
    throw new Error("Postgres can't be used", { cause: error });
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Migrates once. Keeps `LOCKS.migration` if it succeeds. */
async function migrateOnce(sql: postgres.Sql, folder: string, lockMs: number): Promise<void> {
  await sql`select pg_advisory_lock(${LOCKS.migration})`;
  await sql`select set_config('lock_timeout', ${`${lockMs}ms`}, false)`;
  try {
    await untilNoDeadlock(() => migrate(drizzle(sql), { migrationsFolder: folder }));
  } catch (error) {
    await sql`select pg_advisory_unlock(${LOCKS.migration})`;
    throw error;
  } finally {
    await sql`reset lock_timeout`;
  }
}

/**
 * Repeats the work until it gets its tables, however long others hold them. After each try the others have as long
 * without it.
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
