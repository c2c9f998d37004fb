import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Behaviour, broken, hangs, healthy } from "../support/faults/behaviour";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import { fieldOf } from "../support/faults/hermod-client";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

let cluster: Cluster;
let dispatcher: HermodProcess;
const loads: Load[] = [];

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "shared" });
  [, dispatcher] = await Promise.all([
    cluster.launch("api", "api"),
    cluster.launch("dispatcher", "dispatcher"),
  ]);
});

afterAll(() => cluster[Symbol.asyncDispose]());

async function send(endpoint: string, count: number): Promise<void> {
  const apis = [cluster.client.baseUrl];
  const load = new Load({ apis, key: KEY, endpoints: [endpoint], random: new Random(7), workers: 8 });
  loads.push(load);
  await load.sendAll(count);
}

const setActive = (endpoint: string, is_active: boolean) =>
  cluster.client.changeEndpoint(endpoint, { is_active });

async function statusesOf(endpoint: string): Promise<unknown[]> {
  const { body } = await cluster.client.ask("GET", `/webhooks?endpoint_id=${endpoint}&limit=100`);
  const data = fieldOf(body, "data");
  if (!Array.isArray(data)) throw new Error("no list of deliveries");
  return data.map((each) => fieldOf(each, "status")).reverse();
}

/** Answers 503 until `forMs` after the first request, like a receiver that starts up. */
function startsUp(forMs: number): Behaviour {
  let readyAt = Number.POSITIVE_INFINITY;
  return (receipt) => {
    readyAt = Math.min(readyAt, Date.now() + forMs);
    if (Date.now() >= readyAt) return healthy(receipt);
    return new Response("starting", { status: 503, headers: { "retry-after": "1" } });
  };
}

test("deliveries that waited for longer than their retry schedule survive a receiver that is still starting up", async () => {
  const schedule = { retry_schedule_ms: [200, 200, 200] };
  const [endpoint = ""] = await cluster.newEndpoints(1, startsUp(2_000), schedule);
  await setActive(endpoint, false);
  await send(endpoint, 300);
  // Longer than the sum of the schedule.
  await Bun.sleep(1_000);
  await setActive(endpoint, true);
  await cluster.settled();
  const delivered = cluster.book.of(endpoint).filter(({ status }) => status === 200);
  expect(delivered).toHaveLength(300);
  expect(check(await cluster.evidence(loads))).toEqual([]);
});

test("a dead receiver's queue drains by single attempts a first wait apart, across a take-over, until one succeeds", async () => {
  const [endpoint = ""] = await cluster.newEndpoints(1, broken, { retry_schedule_ms: [400, 100] });
  await setActive(endpoint, false);
  await send(endpoint, 5);
  await setActive(endpoint, true);
  await until(() => cluster.book.of(endpoint).some(({ sequence }) => sequence === 2), { what: "the second" });
  // A dispatcher that knows nothing of the first goes on in the same way.
  await dispatcher.kill();
  dispatcher = await cluster.launch("successor", "dispatcher");
  await until(() => cluster.book.of(endpoint).some(({ sequence }) => sequence === 4), { what: "the fourth" });
  cluster.receivers.change(endpoint, (receipt) => (receipt.attempt < 2 ? broken(receipt) : healthy(receipt)));
  // Sent after the first delivery failed, so it has its whole schedule.
  await send(endpoint, 1);
  await cluster.settled();
  expect(await statusesOf(endpoint)).toEqual([...Array(5).fill("failed"), "delivered"]);
  const startsOf = (which: number) =>
    cluster.book.of(endpoint).flatMap(({ sequence, startedAt }) => (sequence === which ? [startedAt] : []));
  expect(startsOf(1)).toHaveLength(3);
  expect(startsOf(5)).toHaveLength(1);
  for (const which of [4, 5]) {
    expect((startsOf(which)[0] ?? 0) - (startsOf(which - 1).at(-1) ?? 0)).toBeGreaterThanOrEqual(350);
  }
  expect(startsOf(6)).toHaveLength(2);
  expect(check(await cluster.evidence(loads))).toEqual([]);
});

test("retries now and changes of the endpoint use up no step of the schedule, across a crash", async () => {
  const hours = { retry_schedule_ms: [3_600_000, 3_600_000, 3_600_000] };
  const [endpoint = ""] = await cluster.newEndpoints(1, broken, hours);
  await send(endpoint, 1);
  const attempts = async () => (await firstOf(endpoint)).attempts;
  const waitFor = (count: number) =>
    until(async () => (await attempts()) === count, { what: `attempt ${count}` });
  await waitFor(1);
  const { id } = await firstOf(endpoint);
  const moves = [
    () => cluster.client.ask("POST", `/webhooks/${id}/retry`),
    () => cluster.client.ask("POST", `/endpoints/${endpoint}/retry`),
    () => cluster.client.changeEndpoint(endpoint, { headers: { "x-release": "2" } }),
    () => setActive(endpoint, false).then(() => setActive(endpoint, true)),
  ];
  for (const [i, move] of moves.entries()) {
    await move();
    await waitFor(i + 2);
  }
  cluster.receivers.change(endpoint, hangs);
  await cluster.client.ask("POST", `/webhooks/${id}/retry`);
  await until(() => cluster.book.of(endpoint).some(({ attempt }) => attempt === 6), { what: "the sixth" });
  await dispatcher.kill();
  cluster.receivers.change(endpoint, broken);
  dispatcher = await cluster.launch("after the crash", "dispatcher");
  await waitFor(6);
  // The change of the schedule attempts once more. Then come the three steps.
  await cluster.client.changeEndpoint(endpoint, { retry_schedule_ms: [100, 100, 100] });
  await cluster.settled();
  expect(await statusesOf(endpoint)).toEqual(["failed"]);
  expect(await attempts()).toBe(10);
  expect(check(await cluster.evidence(loads))).toEqual([]);
});

