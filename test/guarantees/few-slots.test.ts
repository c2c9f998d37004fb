import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { hangs } from "../support/faults/behaviour";
import { Cluster, KEY } from "../support/faults/cluster";
import { lagsOf, quantile } from "../support/faults/lag";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const SLOTS = 64;
const ROUNDS = 4;
/** Below this lag the machine's noise decides. */
const LEAST_MS = 20;
const SETTINGS = {
  HERMOD_MAX_IN_FLIGHT: String(SLOTS),
  HERMOD_ATTEMPT_TIMEOUT: "3s",
  HERMOD_RETRY_SCHEDULE: Array(50).fill("300ms").join(),
};

let cluster: Cluster;
let load: Load;

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "shared", env: SETTINGS });
  await Promise.all([cluster.launch("api", "api"), cluster.launch("dispatcher", "dispatcher")]);
  const ordered = await cluster.newEndpoints(10);
  const unordered = await cluster.newEndpoints(10, undefined, { ordering: "unordered" });
  load = newLoad([...ordered, ...unordered], 100).start();
});

afterAll(async () => {
  await load.stop();
  await cluster[Symbol.asyncDispose]();
});

function newLoad(endpoints: readonly string[], perSecond?: number): Load {
  const apis = [cluster.client.baseUrl];
  return new Load({ apis, key: KEY, endpoints, random: new Random(3), workers: 8, perSecond });
}

/** Returns the 90th percentile of the healthy receivers' lag in milliseconds, over sends of the next two seconds. */
async function lag(): Promise<number> {
  const since = Date.now();
  await Bun.sleep(2_000);
  await until(() => lagsOf(load.sends, cluster.book, since).length > 150, { what: "deliveries" });
  return quantile(lagsOf(load.sends, cluster.book, since), 0.9);
}

test("four times as many hanging receivers as slots leave the healthy ones' latency below three times the usual", async () => {
  await until(() => load.accepted > 200, { what: "a load" });
  const before = await lag();
  const hanging = await cluster.newEndpoints(4 * SLOTS, hangs);
  hanging.push(...(await cluster.newEndpoints(4, hangs, { ordering: "unordered", max_in_flight: 100 })));
  const isHanging = new Set(hanging);
  const attempts = () => cluster.book.receipts.filter(({ endpoint }) => isHanging.has(endpoint)).length;
  await newLoad(hanging).sendAll(8 * SLOTS);
  await until(() => attempts() >= SLOTS / 2, { what: "hanging attempts" });
  let ratio = Number.POSITIVE_INFINITY;
  // A busy machine may spoil a round. Real harm is there in each, since the hanging receivers are retried all the time.
  for (let round = 1; round <= ROUNDS && ratio >= 3; round++) {
    ratio = (await lag()) / Math.max(before, LEAST_MS);
  }
  expect(ratio).toBeLessThan(3);
  // The hanging receivers get their attempts too.
  const enough = attempts() + SLOTS;
  await until(() => attempts() >= enough, { what: "attempts at those that hang" });
});
