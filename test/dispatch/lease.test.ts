import { afterAll, beforeAll, expect, test } from "bun:test";
import { Leases } from "../../src/dispatch/lease";
import { type TestDatabase, testDatabase } from "../support/postgres";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test("a dispatcher that ran out renews without waiting for another that does the same", async () => {
  const [one, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const leases = new Leases(database.open({ size: 2 }), one, 5_000);
  await leases.prepare(8);
  await database.db.run(
    (sql) => sql`
      insert into dispatchers (id, expires_at)
      values (${one}, now() - interval '1 second'), (${other}, now() - interval '1 second')`,
  );
  await database.db.transaction(async (sql) => {
    await sql`update dispatchers set expires_at = now() + interval '5 seconds' where id = ${other}`;
    expect(await leases.renew()).toMatchObject({ share: 8 });
  });
  expect(await leases.renew()).toMatchObject({ share: 4 });
});
