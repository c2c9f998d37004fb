import { expect, test } from "bun:test";
import { LOCKS } from "../../src/db/advisory-locks";
import type { Database } from "../../src/db/database";
import { migrateDatabase } from "../../src/db/migrate";
import type { TransactionSql } from "../../src/db/pool";
import { Deliveries } from "../../src/deliveries/deliveries";
import type { AccountId, EndpointId } from "../../src/runtime/ids";
import { describeError } from "../../src/runtime/log";
import { type Accepted, Ledger } from "../deliveries/ledger";
import { until } from "../support/faults/until";
import { testDatabase } from "../support/postgres";

test("what the first version recorded is read after the upgrade: attempts, and lists by endpoint", async () => {
  const database = await testDatabase();
  const ledger = new Ledger(database.db);
  const accountId = await ledger.account();
  const endpoint = await ledger.endpoint(accountId);
  await asBefore(database.db);
  const delivery = await ledger.accept(accountId, endpoint, "order.paid");
  await database.db.transaction(async (sql) => {
    await sql`delete from queue`;
    await recordAsBefore(sql, delivery);
  });
  const startedAt = Date.now();
  await database.db.run(
    (sql) => sql`
      insert into attempts (delivery_id, attempt, status, started_at, duration_ms, response_body)
      values (${delivery.id}, 1, 200, to_timestamp(${startedAt} / 1000.0), 12, 'thanks')
    `,
  );
  await migrateDatabase(database.url);
  const detail = await new Deliveries(database.db).get(accountId, delivery.id);
  expect(detail?.attempts).toEqual([
    { attempt: 1, status: 200, error: null, startedAt, durationMs: 12, responseBody: "thanks" },
  ]);
  expect(await listed(database.db, accountId, endpoint)).toEqual([delivery.id]);
  await database.drop();
});

test("what a process of the version before records beside this one's is listed by its endpoint", async () => {
  const database = await testDatabase();
  const ledger = new Ledger(database.db);
  const accountId = await ledger.account();
  const endpoint = await ledger.endpoint(accountId);
  const delivery = await ledger.accept(accountId, endpoint, "order.paid");
  await database.db.transaction(async (sql) => {
    await sql`delete from queue`;
    await recordAsBefore(sql, delivery);
  });
  expect(await listed(database.db, accountId, endpoint)).toEqual([delivery.id]);
  await database.drop();
});

test("an upgrade lets a list of the version before end, whatever that has yet to read", async () => {
  const database = await testDatabase();
  await asBefore(database.db);
  const upgraded = await database.db.transaction(async (sql) => {
    // Where the two waited for each other, this one would be told.
    await sql`set local deadlock_timeout = '10ms'`;
    await sql`select from deliveries`;
    const upgrading = migrateDatabase(database.url);
    await until(() => waitsForLock(database.db), { what: "the upgrade to wait" });
    await sql`select from results`;
    return { upgrading };
  });
  await upgraded.upgrading;
  await database.drop();
});

test("an upgrade that a deadlock breaks off begins anew", async () => {
  const database = await testDatabase();
  await asBefore(database.db);
  const upgraded = await database.db.transaction(async (sql) => {
    // So that it is the upgrade that is told of it.
    await sql`set local deadlock_timeout = '1min'`;
    await sql`select from results`;
    const upgrading = migrateDatabase(database.url, { lockMs: 20_000 });
    await until(() => waitsForLock(database.db), { what: "the upgrade to wait" });
    await sql`select from deliveries`;
    return { upgrading };
  });
  await upgraded.upgrading;
  await database.drop();
});

test("an upgrade steps back from a long reader, and lets others pass until it is over", async () => {
  const database = await testDatabase();
  await asBefore(database.db);
  let steppedBack = 0;
  const heldUp = () => {
    steppedBack++;
  };
  const upgraded = await database.db.transaction(async (sql) => {
    await sql`lock table deliveries in access share mode`;
    const upgrading = migrateDatabase(database.url, { lockMs: 100, pauseMs: 300, heldUp });
    await until(() => waitsForLock(database.db), { what: "the upgrade to wait" });
    // A process of the version before has nothing to migrate, and starts; all statements wait behind the upgrade at first.
    await until(() => isFree(database.db, LOCKS.migration), { what: "the lock of migrations to be free" });
    await Promise.all([1, 2].map(() => database.db.run((other) => other`select from deliveries for update`)));
    return { upgrading };
  });
  await upgraded.upgrading;
  expect(steppedBack).toBe(1);
  expect(await indexedById(database.db)).toEqual([]);
  await database.drop();
});

