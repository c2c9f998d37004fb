import { expect, test } from "bun:test";
import type { TransactionSql } from "../../src/db/pool";
import { Deliveries } from "../../src/deliveries/deliveries";
import { erasePayloads } from "../../src/deliveries/erasure";
import { newId } from "../../src/domain/ids";
import { fetchedBy } from "../support/fetched";
import { useDatabase } from "../support/postgres";
import { Ledger } from "./ledger";

const WAITING = 5_000;
const LISTED = 10;

/** Creates deliveries of another account. */
async function queueOthers(count: number): Promise<void> {
  await database.db.run(
    (sql) => sql`
      insert into queue (partition, endpoint_id, sequence, delivery_id, account_id)
      select 1, ${newId("ep")}, n, gen_random_uuid(), ${newId("acc")} from generate_series(1, ${count}::integer) n`,
  );
}

const database = await useDatabase();
await database.db.run((sql) => sql`alter table queue set (autovacuum_enabled = false)`);
// The statistics are of an empty queue: many pages and no row.
await queueOthers(20_000);
await database.db.run((sql) => sql`delete from queue`);
await database.db.run((sql) => sql`analyze queue`);
await queueOthers(WAITING);
const ledger = new Ledger(database.db);
const account = await ledger.account();
const endpoint = await ledger.endpoint(account);
for (let i = 0; i < LISTED; i++) await ledger.accept(account, endpoint, "order.paid");
await database.db.run((sql) => sql`analyze deliveries`);

test("a list reads only what it shows from the queue, although the statistics call it empty", async () => {
  const event = "order.paid";
  const byCursor = await fetchedBy(database, "queue", (db) =>
    new Deliveries(db).cursorForm(account, { event, limit: LISTED }),
  );
  const byPage = await fetchedBy(database, "queue", (db) =>
    new Deliveries(db).pageForm(account, { event, page: 1, perPage: LISTED }),
  );
  expect([byCursor, byPage]).toEqual([LISTED, LISTED]);
});

test("an erasure reads only what it erases from the queue, although its account has much more pending", async () => {
  const ledger = new Ledger(database.db);
  const endpoint = await ledger.endpoint(account);
  await database.db.run(
    (sql) => sql`
      insert into queue (partition, endpoint_id, sequence, delivery_id, account_id)
      select 2, ${newId("ep")}, n, gen_random_uuid(), ${account} from generate_series(1, ${WAITING}::integer) n`,
  );
  const doomed = await Promise.all([1, 2, 3].map(() => ledger.accept(account, endpoint, "order.erased")));
  const ids = doomed.map(({ id }) => id);
  const fetched = await fetchedBy(database, "queue", (db) =>
    // It is within a transaction already.
    db.run((sql) => erasePayloads(sql as unknown as TransactionSql, account, ids)),
  );
  // Each row is found, locked and deleted.
  expect(fetched).toBeLessThan(20);
});
