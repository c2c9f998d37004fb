import { expect, test } from "bun:test";
import type { Database } from "../../src/db/database";
import { BEFORE_ALL_IDS } from "../../src/deliveries/lists/cursor";
import { type DeliveryId, newId } from "../../src/domain/ids";
import { rangeOf, selectRange } from "../../src/jobs/range";
import { Ledger } from "../deliveries/ledger";
import { fetchedBy } from "../support/fetched";
import { useDatabase } from "../support/postgres";

const WAITING = 3_000;

const database = await useDatabase();
const ledger = new Ledger(database.db);
const account = await ledger.account();
const endpoint = await ledger.endpoint(account);
const ended = await ledger.accept(account, endpoint, null);
await ledger.end(ended, { status: "delivered" });
const pending = await ledger.accept(account, endpoint, null);
/** The endpoint's deliveries: an ended and a pending one. */
const ids: DeliveryId[] = [ended.id, pending.id];
const dead = await ledger.endpoint(account);
await database.db.run(
  (sql) => sql`
    insert into queue (partition, endpoint_id, sequence, delivery_id, account_id)
    select 3, ${dead}, n, (left(${newId("wh")}, 24) || lpad(to_hex(n), 12, '0'))::uuid, ${account}
    from generate_series(1, ${WAITING}::integer) n`,
);

async function readBy(db: Database): Promise<DeliveryId[]> {
  const scope = { accountId: account, endpointId: endpoint, event: null, createdBefore: Date.now() + 60_000 };
  const rows = await db.run(async (sql) => {
    const range = await rangeOf(sql, { ...scope, position: BEFORE_ALL_IDS });
    return sql<{ id: DeliveryId }[]>`${selectRange(sql, range, sql`i.id`, 500)}`;
  });
  return rows.map(({ id }) => id);
}

async function expectFound(wanted: DeliveryId[]): Promise<void> {
  let found: DeliveryId[] = [];
  const read = await fetchedBy(database, "queue", async (db) => {
    found = await readBy(db);
  });
  expect(found).toEqual(wanted);
  expect(read).toBeLessThan(10);
}

test("a job on an endpoint reads no other queue, however much its account has pending", async () => {
  await database.db.run((sql) => sql`analyze`);
  await expectFound(ids);
});

test("a job on a deleted endpoint does neither", async () => {
  await database.db.transaction(async (sql) => {
    await sql`update endpoints set deleted_at = now(), signing_secret = '' where id = ${endpoint}`;
    await sql`delete from mailboxes where endpoint_id = ${endpoint}`;
    await sql`delete from queue where endpoint_id = ${endpoint}`;
  });
  await expectFound(ids.slice(0, 1));
});
