import { afterAll, beforeAll, expect, test } from "bun:test";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LOCKS } from "../../src/db/advisory-locks";
import type { Database } from "../../src/db/database";
import { MIGRATIONS, migrateDatabase } from "../../src/installation/migrate";
import { describeError } from "../../src/runtime/log";
import { until } from "../support/faults/until";
import { testDatabase } from "../support/postgres";

let folder: string;
beforeAll(async () => {
  folder = await withNextMigration();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("an upgrade lets a query of the former version end, however long it still reads", async () => {
  const database = await testDatabase();
  const upgraded = await database.db.transaction(async (sql) => {
    // If the two waited for each other, this would be a deadlock.
    await sql`set local deadlock_timeout = '10ms'`;
    await sql`select from deliveries`;
    const upgrading = migrateDatabase(database.url, { folder });
    await until(() => waitsForLock(database.db), { what: "the upgrade to wait" });
    await sql`select from results`;
    return { upgrading };
  });
  await upgraded.upgrading;
  await database.drop();
});

test("an upgrade that a deadlock breaks off starts again", async () => {
  const database = await testDatabase();
  const upgraded = await database.db.transaction(async (sql) => {
    // Makes the upgrade the one that detects it.
    await sql`set local deadlock_timeout = '1min'`;
    await sql`select from results`;
    const upgrading = migrateDatabase(database.url, { folder, lockMs: 20_000 });
    await until(() => waitsForLock(database.db), { what: "the upgrade to wait" });
    await sql`select from deliveries`;
    return { upgrading };
  });
  await upgraded.upgrading;
  await database.drop();
});

test("an upgrade withdraws while a long query reads, and lets others pass until it ends", async () => {
  const database = await testDatabase();
  let steppedBack = 0;
  const heldUp = () => {
    steppedBack++;
  };
  const upgraded = await database.db.transaction(async (sql) => {
    await sql`lock table deliveries in access share mode`;
    const upgrading = migrateDatabase(database.url, { folder, lockMs: 100, pauseMs: 300, heldUp });
    await until(() => waitsForLock(database.db), { what: "the upgrade to wait" });
    // A process of the former version has nothing to migrate and starts; at first every statement waits behind the upgrade.
    await until(() => isFree(database.db, LOCKS.migration), { what: "the lock of migrations to be free" });
    await Promise.all([1, 2].map(() => database.db.run((other) => other`select from deliveries for update`)));
    return { upgrading };
  });
  await upgraded.upgrading;
  expect(steppedBack).toBe(1);
  expect(await hasColumn(database.db)).toBe(true);
  await database.drop();
});

test("if several processes upgrade at once, one does it and the others wait", async () => {
  const database = await testDatabase();
  await Promise.all([1, 2, 3].map(() => migrateDatabase(database.url, { folder })));
  await database.drop();
});

test("a migration uses the settings of its URL", async () => {
  const database = await testDatabase();
  const migrating = migrateDatabase(`${database.url}?work_mem=nonsense`);
  expect(await migrating.catch(describeError)).toMatchObject({ error: expect.stringContaining("work_mem") });
  await database.drop();
});

test("a failed migration reports Postgres' error", async () => {
  const database = await testDatabase();
  await database.db.run((sql) => sql`alter table deliveries add column added_later integer`);
  const failure = await migrateDatabase(database.url, { folder }).catch(describeError);
  expect(failure).toEqual({
    error: expect.stringMatching(/ADD COLUMN "added_later".*column "added_later".*already exists/s),
    code: "42701",
  });
  await database.drop();
});

test("an upgrade gives up on a server that closes every connection", async () => {
  const socket = { data: (each: Bun.Socket) => void each.end() };
  using closing = Bun.listen({ hostname: "127.0.0.1", port: 0, socket });
  const migrating = migrateDatabase(`postgres://hermod:hermod@127.0.0.1:${closing.port}/hermod`, {
    answerMs: 500,
  });
  await expect(migrating).rejects.toThrow("Postgres can't be used");
});

/** This version's migrations and one more, which locks two tables in turn. */
async function withNextMigration(): Promise<string> {
  const next = await mkdtemp(join(tmpdir(), "hermod-migrations-"));
  await cp(MIGRATIONS, next, { recursive: true });
  const journalPath = join(next, "meta/_journal.json");
  const journal = await Bun.file(journalPath).json();
  const last = journal.entries.at(-1);
  const entry = { ...last, idx: last.idx + 1, when: last.when + 1, tag: "9999_next" };
  await Bun.write(journalPath, JSON.stringify({ ...journal, entries: [...journal.entries, entry] }));
  await Bun.write(
    join(next, "9999_next.sql"),
    `LOCK TABLE "deliveries", "results" IN ACCESS EXCLUSIVE MODE;--> statement-breakpoint
     ALTER TABLE "deliveries" ADD COLUMN "added_later" integer;`,
  );
  return next;
}

/** Returns whether the next migration was applied. */
async function hasColumn(db: Database): Promise<boolean> {
  const columns = await db.run(
    (sql) => sql`
      select from pg_attribute where attrelid = 'deliveries'::regclass and attname = 'added_later'`,
  );
  return columns.length > 0;
}

/** Takes an advisory lock and releases it, if it is free. */
async function isFree(db: Database, lock: number): Promise<boolean> {
  return db.transaction(async (sql) => {
    const [row] = await sql<{ free: boolean }[]>`select pg_try_advisory_xact_lock(${lock}) as free`;
    return row?.free ?? false;
  });
}

async function waitsForLock(db: Database): Promise<boolean> {
  const waiting = await db.run(
    (sql) => sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return waiting.length > 0;
}
