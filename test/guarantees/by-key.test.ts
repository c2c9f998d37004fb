import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Behaviour, broken, failsAtRandom, healthy, slow } from "../support/faults/behaviour";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { mostAtOnce } from "../support/faults/receipt";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

/** Attempts under way when a PATCH is answered may still arrive for this long on a busy machine. */
const UNDER_WAY_MS = 1_000;
/** Retries come soon, and outlast the test. */
const RETRIES = Array(20).fill(200);
const KEYS = ["a", "b", "c", "d", null];

let cluster: Cluster;
let dispatcher: HermodProcess;
const loads: Load[] = [];

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "shared", env: { HERMOD_LEASE_TTL: "1s" } });
  [, dispatcher] = await Promise.all([
    cluster.launch("api", "api"),
    cluster.launch("dispatcher", "dispatcher"),
  ]);
});

afterAll(() => cluster[Symbol.asyncDispose]());

type LoadFields = { keys?: readonly (string | null)[]; perSecond?: number };

function newLoad(endpoints: readonly string[], fields: LoadFields = {}): Load {
  const apis = [cluster.client.baseUrl];
  const random = new Random(14);
  const load = new Load({ apis, key: KEY, endpoints, keys: KEYS, random, workers: 8, ...fields });
  loads.push(load);
  return load;
}

function byKey(max_in_flight: number, fields: object = {}): object {
  return { ordering: "by_key", max_in_flight, retry_schedule_ms: RETRIES, ...fields };
}

/** Returns the sequences that an endpoint's receiver accepted with this key, in the order of arrival. */
function takenOf(endpoint: string, key: string): number[] {
  const own = cluster.book.of(endpoint).filter((each) => each.orderingKey === key && each.status === 200);
  return own.map(({ sequence }) => sequence);
}

function delivered(endpoint: string): number {
  return cluster.book.of(endpoint).filter(({ status }) => status === 200).length;
}

const refusesA: Behaviour = (receipt) => (receipt.orderingKey === "a" ? broken(receipt) : healthy(receipt));

test("a key whose first delivery waits for a retry holds back only its own deliveries", async () => {
  const [endpoint = ""] = await cluster.newEndpoints(1, refusesA, byKey(2));
  await newLoad([endpoint], { keys: ["a"] }).sendAll(30);
  await newLoad([endpoint], { keys: ["b", "c", null] }).sendAll(30);
  await until(() => delivered(endpoint) === 30, { what: "the deliveries of other keys" });
  const ofA = cluster.book.of(endpoint).filter(({ orderingKey }) => orderingKey === "a");
  expect(new Set(ofA.map(({ sequence }) => sequence)).size).toBe(1);
  cluster.receivers.change(endpoint, healthy);
  await cluster.settled();
  expect(takenOf(endpoint, "a")).toEqual(takenOf(endpoint, "a").toSorted((a, b) => a - b));
  expect(takenOf(endpoint, "a")).toHaveLength(30);
});

test("more blocked keys than fit in memory hold back no other key", async () => {
  const blocked = Array.from({ length: 700 }, (_, i) => `blocked-${i}`);
  const refuses: Behaviour = (receipt) => (receipt.orderingKey === "free" ? healthy : broken)(receipt);
  const patient = byKey(20, { retry_schedule_ms: Array(20).fill(5_000) });
  const [endpoint = ""] = await cluster.newEndpoints(1, refuses, patient);
  await newLoad([endpoint], { keys: blocked }).sendAll(2_000);
  await newLoad([endpoint], { keys: ["free"] }).sendAll(10);
  await until(() => takenOf(endpoint, "free").length === 10, { what: "the free key's deliveries" });
  cluster.receivers.change(endpoint, healthy);
  await cluster.settled();
});

test("keys are delivered in parallel, up to max_in_flight", async () => {
  const [endpoint = ""] = await cluster.newEndpoints(1, slow(80), byKey(3));
  await newLoad([endpoint]).sendAll(30);
  await cluster.settled();
  expect(mostAtOnce(cluster.book.of(endpoint))).toBe(3);
});

test("a crash under load loses nothing and keeps each key's order", async () => {
  const failing = failsAtRandom(18, 0.2);
  const endpoints = [
    await cluster.newEndpoints(3, failing, byKey(4)),
    await cluster.newEndpoints(2, failing, byKey(4, { rate_limit: 30 })),
  ].flat();
  const load = newLoad(endpoints, { perSecond: 150 }).start();
  await until(() => endpoints.every((each) => delivered(each) > 5), { what: "deliveries" });
  await dispatcher.kill();
  await load.stop();
  await newLoad(endpoints).sendAll(70);
  expect(await cluster.pendingOf(endpoints)).toBeGreaterThanOrEqual(70);
  await dispatcher.start();
  await cluster.settled();
});

test("an endpoint that changes between ordered and by_key keeps each key's order", async () => {
  const [endpoint = ""] = await cluster.newEndpoints(1, slow(20), { retry_schedule_ms: RETRIES });
  await newLoad([endpoint]).sendAll(120);
  for (const change of [byKey(4), { ordering: "ordered" }, byKey(4)]) {
    const before = delivered(endpoint);
    await until(() => delivered(endpoint) > before + 15, { what: "deliveries" });
    await cluster.client.changeEndpoint(endpoint, change);
  }
  await cluster.settled();
});

test("an endpoint that changes from unordered to by_key is in order once the attempts under way have ended", async () => {
  const [endpoint = ""] = await cluster.newEndpoints(1, slow(40), byKey(6, { ordering: "unordered" }));
  await newLoad([endpoint], { keys: ["a", "b"] }).sendAll(200);
  await until(() => delivered(endpoint) > 10, { what: "deliveries without order" });
  await cluster.client.changeEndpoint(endpoint, { ordering: "by_key" });
  const from = Date.now() + UNDER_WAY_MS;
  await cluster.settled();
  const byKeyFrom = cluster.book.of(endpoint).filter(({ startedAt }) => startedAt > from);
  expect(mostAtOnce(byKeyFrom)).toBe(2);
  for (const own of Map.groupBy(byKeyFrom, ({ orderingKey }) => orderingKey).values()) {
    expect(mostAtOnce(own)).toBe(1);
    expect(own.map(({ sequence }) => sequence)).toEqual(
      own.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
    );
  }
  await cluster.client.changeEndpoint(endpoint, { ordering: "unordered" });
});

test("no test above broke a promise", async () => {
  expect(check(await cluster.evidence(loads))).toEqual([]);
});
