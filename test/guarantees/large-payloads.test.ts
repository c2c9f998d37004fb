import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Behaviour, healthy } from "../support/faults/behaviour";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const SLOW = 100;
/** Characters in each payload. */
const PADDING = 1_000_000;
const MOST_GROWTH_BYTES = 50 * 1_048_576;

let cluster: Cluster;
let dispatcher: HermodProcess;

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "shared", env: { HERMOD_ATTEMPT_TIMEOUT: "1m" } });
  [, dispatcher] = await Promise.all([
    cluster.launch("api", "api"),
    cluster.launch("dispatcher", "dispatcher"),
  ]);
});

afterAll(() => cluster[Symbol.asyncDispose]());

function newLoad(endpoints: readonly string[]): Load {
  const apis = [cluster.client.baseUrl];
  return new Load({ apis, key: KEY, endpoints, random: new Random(5), workers: 1, padding: PADDING });
}

test("large payloads take no memory while their receivers are slow to answer, and arrive whole", async () => {
  const { promise: patience, resolve: answer } = Promise.withResolvers<void>();
  const waits: Behaviour = async (receipt) => {
    await patience;
    return healthy(receipt);
  };
  const arrived = () => cluster.book.receipts.length;
  const before = newLoad(await cluster.newEndpoints(4));
  await before.sendAll(30);
  await until(() => arrived() === 30, { what: "deliveries" });
  const memoryBefore = await dispatcher.memory();

  const slow = (await cluster.newEndpoints(SLOW, waits)).map((endpoint) => newLoad([endpoint]));
  for (const load of slow) await load.sendAll(1);
  await until(() => arrived() === 30 + SLOW, { what: "attempts at all that take their time" });
  // Garbage goes with the next collection. Payloads held in memory would stay for as long as the receivers wait.
  const isSmall = async () => (await dispatcher.memory()) - memoryBefore < MOST_GROWTH_BYTES;
  await until(isSmall, { pollMs: 100, what: "a dispatcher without the payloads" });

  answer();
  await cluster.settled();
  expect(check(await cluster.evidence([before, ...slow]))).toEqual([]);
});
