import { expect, test } from "bun:test";
import { migrateDatabase } from "../../src/db/migrate";
import { Deliveries } from "../../src/deliveries/history";
import { Ledger } from "../deliveries/ledger";
import { testDatabase } from "../support/postgres";

test("attempts that were recorded before results had any are read after the upgrade", async () => {
  const database = await testDatabase();
  const ledger = new Ledger(database.db);
  const accountId = await ledger.account();
  const endpoint = await ledger.endpoint(accountId);
  // As the version before left it.
  await database.db.transaction(async (sql) => {
    await sql`alter table results drop column duration_ms, drop column response_body`;
    await sql`alter table mailboxes drop column filter_revision`;
    await sql`delete from drizzle.__drizzle_migrations where id > 1`;
  });
  const delivery = await ledger.accept(accountId, endpoint, "order.paid");
  await ledger.end(delivery, { status: "delivered" });
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
  await database.drop();
});
