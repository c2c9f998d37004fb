import { describe, expect, spyOn, test } from "bun:test";
import { type Capacity, Database, DatabaseUnavailable } from "../../src/db/database";
import type { Sql } from "../../src/db/pool";
import { arrayOf } from "../../src/db/sql/arrays";
import { createLog, type Log } from "../../src/runtime/log";
import { atEnd } from "../support/at-end";
import { until } from "../support/faults/until";
import { useDatabase } from "../support/postgres";

function openDatabase(options: Capacity & { queryTimeoutMs?: number }): Database {
  const log = createLog("silent");
  return new Database({ url: other.url, statementTimeoutMs: 5_000, queryTimeoutMs: 5_000, log, ...options });
}

const other = await useDatabase();
const database = openDatabase({ size: 2 });
await database.run((sql) => sql`create table kept (n integer)`);
atEnd(() => database.close());

/** Waits for a lock that a test holds. */
const awaitLock = (own: Database) => own.run((sql) => sql`select pg_advisory_xact_lock_shared(1), 7 as n`);

/** Holds the lock while `work` runs, and returns its result, whose promises may wait for the lock. */
async function whileLocked<T extends object>(work: () => Promise<T>): Promise<T> {
  return other.db.transaction(async (sql) => {
    await sql`select pg_advisory_xact_lock(1)`;
    return work();
  });
}