test("of several that upgrade at once one does it, and the others wait", async () => {
  const database = await testDatabase();
  await asBefore(database.db);
  await Promise.all([1, 2, 3].map(() => migrateDatabase(database.url)));
  await database.drop();
});

test("a process of the version before finds deliveries and results by ids, in partitions that it may know", async () => {
  const database = await testDatabase();
  const ledger = new Ledger(database.db);
  const accountId = await ledger.account();
  const endpoint = await ledger.endpoint(accountId);
  await asBefore(database.db);
  const delivery = await ledger.accept(accountId, endpoint, null);
  await database.db.transaction((sql) => recordAsBefore(sql, delivery));
  await migrateDatabase(database.url);
  expect(await indexedById(database.db)).toEqual(["deliveries_earlier", "results_earlier"]);
  await database.drop();
});

test("where there are no deliveries yet, none has an index that nobody needs", async () => {
  const database = await testDatabase();
  expect(await indexedById(database.db)).toEqual([]);
  await database.drop();
});

test("a migration has the settings of its URL", async () => {
  const database = await testDatabase();
  const migrating = migrateDatabase(`${database.url}?work_mem=nonsense`);
  expect(await migrating.catch(describeError)).toMatchObject({ error: expect.stringContaining("work_mem") });
  await database.drop();
});

test("a migration that fails says what Postgres said", async () => {
  const database = await testDatabase();
  await asBefore(database.db);
  await database.db.run((sql) => sql`create table tallies ()`);
  const failure = await migrateDatabase(database.url).catch(describeError);
  expect(failure).toEqual({
    error: expect.stringMatching(/CREATE TABLE "tallies".*relation "tallies" already exists/s),
    code: "42P07",
  });
  await database.drop();
});

test("a server that closes every connection is not waited for without end", async () => {
  const socket = { data: (each: Bun.Socket) => void each.end() };
  using closing = Bun.listen({ hostname: "127.0.0.1", port: 0, socket });
  const migrating = migrateDatabase(`postgres://hermod:hermod@127.0.0.1:${closing.port}/hermod`, {
    answerMs: 500,
  });
  await expect(migrating).rejects.toThrow("Postgres can't be used");
});

/** Makes the database what the first version left. */
async function asBefore(db: Database): Promise<void> {
  await db.transaction(async (sql) => {
    await sql`drop table tallies`;
    await sql`drop trigger results_endpoint on results`;
    await sql`drop function results_endpoint`;
    await sql`alter table results drop column duration_ms, drop column response_body, drop column endpoint_id`;
    await sql`alter table results add primary key (delivery_id)`;
    await sql`alter table deliveries drop constraint deliveries_account_id_id_pk, add primary key (id)`;
    await sql`create index deliveries_account on deliveries (account_id, id)`;
    await sql`create index deliveries_endpoint on deliveries (endpoint_id, id)`;
    await sql`alter table mailboxes drop column filter_revision`;
    await sql`drop index feed_outbox_account, jobs_running_of_account, event_types_newest`;
    await sql`alter table jobs drop column waited_ms`;
    await sql`delete from drizzle.__drizzle_migrations where id > 1`;
  });
}

/** The partitions with an index that begins with a delivery's id. */
async function indexedById(db: Database): Promise<string[]> {
  const indexed = await db.run(
    (sql) => sql<{ partition: string }[]>`
      select i.indrelid::regclass::text as partition from pg_index i
      join pg_inherits h on h.inhrelid = i.indrelid
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
      where (h.inhparent, a.attname) in (('deliveries'::regclass, 'id'), ('results'::regclass, 'delivery_id'))
      order by 1`,
  );
  return indexed.map(({ partition }) => partition);
}

/** Takes an advisory lock, and gives it back, if nobody has it. */
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

/** A result as it was recorded without its endpoint. */
function recordAsBefore(sql: TransactionSql, { id, accountId }: Accepted) {
  return sql`
    insert into results (delivery_id, account_id, status, attempt_count, response_status, completed_at)
    values (${id}, ${accountId}, 'delivered', 1, 200, now())
  `;
}

async function listed(db: Database, accountId: AccountId, endpointId: EndpointId): Promise<string[]> {
  const page = await new Deliveries(db).cursorForm(accountId, { endpointId, limit: 10 });
  return page.data.map(({ id }) => id);
}
