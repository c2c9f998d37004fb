import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createServer } from "node:net";
import { drips, hangs, healthy } from "../support/faults/behaviour";
import { Cluster, KEY } from "../support/faults/cluster";
import { lagsOf, quantile } from "../support/faults/lag";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";

/** For all rounds, on a busy machine. */
setDefaultTimeout(300_000);

/** Bun's default limit of requests at once in a process. */
const BUNS_LIMIT = 256;
/** Enough that more than that hang at once, although each rests between its attempts. */
const HANGING = 350;
const DRIPPING = 20;
const DEAD = 20;
/** Latency is measured in slices, so that a hiccup of the machine spoils one slice and not the figure. */
const SLICE_MS = 300;
const SLICES = 5;
const ROUNDS = 6;
/** Below this p99 the machine's noise decides. */
const LEAST_MS = 5;

const SETTINGS = { HERMOD_RETRY_SCHEDULE: Array(50).fill("300ms").join(), HERMOD_ATTEMPT_TIMEOUT: "2s" };

let cluster: Cluster;
let load: Load;

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "shared", env: SETTINGS });
  await Promise.all([cluster.launch("api", "api"), cluster.launch("dispatcher", "dispatcher")]);
  load = newLoad(await cluster.newEndpoints(20), 200).start();
});

afterAll(async () => {
  await load.stop();
  await cluster[Symbol.asyncDispose]();
});

function newLoad(endpoints: readonly string[], perSecond?: number): Load {
  const apis = [cluster.client.baseUrl];
  return new Load({ apis, key: KEY, endpoints, random: new Random(7), workers: 16, perSecond });
}

/** Returns the healthy receivers' p99 in milliseconds: the median over slices of time. */
async function p99(): Promise<number> {
  const slices: number[] = [];
  for (let slice = 0; slice < SLICES; slice++) {
    const since = Date.now();
    await Bun.sleep(SLICE_MS);
    await until(() => lagsOf(load.sends, cluster.book, since).length > 40, { what: "deliveries" });
    slices.push(quantile(lagsOf(load.sends, cluster.book, since), 0.99));
  }
  return quantile(slices, 0.5);
}

async function newDeadEndpoints(count: number): Promise<string[]> {
  const server = createServer().listen(0, "127.0.0.1");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  server.close();
  const url = `http://127.0.0.1:${address.port}/`;
  const made = Array.from({ length: count }, () => cluster.client.newEndpoint(url));
  return (await Promise.all(made)).map(({ endpoint }) => endpoint);
}

function underWay(endpoints: readonly string[]): number {
  const own = new Set(endpoints);
  return cluster.book.receipts.filter(({ endpoint, closed }) => closed === null && own.has(endpoint)).length;
}

/** Returns the healthy receivers' p99 while the bad ones have deliveries, as a multiple of the p99 before. */
async function harmBy(bad: readonly string[], hanging: readonly string[]): Promise<number> {
  for (const endpoint of bad) cluster.receivers.change(endpoint, healthy);
  await until(() => underWay(bad) === 0, { what: "quiet" });
  const before = await p99();
  for (const endpoint of bad) cluster.receivers.change(endpoint, hanging.includes(endpoint) ? hangs : drips);
  await newLoad(bad).sendAll(bad.length * 4);
  await until(() => underWay(hanging) > BUNS_LIMIT, { what: "hanging attempts" });
  const beside = await p99();
  return beside / Math.max(before, LEAST_MS);
}

test("dead, hanging and dripping receivers leave the healthy ones' p99 below twice the usual", async () => {
  const [hanging, dripping, dead] = await Promise.all([
    cluster.newEndpoints(HANGING),
    cluster.newEndpoints(DRIPPING),
    newDeadEndpoints(DEAD),
  ]);
  await until(() => load.accepted > 200, { what: "a load" });
  let ratio = Number.POSITIVE_INFINITY;
  // A busy machine may spoil a round. Real harm is there in each.
  for (let round = 1; round <= ROUNDS && ratio >= 2; round++) {
    ratio = await harmBy([...hanging, ...dripping, ...dead], hanging);
  }
  expect(ratio).toBeLessThan(2);
});
