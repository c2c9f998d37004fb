import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { sharesOf } from "../support/faults/shares";
import { until } from "../support/faults/until";

setDefaultTimeout(60_000);

const ENDPOINTS = 40;
const ROUNDS = 4;
/** A dispatcher that takes partitions sweeps them more than once: by then it has done so, milliseconds. */
const SWEPT_MS = 500;

let cluster: Cluster;
let second: HermodProcess;
let load: Load;

// No sweep comes in time: what is delivered was told of by the stream.
beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "shared", env: { HERMOD_SWEEP_INTERVAL: "1h" } });
  await Promise.all([cluster.launch("api", "api"), cluster.launch("first", "dispatcher")]);
  const endpoints = await cluster.newEndpoints(ENDPOINTS);
  load = new Load({ apis: [cluster.client.baseUrl], key: KEY, endpoints, random: new Random(3), workers: 8 });
});

afterAll(() => cluster[Symbol.asyncDispose]());

async function shared(wanted: readonly number[]): Promise<void> {
  const shares = async () => (await sharesOf(await cluster.databaseUrl())).join();
  await until(async () => (await shares()) === wanted.join(), { what: `shares of ${wanted.join()}` });
}

/** Sends to all endpoints again and again; what one round was not told of, the next one's message brings as well. */
async function expectTold(): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    await Bun.sleep(SWEPT_MS);
    await load.sendAll(5 * ENDPOINTS);
    const received = () => new Set(cluster.book.receipts.map(({ webhookId }) => webhookId));
    await until(() => received().size === load.sends.length, {
      withinMs: 10_000,
      what: "every delivery that was sent",
    });
  }
}

test("a dispatcher is told by the stream what others accept", expectTold);

test("two dispatchers are each told of what is theirs", async () => {
  second = await cluster.launch("second", "dispatcher");
  await shared([16, 16]);
  await expectTold();
});

test("a dispatcher is told of what another one leaves it", async () => {
  await second.terminate();
  await shared([32]);
  await expectTold();
  expect(check(await cluster.evidence([load]))).toEqual([]);
});
