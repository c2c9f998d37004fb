import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Behaviour, broken, failsAtRandom, healthy, slow } from "../support/faults/behaviour";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import { fieldOf } from "../support/faults/hermod-client";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Load, type LoadOptions } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { mostAtOnce } from "../support/faults/receipt";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

/** Attempts under way when a PATCH is answered may still arrive for this long on a busy machine. */
const UNDER_WAY_MS = 1_000;
/** Retries come soon, and outlast the test. */
const RETRIES = Array(20).fill(200);

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

type LoadSettings = Pick<LoadOptions, "perSecond" | "keys">;

function newLoad(endpoints: readonly string[], settings: LoadSettings = {}): Load {
  const apis = [cluster.client.baseUrl];
  const load = new Load({ apis, key: KEY, endpoints, random: new Random(13), workers: 8, ...settings });
  loads.push(load);
  return load;
}

function unordered(max_in_flight: number, fields: object = {}): object {
  return { ordering: "unordered", max_in_flight, retry_schedule_ms: RETRIES, ...fields };
}

function delivered(endpoint: string): number {
  return cluster.book.of(endpoint).filter(({ status }) => status === 200).length;
}

test("an unordered endpoint has up to max_in_flight deliveries under way, and no more", async () => {
  const [endpoint = ""] = await cluster.newEndpoints(1, slow(80), unordered(5));
  await newLoad([endpoint]).sendAll(20);
  await cluster.settled();
  expect(mostAtOnce(cluster.book.of(endpoint))).toBe(5);
});

test("deliveries that wait for a retry let the others pass, and arrive in the end", async () => {
  const failsTwo: Behaviour = (receipt) => (receipt.sequence <= 2 ? broken(receipt) : healthy(receipt));
  const [endpoint = ""] = await cluster.newEndpoints(1, failsTwo, unordered(2));
  await newLoad([endpoint]).sendAll(40);
  await until(() => delivered(endpoint) === 38, { what: "the others" });
  expect(await cluster.pendingOf([endpoint])).toBe(2);
  cluster.receivers.change(endpoint, healthy);
  await cluster.settled();
});

/** Answers `retry-after` for `forMs` from the first request on, then accepts everything, the first delivery slowly. */
function asksForRest(forMs: number, status: 429 | 503): Behaviour {
  let until = 0;
  let probed = false;
  return async (receipt) => {
    until ||= Date.now() + forMs;
    const retryAfter = Math.ceil(Math.max(0, until - Date.now()) / 100) / 10;
    if (retryAfter > 0)
      return new Response("later", { status, headers: { "retry-after": String(retryAfter) } });
    if (probed) return healthy(receipt);
    probed = true;
    return slow(200)(receipt);
  };
}

test.each([
  ["unordered", 429],
  ["by_key", 503],
] as const)(
  "after `retry-after` an endpoint rests as a whole, across a take-over; one delivery probes, then the others follow: %s, %d",
  async (ordering, status) => {
    const fields = unordered(5, { ordering });
    const [endpoint = ""] = await cluster.newEndpoints(1, asksForRest(4_000, status), fields);
    await cluster.client.changeEndpoint(endpoint, { is_active: false });
    const keys = Array.from({ length: 60 }, (_, i) => `key-${i}`);
    await newLoad([endpoint], { keys }).sendAll(200);
    await cluster.client.changeEndpoint(endpoint, { is_active: true });
    const receipts = () => cluster.book.of(endpoint);
    await until(() => receipts().length > 0, { what: "the first" });
    const reasons = ordering === "unordered" ? ["rest"] : ["rest", "retry"];
    const isKnown = async () => (await waitingFor(endpoint)).some((each) => reasons.includes(String(each)));
    await until(isKnown, { what: "the rest" });
    await dispatcher.kill();
    await dispatcher.start();
    await cluster.settled();
    const [first] = receipts();
    const later = receipts().filter(({ startedAt }) => startedAt > (first?.startedAt ?? 0) + 1_000);
    // Only those in flight when the first answer came.
    expect(receipts().length - later.length).toBeLessThanOrEqual(10);
    const [probe] = later;
    expect((probe?.startedAt ?? 0) - (first?.startedAt ?? 0)).toBeGreaterThanOrEqual(4_000);
    const beside = later.filter(({ startedAt }) => startedAt < (probe?.endedAt ?? 0));
    expect(beside).toHaveLength(1);
    expect(delivered(endpoint)).toBe(200);
  },
);

/** Returns the reasons for which the endpoint's first deliveries wait. */
async function waitingFor(endpoint: string): Promise<unknown[]> {
  const { body } = await cluster.client.ask(
    "GET",
    `/webhooks?endpoint_id=${endpoint}&iterator=start&limit=20`,
  );
  const data = fieldOf(body, "data");
  const ids = Array.isArray(data) ? data.map((each) => String(fieldOf(each, "id"))) : [];
  const details = await Promise.all(ids.map((id) => cluster.client.ask("GET", `/webhooks/${id}`)));
  return details.map(({ body: detail }) => fieldOf(fieldOf(detail, "waiting_for"), "reason"));
}

test("an unordered endpoint that becomes ordered is in order once the attempts under way have ended, and can change back", async () => {
  const [endpoint = ""] = await cluster.newEndpoints(1, slow(40), unordered(6));
  await newLoad([endpoint]).sendAll(140);
  await until(() => delivered(endpoint) > 10, { what: "deliveries without order" });
  await cluster.client.changeEndpoint(endpoint, { ordering: "ordered" });
  const orderedFrom = Date.now() + UNDER_WAY_MS;
  const startedInOrder = () => cluster.book.of(endpoint).filter(({ startedAt: at }) => at > orderedFrom);
  await until(() => startedInOrder().length > 5, { what: "deliveries in order" });
  const orderedTo = Date.now();
  await cluster.client.changeEndpoint(endpoint, { ordering: "unordered" });
  await cluster.settled();

  const receipts = cluster.book.of(endpoint);
  const inOrder = receipts.filter(({ startedAt: at }) => at > orderedFrom && at < orderedTo);
  const sequences = inOrder.map(({ sequence }) => sequence);
  expect(sequences.length).toBeGreaterThan(4);
  const first = sequences[0] ?? 0;
  expect(sequences).toEqual(sequences.map((_, i) => first + i));
  expect(mostAtOnce(inOrder)).toBe(1);
  const after = receipts.filter(({ startedAt }) => startedAt > orderedTo);
  expect(mostAtOnce(after)).toBe(6);
});

test("a crash under load loses nothing, with and without an order or a rate limit", async () => {
  const failing = failsAtRandom(17, 0.2);
  const endpoints = [
    await cluster.newEndpoints(3, failing, unordered(4)),
    await cluster.newEndpoints(2, failing, unordered(4, { rate_limit: 30 })),
    await cluster.newEndpoints(2, failing, { rate_limit: 30, retry_schedule_ms: RETRIES }),
  ].flat();
  const load = newLoad(endpoints, { perSecond: 150 }).start();
  await until(() => endpoints.every((each) => delivered(each) > 5), { what: "deliveries" });
  await dispatcher.kill();
  await load.stop();
  await newLoad(endpoints).sendAll(70);
  expect(await cluster.pendingOf(endpoints)).toBeGreaterThanOrEqual(70);
  await dispatcher.start();
  await cluster.settled();
});

test("no test above broke a promise", async () => {
  expect(check(await cluster.evidence(loads))).toEqual([]);
});
