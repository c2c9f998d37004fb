import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { hangs, healthy, slow } from "../support/faults/behaviour";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import { lagsOf } from "../support/faults/lag";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { sharesOf } from "../support/faults/shares";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const PARTITIONS = 8;
const ATTEMPT_TIMEOUT_MS = 2_000;
/** Longer than a partition may pause for a hand-over. */
const SLOW_MS = 700;
/** A partition pauses several times, each time for part of a second, until it can be handed over. */
const STANDSTILL_MS = 3_000;

let cluster: Cluster;
let sick: string[];
/** The load on healthy endpoints, on slow ones, and on those that hang. */
let loads: Load[];

beforeAll(async () => {
  const env = {
    HERMOD_LEASE_TTL: "1500ms",
    HERMOD_PARTITIONS: String(PARTITIONS),
    HERMOD_ATTEMPT_TIMEOUT: `${ATTEMPT_TIMEOUT_MS}ms`,
  };
  cluster = await Cluster.start({ postgres: "shared", env });
  await Promise.all([cluster.launch("api", "api"), cluster.launch("first", "dispatcher")]);
  const [ordered, unordered, tardy] = await Promise.all([
    cluster.newEndpoints(40, hangs),
    cluster.newEndpoints(16, hangs, { ordering: "unordered" }),
    cluster.newEndpoints(40, slow(SLOW_MS)),
  ]);
  sick = [...ordered, ...unordered];
  const random = new Random(3);
  const options = { apis: [cluster.client.baseUrl], key: KEY, random, workers: 8 };
  const first = new Load({ ...options, endpoints: sick });
  await first.sendAll(400);
  const well = new Load({ ...options, endpoints: await cluster.newEndpoints(16), perSecond: 100 });
  const late = new Load({ ...options, endpoints: tardy, perSecond: 40 });
  loads = [well.start(), late.start(), first];
});

afterAll(() => cluster[Symbol.asyncDispose]());

test("a dispatcher that joins gets its share while every partition has hanging or slow receivers", async () => {
  const [well] = loads;
  const lags = () => lagsOf(well?.sends ?? [], cluster.book, 0);
  await until(() => lags().length > 200, { what: "a load" });
  await cluster.launch("second", "dispatcher");
  const half = PARTITIONS / 2;
  const isShared = async () => (await sharesOf(cluster)).join() === `${half},${half}`;
  await until(isShared, { withinMs: 15 * ATTEMPT_TIMEOUT_MS, what: "half of the partitions each" });
  expect(Math.max(...lags())).toBeLessThan(STANDSTILL_MS);
});

test("the hand-over broke no promise", async () => {
  for (const endpoint of sick) cluster.receivers.change(endpoint, healthy);
  await Promise.all(loads.map((load) => load.stop()));
  await cluster.settled();
  expect(loads.flatMap(({ misfits }) => misfits)).toEqual([]);
  expect(check(await cluster.evidence(loads))).toEqual([]);
});