async function firstOf(endpoint: string): Promise<{ id: unknown; attempts: unknown }> {
  const { body } = await cluster.client.ask("GET", `/webhooks?endpoint_id=${endpoint}&limit=1`);
  const data = fieldOf(body, "data");
  const [first] = Array.isArray(data) ? data : [];
  return { id: fieldOf(first, "id"), attempts: fieldOf(first, "attempt_count") };
}

/**
 * Answers the first attempt of the first delivery with a failure that has this `webhook-delivery`, and accepts all others.
 */
function instructs(instruction: string): Behaviour {
  return (receipt) =>
    receipt.sequence === 1 && receipt.attempt === 1
      ? new Response("no", { status: 500, headers: { "webhook-delivery": instruction } })
      : healthy(receipt);
}

test("after `webhook-delivery: abort-message` that delivery is not sent again, and the next one is", async () => {
  const [endpoint = ""] = await cluster.newEndpoints(1, instructs("abort-message"));
  await send(endpoint, 2);
  await cluster.settled();
  expect(await statusesOf(endpoint)).toEqual(["failed", "delivered"]);
  expect(cluster.book.of(endpoint).map(({ sequence }) => sequence)).toEqual([1, 2]);
  expect((await cluster.client.ask("GET", `/endpoints/${endpoint}`)).body).toMatchObject({ is_active: true });
  expect(check(await cluster.evidence(loads))).toEqual([]);
});

test("after `webhook-delivery: disable` nothing is sent until the endpoint is active again, and then everything", async () => {
  const [endpoint = ""] = await cluster.newEndpoints(1, instructs("disable"));
  await send(endpoint, 3);
  const endpointNow = async () => (await cluster.client.ask("GET", `/endpoints/${endpoint}`)).body;
  await until(async () => fieldOf(await endpointNow(), "is_active") === false, {
    what: "an inactive endpoint",
  });
  expect(await endpointNow()).toMatchObject({ health: { state: "disabled", reason: "unwanted" } });
  await send(endpoint, 1);
  expect(await statusesOf(endpoint)).toEqual(Array(4).fill("pending"));
  expect(cluster.book.of(endpoint).map(({ sequence }) => sequence)).toEqual([1]);
  await setActive(endpoint, true);
  await cluster.settled();
  expect(await statusesOf(endpoint)).toEqual(Array(4).fill("delivered"));
  expect(cluster.book.of(endpoint).map(({ sequence }) => sequence)).toEqual([1, 1, 2, 3, 4]);
  expect(check(await cluster.evidence(loads))).toEqual([]);
});

test("a permanent status fails its delivery at once, and an event published while inactive comes after it", async () => {
  const refuses: Behaviour = (receipt) =>
    receipt.sequence === 1 ? new Response("never", { status: 422 }) : healthy(receipt);
  const [endpoint = ""] = await cluster.newEndpoints(1, refuses, { permanent_statuses: [422] });
  await setActive(endpoint, false);
  await send(endpoint, 2);
  const { status } = await cluster.client.ask("POST", "/events", { event: "a.b", data: {} });
  expect(status).toBe(201);
  await setActive(endpoint, true);
  await until(() => cluster.book.of(endpoint).some(({ sequence }) => sequence === 3), { what: "the event" });
  await cluster.settled();
  expect(await statusesOf(endpoint)).toEqual(["failed", "delivered", "delivered"]);
  expect(cluster.book.of(endpoint).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
});

test.each(["ordered", "by_key", "unordered"])("a retry ends a wait of an hour: %s", async (ordering) => {
  const fields = { ordering, retry_schedule_ms: [3_600_000] };
  const [endpoint = ""] = await cluster.newEndpoints(1, broken, fields);
  await send(endpoint, 1);
  await until(async () => (await waitingAt(endpoint)) === 1, { what: "a delivery that waits" });
  cluster.receivers.change(endpoint, healthy);
  const { body } = await cluster.client.ask("POST", `/endpoints/${endpoint}/retry`);
  expect(body).toEqual({ retried: 1 });
  await cluster.settled();
  expect(await statusesOf(endpoint)).toEqual(["delivered"]);
});

/** Counts the pending deliveries that have a failed attempt. */
async function waitingAt(endpoint: string): Promise<number> {
  const { body } = await cluster.client.ask(
    "GET",
    `/webhooks?endpoint_id=${endpoint}&status=pending&limit=100`,
  );
  const data = fieldOf(body, "data");
  return Array.isArray(data) ? data.filter((each) => fieldOf(each, "attempt_count") !== 0).length : 0;
}
