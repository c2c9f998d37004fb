import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { failsAtRandom, slow } from "../support/faults/behaviour";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const ROUNDS = 3;

let cluster: Cluster;
let service: HermodProcess;

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "embedded" });
  service = await cluster.launch("all", "all");
});

afterAll(() => cluster[Symbol.asyncDispose]());

test("nothing is lost or reordered when the service, Postgres and NATS are killed together under load", async () => {
  const endpoints = await cluster.newEndpoints(40, slow(5, failsAtRandom(2, 0.1)));
  const load = new Load({
    apis: [service.url],
    key: KEY,
    endpoints,
    random: new Random(2),
    workers: 24,
    perSecond: 1_000,
  }).start();
  for (let round = 1; round <= ROUNDS; round++) {
    const before = load.accepted;
    await until(() => load.accepted > before + 250, { what: "a load" });
    await service.kill(await cluster.embedded.pids());
    await service.start();
  }
  await load.stop();
  await cluster.settled();
  expect(check(await cluster.evidence([load]))).toEqual([]);
  expect(load.misfits).toEqual([]);
});
