import { beforeEach, expect, test } from "bun:test";
import { foldCounterDeltas, foldingCounterDeltas } from "../../src/deliveries/counter-deltas";
import { type DeliveryCounts, readCounts, readCountsBoth } from "../../src/deliveries/counts";
import { Stats } from "../../src/deliveries/stats";
import type { AccountId } from "../../src/domain/ids";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import { until } from "../support/faults/until";
import { useDatabase } from "../support/postgres";
import { Ledger } from "./ledger";

let account: AccountId;
const database = await useDatabase();

beforeEach(async () => {
  account = await new Ledger(database.db).account();
});

function tally(event: string, accepted: number, delivered = 0): Promise<unknown> {
  return database.db.run(
    (sql) => sql`
      insert into counter_deltas (account_id, event, accepted, delivered)
      values (${account}, ${event}, ${accepted}, ${delivered})`,
  );
}

const counts = (event?: string) => database.db.run((sql) => readCounts(sql, account, event));

/** Reads the account's figures only, since the test before may have left others. */
async function waiting(): Promise<number> {
  const [row] = await database.db.run(
    (sql) => sql<{ n: number }[]>`select count(*) as n from counter_deltas where account_id = ${account}`,
  );
  return row?.n ?? Number.NaN;
}

test("figures are the same before and after deltas are folded", async () => {
  await tally("a", 5, 2);
  await tally("b", 3, 3);
  const figures = async () => [
    await counts(),
    await counts("a"),
    await counts("none"),
    await database.db.run((sql) => readCountsBoth(sql, account, "b")),
    await new Stats(database.db).of(account),
  ];
  const before = await figures();
  expect(before[0]).toEqual({ total: 8, delivered: 5, failed: 0, cancelled: 0, pending: 3 });
  expect(before[1]).toEqual({ total: 5, delivered: 2, failed: 0, cancelled: 0, pending: 3 });
  await database.db.run(foldCounterDeltas);
  expect(await waiting()).toBe(0);
  expect(await figures()).toEqual(before);
  // They do not change without deltas, and later deltas are added.
  await database.db.run(foldCounterDeltas);
  await tally("a", 1, 1);
  await database.db.run(foldCounterDeltas);
  expect(await counts("a")).toMatchObject({ total: 6, delivered: 3 });
  expect(await counts()).toMatchObject({ total: 9, delivered: 6 });
});

test("no delta is counted twice or lost at any moment, while several write and several fold", async () => {
  const WRITERS = 4;
  const EACH = 60;
  const READS = 10;
  let written = 0;
  let begun = 0;
  let isOver = false;
  const seen: DeliveryCounts[] = [];
  const write = async () => {
    for (let i = 0; i < EACH || (seen.length < READS && i < 100 * EACH); i++) {
      begun++;
      await tally("a", 1);
      written++;
    }
  };
  const add = async () => {
    while (!isOver) await database.db.run(foldCounterDeltas);
  };
  const read = async () => {
    while (!isOver) {
      const least = written;
      const { all, ofEvent } = await database.db.run((sql) => readCountsBoth(sql, account, "a"));
      expect(all.total).toBe(ofEvent.total);
      expect(all.total).toBeGreaterThanOrEqual(least);
      expect(all.total).toBeLessThanOrEqual(begun);
      seen.push(all);
    }
  };
  const writing = Promise.all(Array.from({ length: WRITERS }, write)).finally(() => {
    isOver = true;
  });
  await Promise.all([writing, add(), add(), read()]);
  expect(await counts()).toMatchObject({ total: begun });
});

test("a fold that dies in the middle changes nothing", async () => {
  await tally("a", 7);
  const added = database.db.transaction(async (sql) => {
    await foldCounterDeltas(sql);
    throw new Error("died");
  });
  await expect(added).rejects.toThrow("died");
  expect(await counts("a")).toMatchObject({ total: 7 });
  expect(await waiting()).toBe(1);
});

test("deltas are folded for as long as the service runs, also after an outage of Postgres", async () => {
  const own = database.open({ size: 2 });
  const log = createLog("silent");
  const adding = foldingCounterDeltas({ db: own, clock: systemClock, log });
  adding.start();
  await tally("a", 1);
  await until(async () => (await waiting()) === 0);
  const [terminated] = await database.db.run(
    (sql) => sql<{ count: number }[]>`
      select count(pg_terminate_backend(pid)) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and query like '%pg_try_advisory_xact_lock%'`,
  );
  expect(terminated?.count).toBeGreaterThan(0);
  await tally("a", 1);
  await until(async () => (await waiting()) === 0);
  expect(await counts("a")).toMatchObject({ total: 2 });
  await adding.stop();
});
