import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Behaviour, broken, healthy } from "../support/faults/behaviour";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

let cluster: Cluster;
const loads: Load[] = [];

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "shared", env: { HERMOD_RETRY_SCHEDULE: "20s,20s" } });
  await Promise.all([cluster.launch("api", "api"), cluster.launch("dispatcher", "dispatcher")]);
});

afterAll(() => cluster[Symbol.asyncDispose]());

/** Sends webhooks to a new endpoint, one after the other. Returns the endpoint and the ids of the deliveries. */
async function sendTo(behaviour: Behaviour, count: number): Promise<{ endpoint: string; ids: string[] }> {
  const endpoints = await cluster.newEndpoints(1, behaviour);
  const apis = [cluster.client.baseUrl];
  const load = new Load({ apis, key: KEY, endpoints, random: new Random(1), workers: 1 });
  loads.push(load);
  await load.sendAll(count);
  const ids = load.sends.map(({ outcome }) => (outcome.kind === "accepted" ? outcome.id : ""));
  return { endpoint: endpoints[0] ?? "", ids };
}

const sequencesAt = (endpoint: string) => cluster.book.of(endpoint).map(({ sequence }) => sequence);
const received = (endpoint: string, count: number) =>
  until(() => cluster.book.of(endpoint).length >= count, { what: `${count} requests` });

async function change(method: string, path: string): Promise<void> {
  expect((await cluster.client.ask(method, path)).status).toBe(200);
}

/** Answers the first delivery once `end` is called, and the others at once. */
function firstHeld(): { behaviour: Behaviour; end: () => void } {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const behaviour: Behaviour = (receipt) => (receipt.sequence === 1 ? promise : healthy(receipt));
  return { behaviour, end: () => resolve(new Response()) };
}

async function expectSound(): Promise<void> {
  await cluster.settled();
  expect(check(await cluster.evidence(loads))).toEqual([]);
}

test("cancelling a delivery that waits for a retry lets those behind it go at once", async () => {
  const { endpoint, ids } = await sendTo(
    (receipt) => (receipt.sequence === 1 ? broken(receipt) : new Response()),
    3,
  );
  await received(endpoint, 1);
  await Bun.sleep(100);
  expect(sequencesAt(endpoint)).toEqual([1]);
  const cancelledAt = Date.now();
  await change("POST", `/webhooks/${ids[0]}/cancel`);
  await received(endpoint, 3);
  expect(sequencesAt(endpoint)).toEqual([1, 2, 3]);
  // Long before the retry, which is 20 s away.
  expect(Date.now() - cancelledAt).toBeLessThan(10_000);
  await expectSound();
});

test("a delivery cancelled during its attempt stays cancelled, and nothing overtakes it", async () => {
  const first = firstHeld();
  const { endpoint, ids } = await sendTo(first.behaviour, 2);
  await received(endpoint, 1);
  await change("POST", `/webhooks/${ids[0]}/cancel`);
  expect(sequencesAt(endpoint)).toEqual([1]);
  first.end();
  await received(endpoint, 2);
  expect(sequencesAt(endpoint)).toEqual([1, 2]);
  await expectSound();
  const { body } = await cluster.client.ask("GET", `/webhooks/${ids[0]}`);
  expect(body).toMatchObject({ status: "cancelled", attempt_count: 0 });
});

test("an erased payload leaves the stream, whether it was delivered or not", async () => {
  const second = Promise.withResolvers<Response>();
  const behaviour: Behaviour = (receipt) => (receipt.sequence === 2 ? second.promise : healthy(receipt));
  const { endpoint, ids } = await sendTo(behaviour, 3);
  await received(endpoint, 2);
  expect((await cluster.nats.state()).messages).toBeGreaterThan(0);
  const isGone = async () => (await cluster.nats.state()).messages === 0;
  await change("DELETE", `/webhooks/${ids[0]}/payload`);
  await until(isGone, { what: "a purged stream" });
  const [later] = (await sendTo(healthy, 1)).ids;
  await until(async () => !(await isGone()), { what: "a message in the stream" });
  // The stream was purged a moment ago, and is not purged again so soon.
  for (const id of [ids[2], later]) await change("DELETE", `/webhooks/${id}/payload`);
  second.resolve(new Response());
  await until(isGone, { what: "a stream that is purged once more" });
  await expectSound();
  expect(sequencesAt(endpoint)).toEqual([1, 2]);
});

test("a delivery cancelled or erased behind one under way is never attempted, even while NATS is down", async () => {
  for (const isAway of [false, true]) {
    const restart = isAway ? await cluster.nats.stop() : null;
    const first = firstHeld();
    const { endpoint, ids } = await sendTo(first.behaviour, 4);
    await received(endpoint, 1);
    await change("POST", `/webhooks/${ids[1]}/cancel`);
    await change("DELETE", `/webhooks/${ids[2]}/payload`);
    first.end();
    await received(endpoint, 2);
    expect(sequencesAt(endpoint)).toEqual([1, 4]);
    await restart?.();
  }
  await expectSound();
});

test("a process that both accepts and delivers applies a cancellation at once, even while NATS is down", async () => {
  await using one = await Cluster.start({ postgres: "shared" });
  await one.launch("one", "all");
  await one.nats.stop();
  // The dispatcher already holds the second delivery, which waits only for the endpoint's rate limit.
  const [endpoint = ""] = await one.newEndpoints(1, healthy, { rate_limit: 1 });
  const apis = [one.client.baseUrl];
  const load = new Load({ apis, key: KEY, endpoints: [endpoint], random: new Random(1), workers: 1 });
  await load.sendAll(3);
  await until(() => one.book.of(endpoint).length === 1, { what: "the first delivery" });
  const second = load.sends[1]?.outcome;
  if (second?.kind !== "accepted") throw new Error("the second send was not accepted");
  expect((await one.client.ask("POST", `/webhooks/${second.id}/cancel`)).status).toBe(200);
  await one.settled();
  expect(one.book.of(endpoint).map(({ sequence }) => sequence)).toEqual([1, 3]);
  expect(check(await one.evidence([load]))).toEqual([]);
});
