import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { broken, healthy } from "../support/faults/behaviour";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import type { HermodProcess } from "../support/faults/hermod-process";
import { lagsOf, quantile } from "../support/faults/lag";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const BACKLOG = 3_000;
/** Deliveries in the backlog when memory is first measured. */
const BEFORE = 500;
/** Characters in each payload. A backlog held in memory would take at least 48 MB. */
const PADDING = 16_000;
/** Below this lag the clock's resolution decides. */
const LEAST_LAG_MS = 5;
/** Repeats of the lag measurement, since other tests take CPU time meanwhile. */
const LOOKS = 5;
const MOST_GROWTH_BYTES = 32 * 1_048_576;
/** Deliveries checked in order once the receiver recovers. Then the endpoint is deleted, and the rest with it. */
const DRAINED = 200;

let cluster: Cluster;
let dispatcher: HermodProcess;
let others: string[];

beforeAll(async () => {
  // Retries the head for longer than the test lasts.
  const env = { HERMOD_RETRY_SCHEDULE: Array(100).fill("2s").join(",") };
  cluster = await Cluster.start({ postgres: "shared", env });
  [, dispatcher] = await Promise.all([
    cluster.launch("api", "api"),
    cluster.launch("dispatcher", "dispatcher"),
  ]);
  others = await cluster.newEndpoints(20, healthy);
});

afterAll(() => cluster[Symbol.asyncDispose]());

function newLoad(endpoints: string[], workers: number, perSecond?: number): Load {
  const apis = [cluster.client.baseUrl];
  return new Load({ apis, key: KEY, endpoints, random: new Random(8), workers, perSecond, padding: PADDING });
}

/** Returns the other endpoints' median lag in milliseconds. */
async function lagOfOthers(load: Load): Promise<number> {
  const since = Date.now();
  await until(() => lagsOf(load.sends, cluster.book, since).length >= 100, { what: "deliveries" });
  return quantile(lagsOf(load.sends, cluster.book, since), 0.5);
}

/** Returns the least of several measurements. A lasting slowdown is in each of them, a busy moment only in some. */
async function leastLagOfOthers(load: Load, enough: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < LOOKS && least >= enough; look++)
    least = Math.min(least, await lagOfOthers(load));
  return least;
}

test("a long backlog grows no memory, does not slow other endpoints, and drains in order", async () => {
  const beside = newLoad(others, 8, 100).start();
  const most = 2 * Math.max(await lagOfOthers(beside), LEAST_LAG_MS);
  const [dead = ""] = await cluster.newEndpoints(1, broken);
  const backlog = newLoad([dead], 48);
  await backlog.sendAll(BEFORE);
  const memoryBefore = await dispatcher.memory();
  await backlog.sendAll(BACKLOG - BEFORE);
  expect((await dispatcher.memory()) - memoryBefore).toBeLessThan(MOST_GROWTH_BYTES);
  expect(await leastLagOfOthers(beside, most)).toBeLessThan(most);

  cluster.receivers.change(dead, healthy);
  const delivered = () => cluster.book.of(dead).filter((receipt) => receipt.status === 200).length;
  await until(() => delivered() > DRAINED, { what: "the backlog's deliveries", pollMs: 100 });
  expect((await dispatcher.memory()) - memoryBefore).toBeLessThan(MOST_GROWTH_BYTES);
  await beside.stop();
  await cluster.client.deleteEndpoint(dead);
  await cluster.settled();
  expect(check(await cluster.evidence([beside, backlog]))).toEqual([]);
});
