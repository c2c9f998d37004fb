import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Behaviour, broken, failsAtRandom, healthy, slow } from "../support/faults/behaviour";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { TcpProxy } from "../support/faults/tcp-proxy";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

/** Long enough that an attempt under way when a PATCH is answered has arrived. */
const UNDER_WAY_MS = 1_000;
/** An endpoint that only fails for this long is disabled. */
const DISABLE_AFTER_MS = 1_000;

const gone: Behaviour = () => new Response("gone", { status: 410 });

let cluster: Cluster;
const loads: Load[] = [];

beforeAll(async () => {
  // Retries last longer than it takes to disable the endpoint.
  const env = {
    HERMOD_DISABLE_AFTER: `${DISABLE_AFTER_MS}ms`,
    HERMOD_RETRY_SCHEDULE: Array(100).fill("100ms").join(),
  };
  cluster = await Cluster.start({ postgres: "shared", env });
  await Promise.all([cluster.launch("api", "api"), cluster.launch("dispatcher", "dispatcher")]);
});

afterAll(() => cluster[Symbol.asyncDispose]());

function newLoad(endpoints: readonly string[], perSecond?: number): Load {
  const apis = [cluster.client.baseUrl];
  const load = new Load({ apis, key: KEY, endpoints, random: new Random(11), workers: 8, perSecond });
  loads.push(load);
  return load;
}

function receivedSince(endpoint: string, at: number): number {
  return cluster.book.of(endpoint).filter((receipt) => receipt.startedAt > at).length;
}

async function setActive(endpoints: readonly string[], is_active: boolean): Promise<void> {
  await Promise.all(endpoints.map((endpoint) => cluster.client.changeEndpoint(endpoint, { is_active })));
}

async function expectPromisesKept(): Promise<void> {
  await cluster.settled();
  expect(check(await cluster.evidence(loads))).toEqual([]);
}

/** Pauses endpoints under load. Nothing may arrive then, and everything in order once they are active again. */
async function pauseUnderLoad(behaviour: Behaviour): Promise<void> {
  const endpoints = await cluster.newEndpoints(6, behaviour);
  const load = newLoad(endpoints, 200).start();
  await until(() => endpoints.every((each) => cluster.book.of(each).length > 5), { what: "attempts" });
  await setActive(endpoints, false);
  const pausedAt = Date.now();
  const sixtyMore = () => {
    const accepted = load.accepted;
    return until(() => load.accepted > accepted + 60, { what: "sends while they are paused" });
  };
  await sixtyMore();
  const received = () => endpoints.map((endpoint) => receivedSince(endpoint, pausedAt));
  // An attempt under way when the PATCH is answered may still arrive, and none later.
  const late = received();
  expect(Math.max(...late)).toBeLessThanOrEqual(1);
  await sixtyMore();
  await load.stop();
  expect(received()).toEqual(late);
  expect(await cluster.pendingOf(endpoints)).toBeGreaterThanOrEqual(120);
  await setActive(endpoints, true);
  await expectPromisesKept();
}

test("an endpoint paused under load gets nothing, and everything in order once it is active", () =>
  pauseUnderLoad(slow(10)));

test("an endpoint paused while its receiver fails at random gets nothing, and everything in order once it is active", () =>
  pauseUnderLoad(failsAtRandom(3, 0.2)));

test("an endpoint paused while NATS is down and cannot announce it gets nothing, and everything in order once it is active", async () => {
  const restart = await cluster.nats.stop();
  await pauseUnderLoad(slow(10));
  await restart();
});

test("an endpoint that only fails is disabled, keeps its pending deliveries, and gets them in order once it is active", async () => {
  const [endpoint = ""] = await cluster.newEndpoints(1, broken, { retry_schedule_ms: [400, 400] });
  await newLoad([endpoint]).sendAll(20);
  const sentAt = Date.now();
  await until(async () => !(await cluster.client.isActive(endpoint)), { what: "deactivation", pollMs: 50 });
  expect(Date.now() - sentAt).toBeGreaterThan(DISABLE_AFTER_MS - 500);
  const failed = new Set(cluster.book.of(endpoint).map(({ webhookId }) => webhookId)).size;
  expect(failed).toBeGreaterThanOrEqual(2);
  await newLoad([endpoint]).sendAll(5);
  const attempts = cluster.book.of(endpoint).length;
  await Bun.sleep(2 * UNDER_WAY_MS);
  expect(cluster.book.of(endpoint)).toHaveLength(attempts);
  expect(await cluster.pendingOf([endpoint])).toBe(25 - failed);

  // Activation resets the failures: the next one alone does not disable the endpoint again.
  await setActive([endpoint], true);
  await until(() => cluster.book.of(endpoint).length > attempts, { what: "a further attempt" });
  expect(await cluster.client.isActive(endpoint)).toBe(true);
  cluster.receivers.change(endpoint, healthy);
  await expectPromisesKept();
});

test("a 410 loses nothing: the delivery is retried, and a second 410 a minute later disables the endpoint", async () => {
  const [endpoint = ""] = await cluster.newEndpoints(1, gone);
  await newLoad([endpoint]).sendAll(20);
  await until(() => cluster.book.of(endpoint).length > 3, { what: "attempts" });
  expect(await cluster.client.isActive(endpoint)).toBe(true);
  const sql = await cluster.sql();
  await sql`update endpoints set gone_since = now() - interval '1 minute' where gone_since is not null`;
  await until(async () => !(await cluster.client.isActive(endpoint)), { what: "deactivation" });
  expect(await cluster.pendingOf([endpoint])).toBe(20);
  const { body } = await cluster.client.ask("GET", "/endpoints?health=disabled");
  expect(body).toMatchObject([{ id: endpoint, health: { state: "disabled", reason: "gone" } }]);

  cluster.receivers.change(endpoint, healthy);
  await setActive([endpoint], true);
  await expectPromisesKept();
});

test("an endpoint paused while its dispatcher is cut off from NATS does not get what NATS has kept for it", async () => {
  // Without sweeps, so that only NATS can bring deliveries.
  await using own = await Cluster.start({ postgres: "shared", env: { HERMOD_SWEEP_INTERVAL: "1m" } });
  const toNats = await TcpProxy.to(own.nats.url);
  await Promise.all([
    own.launch("api", "api"),
    own.launch("dispatcher", "dispatcher", { NATS_URL: toNats.urlFor(own.nats.url) }),
  ]);
  const [paused = "", other = ""] = await own.newEndpoints(2);
  const apis = [own.client.baseUrl];
  const sendTo = (endpoint: string) =>
    new Load({ apis, key: KEY, endpoints: [endpoint], random: new Random(12), workers: 1 }).sendAll(1);
  const received = (endpoint: string, count: number) =>
    until(() => own.book.of(endpoint).length === count, { what: `delivery ${count}` });
  for (const endpoint of [paused, other]) {
    await sendTo(endpoint);
    await received(endpoint, 1);
  }
  // The API accepts and pauses while the dispatcher hears nothing.
  toNats.halfOpen();
  await sendTo(paused);
  await own.client.changeEndpoint(paused, { is_active: false });
  // The dispatcher may have been reading the endpoint's deliveries, and found the second before the pause.
  await Bun.sleep(UNDER_WAY_MS);
  const before = own.book.of(paused).length;
  await sendTo(paused);
  toNats.open();
  await sendTo(other);
  await received(other, 2);
  expect(own.book.of(paused)).toHaveLength(before);
  await own.client.changeEndpoint(paused, { is_active: true });
  await received(paused, 3);
  await toNats.end();
});
