import { describe, expect, test } from "bun:test";
import { Database } from "../../src/db/database";
import { type SettingsTaken, SHARED } from "../../src/db/settings-taken";
import { examine } from "../../src/doctor/doctor";
import { migrateDatabase } from "../../src/installation/migrate";
import { createLog } from "../../src/runtime/log";
import { readConfig } from "../../src/service/config";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";
import { HAS_PGBOUNCER, PgBouncer } from "../support/pgbouncer";
import { useDatabase } from "../support/postgres";

const database = await useDatabase();

/** The parameters that are removed, and the settings in each session and transaction of a pool. */
async function settingsThrough(url: string) {
  const left: string[] = [];
  const settings = await migrateDatabase(url, { leftOut: (names) => left.push(...names) });
  const db = open(url, settings);
  try {
    const inForce = await Promise.all([
      ...Array.from({ length: 4 }, () => settingsOf(db)),
      db.transaction((sql) => sql<Row[]>`${sql.unsafe(SHOWN)}`),
    ]);
    return { left, follow: settings.follow, inForce: inForce.flat() };
  } finally {
    await db.close();
  }
}

type Row = { timeout: string; lock: string; memory: string; name: string; zone: string };
const SHOWN = `select current_setting('statement_timeout') as timeout, current_setting('lock_timeout') as lock,
  current_setting('work_mem') as memory, current_setting('application_name') as name,
  current_setting('timezone') as zone`;

function open(url: string, settings: SettingsTaken): Database {
  const limits = { statementTimeoutMs: 4_321, queryTimeoutMs: 5_000 };
  const session = { lock_timeout: "77ms" };
  return new Database({ url, settings, session, size: 4, ...limits, log: createLog("silent") });
}

function settingsOf(db: Database): Promise<Row[]> {
  return db.run((sql) => sql<Row[]>`${sql.unsafe(SHOWN)}, pg_sleep(0.05)`);
}

const QUERY =
  "?schema=public&work_mem=5MB&connection_limit=7&pgbouncer=true&application_name=mine&TimeZone=Asia/Kolkata";
const IN_FORCE = Array(5).fill({ timeout: "4321ms", lock: "77ms", memory: "5MB", name: "mine", zone: "UTC" });
const LEFT = ["schema", "connection_limit", "pgbouncer"];

test("settings apply, and another program's parameters are removed", async () => {
  const { left, follow, inForce } = await settingsThrough(database.url + QUERY);
  expect({ left: left.toSorted(), follow }).toEqual({ left: LEFT.toSorted(), follow: false });
  expect(inForce).toMatchObject(IN_FORCE);
});

test("a parameter that Postgres knows and refuses is an error", async () => {
  await expect(migrateDatabase(`${database.url}?work_mem=nonsense`)).rejects.toThrow(
    "Postgres can't be used",
  );
});

// Where PgBouncer is not installed, this is reported as skipped.
describe.skipIf(!HAS_PGBOUNCER)("behind PgBouncer", () => {
  test.each([
    ["as it comes", []],
    [
      "that drops what it does not know",
      [
        "ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout,lock_timeout,work_mem,schema,connection_limit,pgbouncer",
      ],
    ],
  ])("%s the same settings apply", async (_, lines) => {
    await using bouncer = await PgBouncer.start(database.url, lines);
    const { left, follow, inForce } = await settingsThrough(bouncer.url + QUERY);
    expect({ left: left.toSorted(), follow }).toEqual({ left: LEFT.toSorted(), follow: true });
    expect(inForce).toMatchObject(IN_FORCE);
  });

  test.each([
    ["as it comes", []],
    ["with few sessions", ["default_pool_size = 1"]],
  ])("transaction mode, %s, is refused before anything is locked or changed", async (_, lines) => {
    await using bouncer = await PgBouncer.start(database.url, ["pool_mode = transaction", ...lines]);
    const refused = await migrateDatabase(bouncer.url).catch((error: Error) => error.cause);
    expect(refused).toMatchObject({ message: SHARED });
    const locks = await database.db.run(
      (sql) => sql`
          select from pg_locks l join pg_database d on d.oid = l.database
          where l.locktype = 'advisory' and d.datname = current_database()`,
    );
    expect(locks).toHaveLength(0);
    const env = { DATABASE_URL: bouncer.url, NATS_URL: "nats://127.0.0.1:9" };
    const found = (await examine(readConfig(env))).filter(({ subject }) => subject === "postgres");
    expect(found).toEqual([{ state: "fault", subject: "postgres", text: SHARED }]);
  });

  test("the whole service delivers in order", async () => {
    await using cluster = await Cluster.start({ postgres: "shared" });
    await using bouncer = await PgBouncer.start(await cluster.databaseUrl());
    await cluster.launch("api", "api", { DATABASE_URL: bouncer.url });
    await cluster.launch("dispatcher", "dispatcher", { DATABASE_URL: bouncer.url });
    const endpoints = await cluster.newEndpoints(3);
    const apis = [cluster.client.baseUrl];
    const load = new Load({ apis, key: KEY, endpoints, random: new Random(3), workers: 8 });
    await load.sendAll(200);
    await cluster.settled();
    expect(check(await cluster.evidence([load]))).toEqual([]);
  }, 120_000);

  test("the same settings apply again after its servers have died", async () => {
    await using bouncer = await PgBouncer.start(database.url);
    const db = open(bouncer.url, await migrateDatabase(bouncer.url));
    const isInForce = async () => (await settingsOf(db))[0]?.timeout === "4321ms";
    expect(await isInForce()).toBeTrue();
    for (let round = 0; round < 5; round++) {
      await database.db.run(
        (sql) => sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and application_name = 'hermod'`,
      );
      await until(() => isInForce().catch(() => false), { what: "a session with its settings" });
      expect(await Promise.all([1, 2, 3, 4].map(isInForce))).toEqual([true, true, true, true]);
    }
    await db.close();
  });
});
