import { expect, test } from "bun:test";
import type { TransactionSql } from "../../src/db/pool";
import { newId } from "../../src/domain/ids";
import { readEndpointStats } from "../../src/endpoints/stats";
import { Ledger } from "../deliveries/ledger";
import { useDatabase } from "../support/postgres";

const PARTITION = 0;
const OTHERS = 2_000;

const database = await useDatabase();
const ledger = new Ledger(database.db);
const accountId = await ledger.account();
const endpointId = await ledger.endpoint(accountId);

const stats = (sql: TransactionSql) =>
  readEndpointStats(sql, accountId, { partition: PARTITION, endpointId }, Date.now());

/** Returns the number of results and attempts that this transaction has read. */
async function rowsRead(sql: TransactionSql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read) as count from pg_stat_xact_user_tables
    where relname like 'results%' or relname like 'attempts%'
  `;
  return row?.count ?? Number.NaN;
}

/** Creates a delivery that was attempted twice, and one that was delivered at once. */
async function deliverTwo(): Promise<void> {
  const twice = await ledger.accept(accountId, endpointId, null);
  await ledger.end(twice, { status: "failed", attemptCount: 2, responseStatus: 500 });
  const once = await ledger.accept(accountId, endpointId, null);
  await ledger.end(once, { status: "delivered" });
  await database.db.transaction(async (sql) => {
    await sql`insert into attempts (delivery_id, account_id, attempt, status, started_at, duration_ms)
      values (${twice.id}, ${accountId}, 1, 500, now(), 10), (${twice.id}, ${accountId}, 2, 500, now(), 30)`;
    await sql`update results set duration_ms = 20 where delivery_id = ${once.id}`;
  });
}

/** Creates a delivery of another account, delivered at once. */
async function deliverToOthers(): Promise<void> {
  const other = await ledger.endpoint(accountId);
  await database.db.run(
    (sql) => sql`
      with sent as materialized (
        select (left(${newId("wh")}::text, 24) || lpad(to_hex(n), 12, '0'))::uuid as id from generate_series(1, ${OTHERS}::integer) n
      ),
      stored as (
        insert into deliveries (id, account_id, endpoint_id, data) select id, ${accountId}, ${other}, '{}' from sent
      )
      insert into results
        (delivery_id, account_id, endpoint_id, status, attempt_count, response_status, completed_at, duration_ms)
      select id, ${accountId}, ${other}, 'delivered', 1, 200, now(), 5 from sent
    `,
  );
}

test("reports the attempts at its own deliveries, and reads no others", async () => {
  await deliverToOthers();
  await deliverTwo();
  for (const analyze of [false, true]) {
    if (analyze) await database.db.run((sql) => sql`analyze`);
    await database.db.transaction(async (sql) => {
      const before = await rowsRead(sql);
      expect(await stats(sql)).toMatchObject({
        recent: { attempts: 3, deliveries: 2, delivered: 1, failed: 1, p50: 20, p99: 30 },
      });
      // The two results twice, once for their attempts; two attempts; and the first results since each of three moments.
      expect((await rowsRead(sql)) - before).toBeLessThanOrEqual(12);
    });
  }
});

test("counts deliveries whose sequences are in another order than their identifiers", async () => {
  const endpointId = await ledger.endpoint(accountId);
  const made = Array.from({ length: 20 }, () => newId("wh"));
  for (const [i, id] of made.toReversed().entries()) {
    await ledger.accept(accountId, endpointId, null, id);
    await database.db.run((sql) => sql`update deliveries set sequence = ${i + 1} where id = ${id}`);
  }
  await database.db.run(
    (sql) => sql`update mailboxes set last_sequence = ${made.length} where endpoint_id = ${endpointId}`,
  );
  const at = { partition: PARTITION, endpointId };
  const read = () => database.db.run((sql) => readEndpointStats(sql, accountId, at, Date.now()));
  const all = { lastMinute: 20, lastHour: 20, lastDay: 20 };
  expect((await read())?.accepted).toEqual(all);
  for (const id of made.slice(10)) {
    await ledger.end({ id, accountId, endpointId, event: null }, { status: "delivered" });
  }
  expect((await read())?.accepted).toEqual(all);
});

test("deliveries without an attempt do not hide attempted ones", async () => {
  const busy = await ledger.endpoint(accountId);
  const tried = await ledger.accept(accountId, busy, null);
  await ledger.end(tried, { status: "delivered" });
  await database.db.transaction(async (sql) => {
    await sql`insert into attempts (delivery_id, account_id, attempt, status, started_at, duration_ms)
      values (${tried.id}, ${accountId}, 1, 200, now(), 12)`;
    await sql`
      insert into results (delivery_id, account_id, endpoint_id, status, attempt_count, end_reason, completed_at)
      select (left(${newId("wh")}::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, ${accountId}, ${busy}, 'cancelled', 0,
        'event_filter', now()
      from generate_series(1, 1100) n
    `;
    const at = { partition: PARTITION, endpointId: busy };
    expect(await readEndpointStats(sql, accountId, at, Date.now())).toMatchObject({
      recent: { attempts: 1, deliveries: 1, delivered: 1, p50: 12 },
    });
  });
});

test("nothing older than an hour counts as recent, and another account's endpoint is not shown", async () => {
  const endpointId = await ledger.endpoint(accountId);
  const tried = await ledger.accept(accountId, endpointId, null);
  await ledger.end(tried, { status: "delivered" });
  await database.db.transaction(async (sql) => {
    await sql`insert into attempts (delivery_id, account_id, attempt, status, started_at, duration_ms)
      values (${tried.id}, ${accountId}, 1, 200, now() - interval '61 minutes', 12)`;
    await sql`update results set completed_at = now() - interval '61 minutes' where delivery_id = ${tried.id}`;
    const at = { partition: PARTITION, endpointId };
    expect(await readEndpointStats(sql, accountId, at, Date.now())).toMatchObject({
      recent: { attempts: 0, deliveries: 0, delivered: 0, since: null, p50: null },
    });
    expect(await readEndpointStats(sql, newId("acc"), at, Date.now())).toBeNull();
  });
});
