import { expect, test } from "bun:test";
import type { Database } from "../../src/db/database";
import { migrateDatabase } from "../../src/db/migrate";
import type { TransactionSql } from "../../src/db/pool";
import { Deliveries } from "../../src/deliveries/history";
import type { AccountId, EndpointId } from "../../src/runtime/ids";
import { type Accepted, Ledger } from "../deliveries/ledger";
import { testDatabase } from "../support/postgres";

test("what the first version recorded is read after the upgrade: attempts, and lists by endpoint", async () => {
  const database = await testDatabase();
  const ledger = new Ledger(database.db);
  const accountId = await ledger.account();
  const endpoint = await ledger.endpoint(accountId);
  // As the version before left it.
  await database.db.transaction(async (sql) => {
    await sql`drop table tallies`;
    await sql`drop trigger results_endpoint on results`;
    await sql`drop function results_endpoint`;
    await sql`alter table results drop column duration_ms, drop column response_body, drop column endpoint_id`;
    await sql`create index deliveries_endpoint on deliveries (endpoint_id, id)`;
    await sql`drop index feed_outbox_account, jobs_running_of_account`;
    await sql`alter table jobs drop column waited_ms`;
    await sql`alter table mailboxes drop column filter_revision`;
    await sql`delete from drizzle.__drizzle_migrations where id > 1`;
  });
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