/** Resolves once this many queries wait for the lock. */
async function untilWaiting(count: number): Promise<void> {
  const waiting = () =>
    other.db.run(
      (sql) => sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
  await until(async () => (await waiting()).length === count, { what: "queries that wait for the lock" });
}

async function isConnected(pid: number): Promise<boolean> {
  return (await other.db.run((sql) => sql`select from pg_stat_activity where pid = ${pid}`)).length > 0;
}

test("an acknowledged write is committed, even if transactions begin while every connection is busy", async () => {
  const insert = (n: number) => database.run((sql) => sql`insert into kept values (${n})`);
  const inTransaction = (n: number) =>
    database.transaction(async (sql) => {
      await sql`insert into kept values (${n})`;
    });
  // Prepared before, so that a statement on a busy connection is one message.
  for (let i = 0; i < 6; i++) await Promise.all([awaitLock(database), awaitLock(database)]);
  const { busy } = await whileLocked(async () => {
    const busy = Promise.all([awaitLock(database), awaitLock(database)]);
    await untilWaiting(2);
    await Promise.all([inTransaction(0), inTransaction(1)]);
    return { busy };
  });
  await busy;
  for (let n = 2; n < 20; n++) await insert(n);
  await Promise.all(Array.from({ length: 40 }, (_, i) => (i % 2 ? insert(20 + i) : inTransaction(20 + i))));
  const seen = await other.db.run((sql) => sql<{ n: number }[]>`select n from kept order by n`);
  expect(seen.map(({ n }) => n)).toEqual(Array.from({ length: 60 }, (_, n) => n));
});

test("work that waits too long for a connection is abandoned, and never runs", async () => {
  const busy = [1, 2].map(() => database.run((sql) => sql`select pg_sleep(0.3)`));
  const late = database.run((sql) => sql`insert into kept values (1000)`, 50);
  expect(late).rejects.toThrow("Postgres is unreachable");
  await Promise.all(busy);
  const [row] = await database.run((sql) => sql`select count(*)::integer as count from kept where n = 1000`);
  expect(row?.count).toBe(0);
});

test("an answered statement leaves no timer", async () => {
  const [set, clear] = [spyOn(globalThis, "setTimeout"), spyOn(globalThis, "clearTimeout")];
  await database.run((sql) => sql`select 1`);
  const ours = set.mock.calls.flatMap(([, ms], i) => (ms === 5_000 ? [set.mock.results[i]?.value] : []));
  const cleared: unknown[] = clear.mock.calls.map(([timer]) => timer);
  set.mockRestore();
  clear.mockRestore();
  expect(ours).toHaveLength(1);
  expect(cleared).toContain(ours[0]);
});

test("transactions get a quarter as many connections as statements, and none waits for long", async () => {
  const own = openDatabase({ size: 8 });
  let [running, most] = [0, 0];
  const settings = await Promise.all(
    Array.from({ length: 6 }, () =>
      own.transaction(async (sql) => {
        most = Math.max(most, ++running);
        const [row] = await sql`select current_setting('idle_in_transaction_session_timeout') as idle`;
        // The second connection may take a while to open.
        while (most < 2) await sql`select pg_sleep(0.01)`;
        await sql`select pg_sleep(0.02)`;
        running--;
        return row?.idle;
      }),
    ),
  );
  expect([most, ...new Set(settings)]).toEqual([2, "5s"]);
  await own.close();
});

test("a connection of depth 2 has the next statement ready", async () => {
  const deep = openDatabase({ size: 1, depth: 2 });
  const sent: string[] = [];
  const slow = (name: string) =>
    deep.run((sql) => {
      sent.push(name);
      return sql`select pg_sleep(0.2)`;
    });
  await slow("prepared");
  const three = ["first", "second", "third"].map(slow);
  await new Promise(setImmediate);
  expect(sent).toEqual(["prepared", "first", "second"]);
  await Promise.all(three);
  await deep.close();
});

test("neither a slow statement nor a caller with a short timeout loses a connection", async () => {
  const log = createLog("silent");
  let missed = 0;
  const meter = { took: () => {}, missed: () => void missed++ };
  const own = new Database({
    url: other.url,
    size: 1,
    statementTimeoutMs: 100,
    queryTimeoutMs: 5_000,
    log,
    meter,
  });
  const backend = async () => (await own.run((sql) => sql`select pg_backend_pid() as pid`))[0];
  const before = await backend();
  for (const timeoutMs of [5_000, 20])
    await expect(own.run((sql) => sql`select pg_sleep(2)`, timeoutMs)).rejects.toBeInstanceOf(
      DatabaseUnavailable,
    );
  // Longer than a lost pool waits to be replaced.
  await Bun.sleep(300);
  expect([await backend(), missed]).toEqual([before, 2]);
  await own.close();
});

describe("while all connections are busy", () => {
  const QUERY_MS = 1_000;

  /** Makes a database of one connection that counts how often it was considered lost. */
  function watched() {
    const own = openDatabase({ size: 1, queryTimeoutMs: QUERY_MS });
    let losses = 0;
    own.onLost(() => losses++);
    return { own, losses: () => losses };
  }

  /** Holds the connection until `release`. Its caller waits for that long. */
  function hold(own: Database, timeoutMs?: number) {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const done = own.run(() => {
      entered.resolve();
      return promise;
    }, timeoutMs);
    return { entered: entered.promise, release, done };
  }

  test("no connection counts as lost, whether waiting statements run late or not at all", async () => {
    const { own, losses } = watched();
    const holder = hold(own, 60_000);
    const never = hold(own);
    await expect(never.done).rejects.toThrow("no connection was free");
    const late = hold(own);
    await Bun.sleep(0.5 * QUERY_MS);
    holder.release();
    await late.entered;
    await expect(late.done).rejects.toThrow("no answer");
    late.release();
    const [row] = await own.run((sql) => sql`select 1 as one`);
    expect([row?.one, losses()]).toEqual([1, 0]);
    await own.close();
  });

  test("a connection that goes silent is lost, even if its statement waited before", async () => {
    const { own, losses } = watched();
    const holder = hold(own, 60_000);
    const late = hold(own);
    await Bun.sleep(0.5 * QUERY_MS);
    holder.release();
    await expect(late.done).rejects.toThrow("no answer");
    while (losses() === 0) await Bun.sleep(5);
    late.release();
    await own.close();
  });

  test("a connection that goes silent is lost, even if its caller had a short timeout", async () => {
    const { own, losses } = watched();
    const hurried = hold(own, 20);
    await expect(hurried.done).rejects.toThrow("no answer");
    expect(losses()).toBe(0);
    // Once when it is noticed, and once when the pool has been replaced.
    while (losses() < 2) await Bun.sleep(5);
    const [row] = await own.run((sql) => sql`select 1 as one`);
    expect(row?.one).toBe(1);
    hurried.release();
    await own.close();
  });
});

test("a pool that is replaced while a statement waits in it leaves no connection behind", async () => {
  const deep = openDatabase({ size: 1, depth: 2, queryTimeoutMs: 100 });
  const connections = async () => {
    const [row] = await other.db.run(
      (sql) => sql<{ count: number }[]>`
        select count(*)::integer as count from pg_stat_activity
        where datname = current_database() and query like '%left behind%' and pid <> pg_backend_pid()`,
    );
    return row?.count;
  };
  // A new statement each time: while it is described, nothing is sent behind it.
  for (let round = 0; round < 4; round++) {
    const first = deep.run((sql) => sql.unsafe(`select pg_sleep($1), 'left behind ${round}'`, [1]));
    const second = deep.run((sql) => sql`select 'left behind', ${round}::integer`);
    expect((await Promise.allSettled([first, second])).map(({ status }) => status)).toEqual([
      "rejected",
      "rejected",
    ]);
  }
  await deep.close();
  await until(async () => (await connections()) === 0);
});

test("a pool that lost connections is replaced once, and statements on its sound ones finish", async () => {
  const replaced: string[] = [];
  const note = (text: string) => replaced.push(text);
  const log = { warn: note, debug: note } as unknown as Log;
  const own = new Database({
    url: other.url,
    size: 3,
    statementTimeoutMs: 5_000,
    queryTimeoutMs: 5_000,
    log,
  });
  const pidOf = async (seconds: number): Promise<number> => {
    const [row] = await own.run((sql) => sql`select pg_backend_pid() as pid, pg_sleep(${seconds}::float8)`);
    return row?.pid;
  };
  const running = pidOf(0.6);
  const idle = await Promise.all([pidOf(0.1), pidOf(0.1)]);
  await other.db.run(
    (sql) => sql`select pg_terminate_backend(pid) from unnest(${arrayOf(idle)}::integer[]) as i(pid)`,
  );
  const pid = await running;
  expect(idle).not.toContain(pid);
  // Its end closes the rest of the old pool, which is no loss.
  await until(async () => !(await isConnected(pid)));
  await Bun.sleep(250);
  expect(replaced).toHaveLength(1);
  await own.close();
});

test("statements that wait while the pool is replaced run in the new one, and the old one then ends", async () => {
  const own = openDatabase({ size: 1, queryTimeoutMs: 100 });
  const used: Sql[] = [];
  const run = (seconds: number, timeoutMs?: number) =>
    own.run((sql) => {
      used.push(sql);
      return sql`select pg_sleep(${seconds}::float8), pg_backend_pid() as pid`;
    }, timeoutMs);
  const [before] = await run(0, 20_000);
  const late = run(1);
  const waiting = run(0, 20_000);
  await expect(late).rejects.toBeInstanceOf(DatabaseUnavailable);
  await waiting;
  await run(0, 20_000);
  expect(used.map((sql) => sql === used[0])).toEqual([true, true, false, false]);
  const since = performance.now();
  await until(async () => !(await isConnected(before?.pid)));
  // Long before it would be abandoned.
  expect(performance.now() - since).toBeLessThan(4_000);
  await own.close();
});

test("a close waits for running statements", async () => {
  const own = openDatabase({ size: 1 });
  const { running, closing } = await whileLocked(async () => {
    const running = awaitLock(own);
    await untilWaiting(1);
    return { running, closing: own.close() };
  });
  await closing;
  expect((await running)[0]?.n).toBe(7);
});

test("a transaction that was idle for too long fails with that reason, and no other fails for it", async () => {
  const standing = new Database({
    url: other.url,
    size: 4,
    log: createLog("silent"),
    queryTimeoutMs: 5_000,
    statementTimeoutMs: 5_000,
    session: { idle_in_transaction_session_timeout: "50ms" },
  });
  const following = () => standing.transaction(async (sql) => (await sql`select 1`).length);
  const answers: unknown[] = [];
  for (let i = 0; i < 10; i++) {
    const stood = standing.transaction(async (sql) => {
      await sql`select 1`;
      // Blocks the process, so that it reads nothing meanwhile.
      Bun.sleepSync(150);
      await sql`select 2`;
    });
    answers.push(await stood.catch((error: unknown) => error));
    const others = await Promise.allSettled(Array.from({ length: 6 }, following));
    answers.push(...others.flatMap((each) => (each.status === "rejected" ? [each.reason] : [])));
  }
  await standing.close();
  expect(answers.filter((each) => !(each instanceof DatabaseUnavailable))).toEqual([]);
});
