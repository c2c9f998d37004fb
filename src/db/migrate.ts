import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";
import { systemClock, within } from "../runtime/clock";
import { driverOptions, parseDatabaseUrl } from "./address";
import { LOCKS } from "./advisory-locks";
import { untilNoDeadlock } from "./deadlock";
import { adoptRestoredDump } from "./restored-dump";

const MIGRATIONS = fileURLToPath(new URL("../../drizzle", import.meta.url));

/** How long Postgres may take to be connected to, seconds, and to answer for the first time, milliseconds. */
const CONNECT_S = 10;
const ANSWER_MS = 12_000;

/**
 * Brings the database to this version's schema. Processes that start together wait for the first one. Those of the version
 * before go on meanwhile, and lock tables in any order: when that ends in a deadlock it begins anew.
 */
export async function migrateDatabase(url: string, answerMs = ANSWER_MS): Promise<void> {
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
    await sql`select pg_advisory_lock(${LOCKS.migration})`;
    await untilNoDeadlock(() => migrate(drizzle(sql), { migrationsFolder: MIGRATIONS }));
    await adoptRestoredDump(sql);
  } catch (error) {
    // The driver's own words don't say whom it spoke to.
    throw new Error("Postgres can't be used", { cause: error });
  } finally {
    await sql.end({ timeout: 1 });
  }
}
