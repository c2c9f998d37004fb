import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { newId, toText } from "../../src/domain/ids";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import { fieldOf } from "../support/faults/hermod-client";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { TcpProxy } from "../support/faults/tcp-proxy";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const AWAY_MS = 3_000;
/** The time after which a query is given up. */
const QUERY_MS = 2_000;

/** How often a process may log the same message in one outage: once for each of its pools. */
const LINES = 3;

let cluster: Cluster;
let processes: HermodProcess[];
let proxy: TcpProxy;
let endpoints: string[];
let spares: string[];
const loads: Load[] = [];

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "own", env: { HERMOD_QUERY_TIMEOUT: `${QUERY_MS}ms` } });
  proxy = await TcpProxy.to(cluster.postgres.url);
  const env = { DATABASE_URL: proxy.urlFor(cluster.postgres.url) };
  processes = await Promise.all([
    cluster.launch("api", "api", env),
    cluster.launch("dispatcher", "dispatcher", env),
  ]);
  [endpoints, spares] = await Promise.all([cluster.newEndpoints(30), cluster.newEndpoints(3)]);
});

afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  await proxy.end();
});

/** Runs a load, calls `harm` in the middle of it, and checks the promises. */
async function underLoad(harm: () => Promise<unknown>): Promise<void> {
  const apis = [cluster.client.baseUrl];
  const random = new Random(4);
  const load = new Load({ apis, key: KEY, endpoints, random, workers: 16, perSecond: 150 }).start();
  loads.push(load);
  await until(() => load.accepted > 50, { what: "a load" });
  await harm();
  const before = load.accepted;
  await until(() => load.accepted > before + 50, { what: "a load after the harm" });
  await load.stop();
  await cluster.settled();
  expect(check(await cluster.evidence(loads))).toEqual([]);
  expect(load.misfits).toEqual([]);
  const refusals = load.sends.flatMap(({ outcome }) => (outcome.kind === "refused" ? [outcome.status] : []));
  expect(refusals.filter((status) => status !== 503)).toEqual([]);
  expect(load.sends.filter(({ outcome }) => outcome.kind === "unknown")).toEqual([]);
}

/** Checks that every kind of request is refused soon, with 503 in the published shape. */
async function expectUnavailable(): Promise<void> {
  // Each call tries to delete a spare endpoint, since a request answered 503 may take effect all the same.
  const [spare] = spares.splice(0, 1);
  const since = performance.now();
  const paths = ["/endpoints", "/webhooks", "/stats", "/billing/usage", `/endpoints/${endpoints[0]}`];
  const asked = Promise.all([
    ...paths.map((path) => cluster.client.ask("GET", path)),
    // Sent to an unknown endpoint, since a send answered 503 may be stored, and is none of the load's.
    cluster.client.ask("POST", "/webhooks", { endpoint_id: toText("ep", newId("ep")), data: {} }),
    cluster.client.ask("POST", "/endpoints", { url: "http://127.0.0.1:9/" }),
    cluster.client.ask("DELETE", `/endpoints/${spare}`),
  ]);
  for (const { status, headers, body } of await asked) {
    expect(status).toBe(503);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(fieldOf(fieldOf(body, "error"), "code")).toBe("SERVICE_UNAVAILABLE");
  }
  expect(performance.now() - since).toBeLessThan(2 * QUERY_MS);
}

/** The line about refused requests, which is logged once a second. */
const REFUSALS = "could not serve a request; answered 503";

/** Checks that each process logs an outage, which began at `since`, and its end in a few lines, counted from `before`. */
async function expectFewLines(before: readonly number[], since: number): Promise<void> {
  const ends = ["feed reports are sent again", "leases are renewed again"];
  for (const [i, process] of processes.entries()) {
    const linesOf = async () => (await process.logged()).slice(before[i]);
    const isOver = async () => (await linesOf()).some(({ msg }) => ends.includes(msg));
    await until(isOver, { what: `the end of the outage in the log of ${process.name}` });
    const alike = Map.groupBy(await linesOf(), ({ msg }) => msg);
    const seconds = Math.ceil((performance.now() - since) / 1_000);
    const tooMany = [...alike].flatMap(([msg, { length }]) =>
      length > (msg === REFUSALS ? seconds + 1 : LINES) ? [`${length} times: ${msg}`] : [],
    );
    expect(tooMany).toEqual([]);
  }
}

test("nothing is lost in a second in which the backends are terminated again and again", () =>
  underLoad(() => cluster.postgres.storm(20, 50)));

test("while Postgres is down requests are answered 503, and everything goes on once it is back", () =>
  underLoad(async () => {
    const before = await Promise.all(processes.map((each) => each.logged()));
    const downSince = performance.now();
    const restart = await cluster.postgres.kill();
    await expectUnavailable();
    await Bun.sleep(AWAY_MS - (performance.now() - downSince));
    await restart();
    await expectFewLines(
      before.map((lines) => lines.length),
      downSince,
    );
  }));

test("while Postgres refuses the password requests are answered 503, and everything goes on once it accepts it", () =>
  underLoad(async () => {
    const restore = await cluster.postgres.changePassword();
    await expectUnavailable();
    await restore();
  }));

test("while the network swallows every packet to Postgres requests are answered 503, and everything goes on once it recovers", () =>
  underLoad(async () => {
    const over = cluster.journal.begin("the way to Postgres is half open", "nuisance");
    proxy.halfOpen();
    await expectUnavailable();
    proxy.open();
    over();
  }));
