import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { slow } from "../support/faults/behaviour";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import { fieldOf } from "../support/faults/hermod-client";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";
import { isLong } from "../support/long";

setDefaultTimeout(120_000);

const LEASE_MS = 800;

let cluster: Cluster;
let endpoints: string[];
const loads: Load[] = [];

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "own", env: { HERMOD_LEASE_TTL: `${LEASE_MS}ms` } });
  await Promise.all([cluster.launch("api", "api"), cluster.launch("dispatcher", "dispatcher")]);
  endpoints = await cluster.newEndpoints(30, slow(20));
});

afterAll(() => cluster[Symbol.asyncDispose]());

async function expectOnlyReads(): Promise<void> {
  const { client } = cluster;
  const [endpoint = ""] = endpoints;
  const sent = await client.ask("POST", "/webhooks", { endpoint_id: endpoint, data: {} });
  expect(sent.status).toBe(503);
  expect(Number(sent.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(fieldOf(fieldOf(sent.body, "error"), "code")).toBe("SERVICE_UNAVAILABLE");
  expect((await client.ask("PATCH", `/endpoints/${endpoint}`, { description: "" })).status).toBe(503);
  for (const path of ["/endpoints", "/webhooks", "/stats", `/endpoints/${endpoint}`]) {
    await until(async () => (await client.ask("GET", path)).status === 200, { what: `GET ${path}` });
  }
}

/** Checks under load that nothing is accepted or sent while Postgres is read-only, and that both go on afterwards. */
async function withoutWrites(begin: () => Promise<() => Promise<void>>): Promise<void> {
  const apis = [cluster.client.baseUrl];
  const load = new Load({
    apis,
    key: KEY,
    endpoints,
    random: new Random(10),
    workers: 16,
    perSecond: 150,
  }).start();
  loads.push(load);
  await until(() => load.accepted > 50, { what: "a load" });
  const end = await begin();
  const since = Date.now();
  await expectOnlyReads();
  await Bun.sleep(since + 1.5 * LEASE_MS - Date.now());
  const till = Date.now();
  await end();
  const before = load.accepted;
  await until(() => load.accepted > before + 50, { what: "a load again" });
  const { receipts } = cluster.book;
  const received = receipts.length;
  await until(() => receipts.length > received + 50, { what: "deliveries again" });
  await load.stop();
  await cluster.settled();
  expect(check(await cluster.evidence(loads))).toEqual([]);
  expect(load.misfits).toEqual([]);
  const meanwhile = load.sends.filter((send) => send.startedAt > since && send.endedAt < till);
  expect(meanwhile.length).toBeGreaterThan(0);
  expect(meanwhile.filter(({ outcome }) => outcome.kind !== "refused" || outcome.status !== 503)).toEqual([]);
  expect(receipts.filter(({ startedAt }) => startedAt > since + LEASE_MS && startedAt < till)).toEqual([]);
}

test.skipIf(!isLong)("while Postgres is read-only, reads go on; writes go on once it is not", () =>
  withoutWrites(() => cluster.postgres.makeReadOnly("server")),
);

test("connections opened while Postgres was read-only are replaced once it is not", () =>
  withoutWrites(() => cluster.postgres.makeReadOnly("sessions")));

test("a Postgres that comes back as a standby serves reads, and writes once it is promoted", () =>
  withoutWrites(() => cluster.postgres.becomeStandby()));
