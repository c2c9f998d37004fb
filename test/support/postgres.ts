import { join } from "node:path";
import postgres from "postgres";
import { type Capacity, Database } from "../../src/db/database";
import { BY_KEY } from "../../src/db/sql/planner";
import { migrateDatabase } from "../../src/installation/migrate";
import { createLog } from "../../src/runtime/log";
import { atEnd } from "./at-end";
import { testPostgresUrl } from "./servers";

// Starts the server when this module is loaded: a hook has five seconds, and a busy machine may need longer.
const SERVER_URL = await testPostgresUrl();
const MIGRATIONS = join(import.meta.dir, "../../drizzle");

export type TestDatabase = {
  db: Database;
  url: string;
  /** Opens another pool on the same database, as the service does for its intake. `drop` closes it. */
  open(capacity: Capacity, session?: Record<string, string>): Database;
  drop(): Promise<void>;
};

/** Any number that no other advisory lock on the server uses. */
const TEMPLATE_LOCK = 4_812_663_299;
let template: Promise<string> | null = null;

/**
 * Creates and migrates a database. Call `drop` when done. With `original` it is a copy of that one, whose connections must
 * be closed.
 */
export async function testDatabase(original?: TestDatabase): Promise<TestDatabase> {
  template ??= makeTemplate();
  const source = original ? new URL(original.url).pathname.slice(1) : await template;
  const name = `hermod_test_${Bun.randomUUIDv7("hex").replaceAll("-", "")}`;
  // Copies files, because a checkpoint is cheap on a server that never syncs.
  await onServer((sql) => sql.unsafe(`create database ${name} template ${source} strategy file_copy`));
  const url = urlOf(name);
  const log = createLog("silent");
  // Plans statements as the service does.
  const settings = { statementTimeoutMs: 10_000, queryTimeoutMs: 10_000 };
  const opened: Database[] = [];
  const open = (capacity: Capacity, session = {}) => {
    const database = new Database({ url, ...capacity, session: { ...BY_KEY, ...session }, ...settings, log });
    opened.push(database);
    return database;
  };
  const db = open({ size: 8 });
  const drop = async () => {
    await Promise.all(opened.map((database) => database.close()));
    await onServer((sql) => dropDatabase(sql, name));
  };
  return { db, url, open, drop };
}

/** Creates a database for a test file, and drops it after the file's last test. Call it while the file is loaded. */
export async function useDatabase(original?: TestDatabase): Promise<TestDatabase> {
  const database = await testDatabase(original);
  atEnd(database.drop);
  return database;
}

/**
 * Drops a database with all of its connections. Only a superuser may end an autovacuum worker that way. A plain drop ends it
 * by itself.
 */
async function dropDatabase(sql: postgres.Sql, name: string): Promise<void> {
  try {
    await sql.unsafe(`drop database if exists ${name} with (force)`);
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error;
    // Its sessions were told to end, and on a busy machine need longer than the five seconds that Postgres waits.
    if (error.code === "55006") return dropDatabase(sql, name);
    if (error.code !== "42501") throw error;
    await sql.unsafe(`drop database if exists ${name}`);
  }
}

/** Returns the URL of a database on the test server. */
function urlOf(database: string): string {
  const url = new URL(SERVER_URL);
  url.pathname = `/${database}`;
  return url.toString();
}

/**
 * Creates the database with the current migrations, if it does not exist, and returns its name. Concurrent test processes
 * share it.
 */
async function makeTemplate(): Promise<string> {
  const name = `hermod_template_${await hashOfMigrations()}`;
  await onServer(async (sql) => {
    await sql`select pg_advisory_lock(${TEMPLATE_LOCK})`;
    const found = await sql`select from pg_database where datname = ${name}`;
    if (found.length > 0) return;
    await sql.unsafe(`drop database if exists ${name}_unfinished with (force)`);
    await sql.unsafe(`create database ${name}_unfinished`);
    await migrateDatabase(urlOf(`${name}_unfinished`));
    await sql.unsafe(`alter database ${name}_unfinished rename to ${name}`);
  });
  return name;
}

async function hashOfMigrations(): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  const files = [...new Bun.Glob("*.sql").scanSync(MIGRATIONS)].sort();
  for (const file of files) hasher.update(await Bun.file(join(MIGRATIONS, file)).bytes());
  return hasher.digest("hex").slice(0, 16);
}

async function onServer(work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(SERVER_URL, { max: 1, onnotice: () => {} });
  try {
    await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
