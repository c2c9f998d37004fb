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

/** Where this version's migrations are. */
export const MIGRATIONS = fileURLToPath(new URL("../../drizzle", import.meta.url));

/** How long Postgres may take to be connected to, seconds, and to answer for the first time, milliseconds. */
const CONNECT_S = 10;
const ANSWER_MS = 12_000;
/**
 * How long a migration waits for a table, milliseconds. All others wait behind it meanwhile, so that it steps back from a
 * long reader, such as a backup, and leaves them some time before it tries again. Longer than Postgres' `deadlock_timeout` of
 * a second, after which an autovacuum that is in the way is ended.
 */
const LOCK_MS = 2_000;
const PAUSE_MS = 6_000;

/** What to tell whoever waits. */
export const HELD_UP = "the upgrade of the database waits: others, such as a backup, hold its tables";

export type MigrateOptions = {
  /** Folder of the migrations; this version's own by default. */
  folder?: string;
  /** How long Postgres may take to answer for the first time, milliseconds. */
  answerMs?: number;
  /** How long to wait for a table, and then to leave it to others, milliseconds. */
  lockMs?: number;
  pauseMs?: number;
  /** Told once if others hold the tables for longer than that. */
  heldUp?: () => void;
};

/**
 * Brings the database to this version's schema. Processes that start together wait for the first one. Those of the version
 * before go on and start meanwhile, and lock tables in any order: when that ends in a deadlock it begins anew.
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
    // Where connections are closed at once, as by a proxy without a server, the driver makes new ones for ever.
    const answered = await within(systemClock, answerMs, sql`select`);
    if (!answered) throw new Error(`no answer in ${answerMs} ms`);
    await sql`select pg_advisory_lock(${LOCKS.upgrade})`;
    await untilLocked(() => migrateOnce(sql, folder, lockMs), pauseMs, heldUp);
    await adoptRestoredDump(sql);
  } catch (error) {
    // The driver's own words don't say whom it spoke to.
    throw new Error("Postgres can't be used", { cause: error });
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Keeps `LOCKS.migration` if it succeeds. */
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

/** Does it until it has its tables, however long others have them; who waited for one try has as long without. */
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
