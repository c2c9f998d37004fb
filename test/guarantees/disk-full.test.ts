import { expect, setDefaultTimeout, test } from "bun:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { checkPostgres } from "../../src/doctor/postgres";
import { readConfig } from "../../src/service/config";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { SmallDisk } from "../support/faults/small-disk";
import { Trial } from "../support/faults/trial";
import { until } from "../support/faults/until";
import { isLong } from "../support/long";

setDefaultTimeout(120_000);

/** Characters in each payload: enough that Postgres soon needs another WAL file. */
const PADDING = 20_000;
const STREAM_BYTES = 1_048_576;

const canMount = (await SmallDisk.at(tmpdir(), 1)) !== null;
if (!canMount) console.log("skipped: a full disk needs a tmpfs, and mounting one is not permitted here");

/** Writes WAL until Postgres ends, which it does when it cannot write any more. */
async function writeMuchLog(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    for (;;) await sql`select pg_logical_emit_message(false, 'test', repeat('x', 4194304))`;
  } catch {
    await sql.end({ timeout: 1 });
  }
}

/** Returns the faults that doctor finds in this Postgres. */
async function postgresFaults(url: string): Promise<string[]> {
  const found = await checkPostgres(readConfig({ DATABASE_URL: url, NATS_URL: "nats://127.0.0.1:9" }));
  return found.flatMap(({ state, text }) => (state === "fault" ? [text] : []));
}

test.skipIf(!canMount)(
  "while Postgres' disk is full sends are answered 503, and everything goes on once there is space",
  async () => {
    await using cluster = await Cluster.start({ postgres: "embedded" });
    const disk = await SmallDisk.at(join(cluster.folder, "data"), 160);
    const service = await cluster.launch("all", "all", {}, disk ?? undefined);
    const endpoints = await cluster.newEndpoints(10);
    const random = new Random(12);
    const options = { apis: [service.url], key: KEY, endpoints, random, workers: 8, padding: PADDING };
    const load = new Load({ ...options, perSecond: 200 }).start();
    await until(() => load.accepted > 100, { what: "a load" });
    const before = await cluster.embedded.pids();
    const over = cluster.journal.begin("the disk is full", "crash");
    await disk?.fill(service.pid);
    const hasEnded = async () => {
      const now = await cluster.embedded.pids();
      return before.some((pid) => !now.includes(pid));
    };
    await until(() => load.sends.filter(({ outcome }) => outcome.kind === "refused").length > 20, {
      what: "refusals",
    });
    const begun = (await service.logged()).filter(({ msg }) => msg.startsWith("Postgres refuses writes"));
    expect(begun).toMatchObject([{ level: 40, code: "53100" }]);
    expect(await postgresFaults(await cluster.databaseUrl())).toContainEqual(
      expect.stringMatching(/^it refuses writes: .*No space left on device/),
    );
    await writeMuchLog(await cluster.databaseUrl());
    await until(hasEnded, { what: "the end of a Postgres without disk" });
    await disk?.free();
    const accepted = load.accepted;
    await until(() => load.accepted > accepted + 100, { what: "a load again" });
    over();
    await until(
      async () => (await service.logged()).some(({ msg }) => msg === "Postgres takes writes again"),
      { what: "the end of the refusals in the log" },
    );
    await load.stop();
    await cluster.settled();
    expect(check(await cluster.evidence([load]))).toEqual([]);
    expect(load.misfits).toEqual([]);
    const refusals = load.sends.flatMap(({ outcome }) => (outcome.kind === "accepted" ? [] : [outcome]));
    expect(refusals.filter((each) => each.kind === "unknown" || each.status !== 503)).toEqual([]);
    expect(refusals.length).toBeGreaterThan(0);
  },
);

test.concurrent.skipIf(!canMount || !isLong)(
  "a full disk under NATS delays deliveries, and does nothing worse",
  async () => {
    await using cluster = await Cluster.start({ postgres: "embedded" });
    const disk = await SmallDisk.at(join(cluster.folder, "data", "nats"), 64);
    const env = { HERMOD_STREAM_MAX_BYTES: "16777216" };
    const service = await cluster.launch("all", "all", env, disk ?? undefined);
    const trial = new Trial(cluster);
    await trial.underLoad(async () => {
      const over = cluster.journal.begin("the disk of NATS is full", "nuisance");
      await disk?.fill(service.pid);
      await trial.received(600);
      await disk?.free();
      over();
    });
  },
);

test.concurrent("a full stream delays deliveries, and does nothing worse", async () => {
  const env = { HERMOD_STREAM_MAX_BYTES: String(STREAM_BYTES) };
  await using cluster = await Cluster.start({ postgres: "shared", env });
  await cluster.launch("api", "api");
  const dispatcher = await cluster.launch("dispatcher", "dispatcher");
  const trial = new Trial(cluster, 8_000, 200);
  await trial.underLoad(async () => {
    await dispatcher.terminate();
    await until(async () => (await cluster.nats.state()).bytes > 0.9 * STREAM_BYTES, {
      what: "a full stream",
    });
    await dispatcher.start();
  });
});
