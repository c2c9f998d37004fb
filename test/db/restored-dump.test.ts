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
    await database.db.run(leave);
    await migrateDatabase(database.url);
    const accepted = await accept();
    const { data } = await new Deliveries(database.db).iterate(account, { from: "start", limit: 10 });
    expect(data.map(({ id }) => id)).toEqual([...restored, accepted]);
    await database.drop();
  },
);
