import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { Database } from "../../src/db/database";
import { type EmbeddedPostgres, startPostgres } from "../../src/embedded/postgres";
import { migrateDatabase } from "../../src/installation/migrate";
import { adviceOn, readServerSettings, type ServerSettings } from "../../src/installation/server-settings";
import { Retention } from "../../src/retention/retention";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import { poolSizes } from "../../src/service/pool-sizes";
import { copyCluster } from "../support/cluster-copy";

/** As many as two processes have by default, all reading every time range at once. */
const READERS = 52;
const DAY_MS = 86_400_000;

let folder: string;
let server: EmbeddedPostgres;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hermod-settings-"));
  await copyCluster(folder);
  const defaults = { max_locks_per_transaction: "64", max_connections: "100", shared_buffers: "128MB" };
  server = await startPostgres({ dataDir: folder, settings: { ...defaults, fsync: "off" } });
}, 120_000);
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

test("Postgres' default number of locks suffices for a month of time ranges and two processes", async () => {
  await migrateDatabase(server.url);
  await liveAMonth(server.url);
  const sql = postgres(server.url, { max: READERS, fetch_types: false });
  const everyoneReads = Promise.withResolvers<void>();
  let reading = 0;
  const read = () =>
    sql.begin(async (transaction) => {
      await transaction`
        select from deliveries d
        left join results r on r.endpoint_id = d.endpoint_id and r.delivery_id = d.id
        left join attempts a on a.delivery_id = d.id
        where d.account_id = ${crypto.randomUUID()} limit 1
      `;
      const [held] = await transaction<{ locks: number }[]>`
        select count(*)::int as locks from pg_locks where pid = pg_backend_pid()
      `;
      if (++reading === READERS) everyoneReads.resolve();
      await everyoneReads.promise;
      return held?.locks ?? 0;
    });
  const locks = await Promise.all(Array.from({ length: READERS }, read));
  expect(Math.min(...locks)).toBeGreaterThan(250);
  // Dropping a time range needs all its locks at once.
  const db = new Database({
    url: server.url,
    size: 1,
    statementTimeoutMs: 60_000,
    queryTimeoutMs: 60_000,
    log,
  });
  await new Retention({ db, clock: systemClock, log, retentionMs: DAY_MS }).maintain();
  await db.close();
  await sql.end();
}, 120_000);

const log = createLog("silent");

async function liveAMonth(url: string): Promise<void> {
  const db = new Database({ url, size: 1, statementTimeoutMs: 60_000, queryTimeoutMs: 60_000, log });
  for (let day = 30; day >= 0; day--) {
    const clock = { ...systemClock, now: () => Date.now() - day * DAY_MS };
    await new Retention({ db, clock, log, retentionMs: 30 * DAY_MS }).extend();
  }
  await db.close();
}

test("the settings of a real server are read, and the dangerous one is reported", async () => {
  const db = new Database({
    url: server.url,
    size: 1,
    statementTimeoutMs: 10_000,
    queryTimeoutMs: 10_000,
    log,
  });
  const settings = await db.run(readServerSettings);
  await db.close();
  expect(Object.values(settings)).toHaveLength(9);
  expect(adviceOn(settings, 26)).toEqual([
    { setting: "fsync", value: "off", isFault: true, advice: expect.stringContaining("on") },
  ]);
});

describe("advice", () => {
  const SOUND: ServerSettings = {
    fsync: "on",
    full_page_writes: "on",
    idle_session_timeout: "0",
    max_connections: "100",
    max_locks_per_transaction: "64",
    server_encoding: "UTF8",
    server_version_num: "150018",
    superuser_reserved_connections: "3",
    synchronous_commit: "on",
  };
  const found = (changed: Partial<ServerSettings>, connections = 26) =>
    adviceOn({ ...SOUND, ...changed }, connections).map(({ setting, isFault }) => ({ setting, isFault }));

  test("is empty for Postgres' defaults", () => {
    expect(adviceOn(SOUND, 97)).toEqual([]);
  });

  test.each([
    ["server_version_num", "140000"],
    ["server_encoding", "SQL_ASCII"],
    ["fsync", "off"],
    ["full_page_writes", "off"],
    ["synchronous_commit", "off"],
  ])("reports %s = %s as a fault", (setting, value) => {
    expect(found({ [setting]: value })).toEqual([{ setting, isFault: true } as never]);
  });

  test.each([
    ["max_locks_per_transaction", "32"],
    ["max_connections", "28"],
    ["idle_session_timeout", "60000"],
  ])("reports %s = %s as a weakness", (setting, value) => {
    expect(found({ [setting]: value })).toEqual([{ setting, isFault: false } as never]);
  });
});

test("a process's pools have at most its configured connections, and at least one each", () => {
  for (let connections = 8; connections <= 500; connections++) {
    const { requests, pipeline } = poolSizes(connections);
    expect(Math.min(requests, pipeline)).toBeGreaterThanOrEqual(2);
    const total = requests + Math.ceil(requests / 4) + pipeline + 3;
    expect({ connections, total, left: connections - total <= 1 }).toEqual({
      connections,
      total,
      left: true,
    });
    expect(total).toBeLessThanOrEqual(connections);
  }
});
