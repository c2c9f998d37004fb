import { expect, test } from "bun:test";
import fc from "fast-check";
import type { TransactionSql } from "../../../src/db/pool";
import { idsOfEndpoint, type RangeEnd } from "../../../src/deliveries/lists/endpoint-ids";
import type { IdRange } from "../../../src/deliveries/lists/id-range";
import type { DeliveryId } from "../../../src/domain/ids";
import { fetchedBy } from "../../support/fetched";
import { testDatabase, useDatabase } from "../../support/postgres";
import { idAt, Ledger } from "../ledger";

const DELIVERIES = 40;
const OTHERS = 5_000;
const START = Date.UTC(2026, 0, 1);

/** The endpoint's deliveries in order: ended and pending ones mixed, among those of another endpoint. */
const ids: DeliveryId[] = [];
const database = await useDatabase();
const ledger = new Ledger(database.db);
const account = await ledger.account();
const endpoint = await ledger.endpoint(account);
const other = await ledger.endpoint(account);
for (let n = 0; n < 2 * DELIVERIES; n++) {
  const to = n % 2 === 0 ? endpoint : other;
  const delivery = await ledger.accept(account, to, null, idAt(START + n));
  if (to === endpoint) ids.push(delivery.id);
  // The first deliveries are all pending, the last have all ended.
  const share = n < 20 ? 0 : n < 60 ? ((n >> 1) * 7) % 3 : 3;
  if (share > 0) await ledger.end(delivery, { status: "delivered" });
}

const place = fc.option(fc.integer({ min: 0, max: DELIVERIES - 1 }), { nil: undefined });
const anyRange = fc.record({ from: place, after: place, before: place });
const anyEnd: fc.Arbitrary<RangeEnd> = fc.record({
  order: fc.constantFrom("newest", "oldest"),
  rows: fc.constantFrom(1, 2, 3, 5, 20, 100),
});

test("an endpoint's deliveries at either end of a range are all found, ended and pending", async () => {
  await fc.assert(
    fc.asyncProperty(anyRange, anyEnd, fc.constantFrom(null, 0), async (places, end, shortIn) => {
      const range: IdRange = Object.fromEntries(
        Object.entries(places).flatMap(([name, at]) => (at === undefined ? [] : [[name, ids[at]]])),
      );
      const rows = await database.db.run(
        (sql) => sql<{ id: DeliveryId }[]>`
          select id from (${idsOfEndpoint(sql, account, { endpointId: endpoint, shortIn }, range, end)}) c order by id`,
      );
      const found = rows.map(({ id }) => id);
      const { from = "", after = "", before = "g" } = range;
      const wanted = ids.filter((id) => id >= from && id > after && id < before);
      const take = (all: DeliveryId[]) =>
        end.order === "newest" ? all.slice(-end.rows) : all.slice(0, end.rows);
      expect(take(found)).toEqual(take(wanted));
    }),
    { numRuns: 300 },
  );
});

test("no other endpoint's results are read for them, with and without statistics", async () => {
  const own = await testDatabase();
  const ledger = new Ledger(own.db);
  const sender = await ledger.account();
  const [mine, other] = [await ledger.endpoint(sender), await ledger.endpoint(sender)];
  const old = await ledger.accept(sender, mine, null, idAt(START));
  await ledger.end(old, { status: "delivered" });
  await own.db.run(
    (sql) => sql`
      insert into results (delivery_id, account_id, endpoint_id, status, attempt_count, completed_at)
      select (${idAt(START + 1).slice(0, 24)} || lpad(to_hex(n), 12, '0'))::uuid, ${sender}, ${other}, 'delivered', 1, now()
      from generate_series(1, ${OTHERS}::integer) n`,
  );
  for (const analyze of [false, true]) {
    if (analyze) await own.db.run((sql) => sql`analyze`);
    for (const order of ["newest", "oldest"] as const) {
      const read = await own.db.transaction(async (sql) => {
        const queue = { endpointId: mine, shortIn: 0 };
        const before = await resultsRead(sql);
        const rows = await sql`${idsOfEndpoint(sql, sender, queue, {}, { order, rows: 21 })}`;
        expect(rows.map(({ id }) => id)).toEqual([old.id]);
        return (await resultsRead(sql)) - before;
      });
      expect(read).toBeLessThanOrEqual(1);
    }
  }
  await own.drop();
});

test("a long queue is read no further than needed, although most endpoints have little pending", async () => {
  const own = await testDatabase();
  const ledger = new Ledger(own.db);
  const sender = await ledger.account();
  const dead = await ledger.endpoint(sender);
  await own.db.run((sql) => sql`alter table queue set (autovacuum_enabled = false)`);
  const fill = () =>
    own.db.run(
      (sql) => sql`
        insert into queue (partition, endpoint_id, sequence, delivery_id, account_id)
        select n / 10 % 8 * (1 - o.is_dead), case o.is_dead when 1 then ${dead} else gen_random_uuid() end, n,
          (${idAt(START).slice(0, 24)} || lpad(to_hex(n), 12, '0'))::uuid, ${sender}
        from generate_series(1, ${OTHERS}::integer) n, lateral (select (n % 10 > 0)::integer as is_dead) o`,
    );
  await fill();
  await own.db.run((sql) => sql`delete from queue`);
  // The statistics are at first of an empty queue with many pages.
  await own.db.run((sql) => sql`analyze queue`);
  await fill();
  const queue = { endpointId: dead, shortIn: null };
  for (const analyze of [false, true]) {
    if (analyze) await own.db.run((sql) => sql`analyze queue`);
    for (const order of ["newest", "oldest"] as const) {
      const read = await fetchedBy(own, "queue", (db) =>
        db.run((sql) => sql`${idsOfEndpoint(sql, sender, queue, {}, { order, rows: 21 })}`),
      );
      expect(read).toBeLessThan(50);
    }
  }
  await own.drop();
});

async function resultsRead(sql: TransactionSql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::integer as count from pg_stat_xact_user_tables
    where relname like 'results%'
  `;
  return row?.count ?? 0;
}
