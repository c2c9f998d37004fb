import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { failsAtRandom } from "../support/faults/behaviour";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import { fieldOf } from "../support/faults/hermod-client";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Load, type LoadOptions } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const SCHEDULED = 60;

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

function newLoad(endpoints: string[], settings: Pick<LoadOptions, "deliverAfter" | "perSecond">): Load {
  const load = new Load({
    apis: [cluster.client.baseUrl],
    key: KEY,
    endpoints,
    keys: ["a", "b", null],
    ...settings,
    random: new Random(23),
    workers: 8,
  });
  loads.push(load);
  return load;
}

const statusOf = async (id: string) =>
  fieldOf((await cluster.client.ask("GET", `/webhooks/${id}`)).body, "status");

test("scheduled deliveries hold nothing back, arrive when due and then in order, across kills", async () => {
  const endpoints = await Promise.all(
    ["ordered", "by_key", "unordered"].map(async (ordering) => {
      const fields = { ordering, max_in_flight: 4, retry_schedule_ms: Array(20).fill(200) };
      const [endpoint = ""] = await cluster.newEndpoints(1, failsAtRandom(29, 0.05), fields);
      return endpoint;
    }),
  );
  const receipts = () => endpoints.flatMap((endpoint) => cluster.book.of(endpoint));
  const early = newLoad(endpoints, { deliverAfter: 4 });
  const late = newLoad(endpoints, { perSecond: 120 });
  await early.sendAll(SCHEDULED);
  const firstDueAt = Math.min(...early.sends.map(({ startedAt }) => startedAt)) + 4_000;
  const others = late.start();
  const scheduled = new Set(early.sends.map(({ marker }) => marker));
  const isScheduled = ({ body }: { body: string }) => scheduled.has(JSON.parse(body).marker);
  await until(() => Date.now() >= firstDueAt, { what: "the first due time" });
  // No scheduled delivery was sent, and those sent later did not wait for them.
  for (const endpoint of endpoints) {
    const before = cluster.book.of(endpoint).filter(({ startedAt }) => startedAt < firstDueAt);
    expect(before.length).toBeGreaterThan(0);
    expect(before.filter(isScheduled)).toEqual([]);
  }
  const arrived = () => receipts().filter(isScheduled).length;
  for (const some of [1, SCHEDULED / 2]) {
    await until(() => arrived() >= some, { what: `${some} scheduled ones` });
    await dispatcher.kill();
    await dispatcher.start();
  }
  await others.stop();
  await cluster.settled();
  const delivered = receipts().filter((each) => each.status === 200 && isScheduled(each));
  expect(new Set(delivered.map(({ webhookId }) => webhookId)).size).toBe(SCHEDULED);
});

test("no test above broke a promise", async () => {
  expect(check(await cluster.evidence(loads))).toEqual([]);
});

test("a scheduled delivery is sent at once on request", async () => {
  const [endpoint = ""] = await cluster.newEndpoints(1);
  const sent = await cluster.client.ask("POST", "/webhooks", {
    endpoint_id: endpoint,
    event: "a.b",
    data: {},
    deliver_after: 3_600,
  });
  const id = String(fieldOf(sent.body, "id"));
  await cluster.client.ask("POST", `/webhooks/${id}/retry`);
  await until(async () => (await statusOf(id)) === "delivered", { what: "the delivery" });
});
