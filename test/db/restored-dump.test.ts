import { expect, test } from "bun:test";
import type { Sql } from "../../src/db/pool";
import { Deliveries } from "../../src/deliveries/deliveries";
import { migrateDatabase } from "../../src/installation/migrate";
import { Ledger } from "../deliveries/ledger";
import { testDatabase } from "../support/postgres";

/** Signs of another server, or of a restore on a copy of the same one. */
const TRACES = {
  "another server": (sql: Sql) => sql`update settings set value = 'another' where name = 'server'`,
  "a table made anew": (sql: Sql) => sql`
    do $$ begin
      create table restored (like settings including all);
      insert into restored select * from settings;
      drop table settings;
      alter table restored rename to settings;
    end $$`,
};

test.each(Object.entries(TRACES))(
  "an iterator returns the restored deliveries before those accepted since: %s",
  async (_, leave) => {
    const database = await testDatabase();
    const ledger = new Ledger(database.db);
    const account = await ledger.account();
    const endpoint = await ledger.endpoint(account);
    const accept = async () => (await ledger.accept(account, endpoint, null)).id;
    const restored = [await accept(), await accept(), await accept()];
    // As the server that was dumped had counted, the one of the oldest up to where this one is.
    await database.db.run(
      (sql) => sql`update deliveries set transaction = '1000000' where id <> ${restored[0] ?? ""}`,
    );
    const deliveries = new Deliveries(database.db);
    const { position: begun } = await deliveries.iterate(account, { from: "start", limit: 1 });
    await database.db.run(leave);
    await migrateDatabase(database.url);
    const accepted = await accept();
    const { data } = await deliveries.iterate(account, { from: "start", limit: 10 });
    expect(data.map(({ id }) => id)).toEqual([...restored, accepted]);
    const rest = await deliveries.iterate(account, { from: begun, limit: 10 });
    expect(rest.data.map(({ id }) => id)).toEqual([...restored.slice(1), accepted]);
    await database.drop();
  },
);

test("an iterator of deliveries that a restored backup lacks returns what was accepted since", async () => {
  const database = await testDatabase();
  const ledger = new Ledger(database.db);
  const deliveries = new Deliveries(database.db);
  const account = await ledger.account();
  const endpoint = await ledger.endpoint(account);
  const lost = await ledger.accept(account, endpoint, null);
  const { position } = await deliveries.iterate(account, { from: "start", limit: 10 });
  await database.db.run((sql) => sql`delete from deliveries where id = ${lost.id}`);
  await database.db.run(TRACES["another server"]);
  await migrateDatabase(database.url);
  const accepted = await ledger.accept(account, endpoint, null);
  // As on a server that has not come as far as the lost one had.
  const from = { ...position, transaction: "1000000" };
  const { data } = await deliveries.iterate(account, { from, limit: 10 });
  expect(data.map(({ id }) => id)).toEqual([accepted.id]);
  await database.drop();
});
