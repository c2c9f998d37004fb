import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { failsAtRandom } from "../support/faults/behaviour";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";

setDefaultTimeout(120_000);

const SENDS = 800;

let cluster: Cluster;

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "shared" });
  await cluster.launch("all", "all");
});

afterAll(() => cluster[Symbol.asyncDispose]());

test("each of many endpoints gets its deliveries in order while its receiver fails at random", async () => {
  const endpoints = await cluster.newEndpoints(60, failsAtRandom(1, 0.25));
  const load = new Load({
    apis: [cluster.client.baseUrl],
    key: KEY,
    endpoints,
    random: new Random(1),
    workers: 32,
  });
  await load.sendAll(SENDS);
  await cluster.settled();
  const evidence = await cluster.evidence([load]);
  expect(check(evidence)).toEqual([]);
  expect(load.accepted).toBe(SENDS);
  expect(evidence.receipts.length).toBeGreaterThan(1.2 * SENDS);
});
