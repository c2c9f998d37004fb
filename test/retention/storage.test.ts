import { expect, test } from "bun:test";
import connect from "postgres";
import { Retention } from "../../src/retention/retention";
import { readStorage } from "../../src/retention/storage";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import { useDatabase } from "../support/postgres";

const database = await useDatabase();

const DAY = 86_400_000;
const read = () => database.db.run(readStorage);

test("the size is that of the tables, indexes and long values, and the oldest range begins where the first one ends", async () => {
  const { db } = database;
  await new Retention({ db, clock: systemClock, log: createLog("silent"), retentionMs: 30 * DAY }).maintain();
  const before = await read();
  const [range] = await db.run(
    (sql) => sql<{ size: number }[]>`
      select sum(pg_total_relation_size(oid))::float8 as size from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace
    `,
  );
  expect(before.bytes).toBe(range?.size ?? 0);
  expect(before.bytes).toBeGreaterThan(1e5);
  // The database is new, and its ranges are days.
  const age = Date.now() - (before.oldestRange ?? 0);
  expect(age).toBeGreaterThan(0);
  expect(age).toBeLessThan(3 * DAY);
});

test("the oldest transaction is another one's, and 0 without one", async () => {
  const sql = connect(database.url, { max: 1 });
  try {
    await sql.begin(async (own) => {
      await own`select 1`;
      await Bun.sleep(50);
      expect((await read()).oldestTransactionMs).toBeGreaterThanOrEqual(50);
    });
    expect((await read()).oldestTransactionMs).toBe(0);
  } finally {
    await sql.end();
  }
});
