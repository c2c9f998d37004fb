import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { Database, DatabaseUnavailable } from "../../src/db/database";
import { createLog } from "../../src/runtime/log";
import { quantile } from "../support/faults/lag";
import { terminateBackends } from "../support/faults/postgres-server";
import type { Writing } from "../support/faults/writing-through-breaks";
import { useDatabase } from "../support/postgres";

setDefaultTimeout(120_000);

const ROUNDS = 120;
const APART_MS = 20;
/** Beside other work on the machine, recovery may take several measurements. */
const RECOVERY_MS = 20_000;
const SLICE_MS = 50;
const PAIRS = 9;

const server = await useDatabase();

function open(size = 8): Database {
  const { url } = server;
  const log = createLog("silent");
  return new Database({ url, size, statementTimeoutMs: 2_000, queryTimeoutMs: 2_000, log });
}

/** Queries without a pause until aborted, and returns only if every query ended. */
async function askOn(
  database: Database,
  stopped: AbortSignal,
): Promise<{ answered: number; others: unknown[] }> {
  const others: unknown[] = [];
  let answered = 0;
  const ask = async () => {
    while (!stopped.aborted) {
      try {
        await database.run((sql) => sql`select 1`);
        answered++;
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) others.push(error);
        await Bun.sleep(1);
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, ask));
  return { answered, others };
}

/** Counts the answers in a slice of time. */
async function speedOf(database: Database): Promise<number> {
  const { answered } = await askOn(database, AbortSignal.timeout(SLICE_MS));
  return answered;
}

/** Returns the speed as a share of a fresh pool's. Measured alternately, so that both see the same machine. */
async function shareOfSpeed(battered: Database, fresh: Database): Promise<number> {
  const shares: number[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const [own, other] = [await speedOf(battered), await speedOf(fresh)];
    shares.push(own / Math.max(other, 1));
  }
  return quantile(shares, 0.5);
}

test(`a pool is as fast as a new one after ${ROUNDS} rounds of terminated backends, and no query hangs`, async () => {
  const [battered, fresh] = [open(), open()];
  const over = new AbortController();
  const asking = askOn(battered, over.signal);
  await terminateBackends(server.url, ROUNDS, APART_MS);
  over.abort();
  const { others } = await asking;
  expect(others).toEqual([]);
  const until = performance.now() + RECOVERY_MS;
  let share = 0;
  while (share < 0.9 && performance.now() < until) share = await shareOfSpeed(battered, fresh);
  expect(share).toBeGreaterThanOrEqual(0.9);
  await Promise.all([battered.close(), fresh.close()]);
});

test("a transaction that begins while every connection is busy shares its connection with no other query", async () => {
  const [database, other] = [open(2), open(2)];
  await database.run((sql) => sql`create table kept (n integer)`);
  const busy = Array.from({ length: 4 }, () => database.run((sql) => sql`select pg_sleep(0.2)`));
  const insert = (n: number) => database.run((sql) => sql`insert into kept values (${n})`);
  const transactions = [1, 2, 3].map((n) =>
    database.transaction(async (sql) => {
      await sql`insert into kept values (${n})`;
    }),
  );
  await Promise.all([...busy, ...transactions]);
  await Promise.all([4, 5, 6, 7].map(insert));
  // Another connection sees every committed row.
  const seen = await other.run((sql) => sql<{ n: number }[]>`select n from kept order by n`);
  expect(seen.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  await Promise.all([database.close(), other.close()]);
});

test("an acknowledged write is stored exactly once, however often connections break", async () => {
  const database = open(1);
  await database.run((sql) => sql`drop table if exists kept`);
  await database.run((sql) => sql`create table kept (n integer)`);
  await database.close();
  const script = join(import.meta.dir, "../support/faults/writing-through-breaks.ts");
  // Runs as a process of its own, which an uncaught error of the driver would end.
  const writing = Bun.spawn([process.execPath, script, server.url], { stdout: "pipe", stderr: "inherit" });
  const reported = (await new Response(writing.stdout).json()) as Writing;
  const { breaks, acknowledged, lost, doubled, others } = reported;
  expect({ lost, doubled, others }).toEqual({ lost: 0, doubled: 0, others: [] });
  expect(breaks).toBeGreaterThan(20);
  expect(acknowledged).toBeGreaterThan(breaks);
});
