import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { sharesOf } from "../support/faults/shares";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const ENDPOINTS = 40;
const ROUNDS = 3;
/** By then a dispatcher has swept its new partitions, and the API knows of the new owner even without a notification. */
const KNOWN_MS = 1_500;

let cluster: Cluster;
let second: HermodProcess;
let load: Load;

// Sweeps are an hour apart, so that only the stream announces deliveries.
beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "shared", env: { HERMOD_SWEEP_INTERVAL: "1h" } });
  await Promise.all([cluster.launch("api", "api"), cluster.launch("first", "dispatcher")]);
  const endpoints = await cluster.newEndpoints(ENDPOINTS);
  load = new Load({ apis: [cluster.client.baseUrl], key: KEY, endpoints, random: new Random(3), workers: 8 });
});

afterAll(() => cluster[Symbol.asyncDispose]());

async function shared(wanted: readonly number[]): Promise<void> {
  const shares = async () => (await sharesOf(cluster)).join();
  await until(async () => (await shares()) === wanted.join(), { what: `shares of ${wanted.join()}` });
}

/** Sends to all endpoints and waits for every delivery, several times. */
async function expectDelivered(): Promise<void> {
  await Bun.sleep(KNOWN_MS);
  for (let round = 0; round < ROUNDS; round++) {
    await load.sendAll(5 * ENDPOINTS);
    await expectReceived();
  }
}

async function expectReceived(): Promise<void> {
  const received = () => new Set(cluster.book.receipts.map(({ webhookId }) => webhookId));
  await until(() => received().size === load.sends.length, { what: "every delivery that was sent" });
}

test("a dispatcher learns from the stream what an API accepts", async () => {
  await shared([32]);
  await expectDelivered();
});

test("two dispatchers each learn of the deliveries in their own partitions", async () => {
  second = await cluster.launch("second", "dispatcher");
  await shared([16, 16]);
  await expectDelivered();
});

test("a dispatcher whose consumer was deleted sweeps for what it missed", async () => {
  await cluster.nats.deleteConsumers();
  await load.sendAll(5 * ENDPOINTS);
  await expectReceived();
});

test("a dispatcher learns of deliveries in the partitions that another one left to it", async () => {
  await second.terminate();
  await shared([32]);
  await expectDelivered();
  await cluster.settled();
  expect(check(await cluster.evidence([load]))).toEqual([]);
});
