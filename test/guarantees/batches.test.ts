import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type ReceivedWebhook, verifyBatch } from "../../src/client";
import { Cluster, KEY } from "../support/faults/cluster";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const BATCH_SIZE = 20;
const BATCHED = { format: "envelope", batch_size: BATCH_SIZE } as const;
/** Round trips long enough for deliveries to gather behind a request. */
const ANSWER_MS = 10;
const ROUNDS = 2;

type Request = { id: string; body: string; items: ReceivedWebhook<unknown>[]; status: number };

let cluster: Cluster;
let service: HermodProcess;

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "embedded" });
  service = await cluster.launch("all", "all");
});

afterAll(() => cluster[Symbol.asyncDispose]());

/** An endpoint that takes batches. `statusOf` answers a request with these sequences. */
async function newReceiver(statusOf: (sequences: readonly number[]) => number, fields: object = {}) {
  const requests: Request[] = [];
  let secret = "";
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const body = await request.text();
      const items = verifyBatch(body, request.headers, secret);
      await Bun.sleep(ANSWER_MS);
      const status = statusOf(items.map(({ sequence }) => sequence ?? 0));
      requests.push({ id: request.headers.get("webhook-id") ?? "", body, items, status });
      return new Response(null, { status });
    },
  });
  const made = await cluster.client.newEndpoint(server.url.href, { ...BATCHED, ...fields });
  secret = made.secret;
  return { endpoint: made.endpoint, requests, close: () => server.stop(true) };
}

function newLoad(endpoint: string, keys: readonly (string | null)[] = [null]): Load {
  const random = new Random(7);
  return new Load({ apis: [service.url], key: KEY, endpoints: [endpoint], keys, random, workers: 16 });
}

/** The numbers that a receiver took, each at its first time. Throws if an older one came first. */
function takenOf(requests: readonly Request[], key: string | null = null): number[] {
  const taken = new Set<number>();
  let newest = 0;
  for (const { items, status } of requests) {
    if (status !== 200) continue;
    for (const { sequence, orderingKey } of items) {
      if (sequence === null || orderingKey !== key) continue;
      if (sequence < newest && !taken.has(sequence)) throw new Error(`${sequence} came after ${newest}`);
      taken.add(sequence);
      newest = Math.max(newest, sequence);
    }
  }
  return [...taken];
}

function repeatsIn(requests: readonly Request[]): number {
  const all = requests.filter(({ status }) => status === 200).flatMap(({ items }) => items);
  return all.length - new Set(all.map(({ sequence }) => sequence)).size;
}

test("nothing is lost or reordered when the service and Postgres are killed amid batches, some of which fail", async () => {
  let requests = 0;
  const receiver = await newReceiver(() => (++requests % 29 === 0 ? 500 : 200));
  const load = newLoad(receiver.endpoint).start();
  for (let round = 1; round <= ROUNDS; round++) {
    const before = load.accepted;
    await until(() => load.accepted > before + 200, { what: "a load" });
    await service.kill(await cluster.embedded.pids());
    await service.start();
  }
  await load.stop();
  await cluster.settled();
  await receiver.close();
  const taken = takenOf(receiver.requests);
  const { delivered, total } = await cluster.client.stats();
  expect({ taken: taken.length, delivered }).toEqual({ taken: total, delivered: total });
  expect(taken).toEqual(taken.map((_, i) => i + 1));
  expect(repeatsIn(receiver.requests)).toBeLessThanOrEqual(ROUNDS * BATCH_SIZE);
  // The promise was at stake: requests were full, and some failed.
  expect(Math.max(...receiver.requests.map(({ items }) => items.length))).toBe(BATCH_SIZE);
  const bodies = new Map(receiver.requests.map(({ id, body }) => [id, body]));
  for (const { id, body } of receiver.requests) expect(bodies.get(id)).toBe(body);
});

test("a delivery that the receiver refuses fails alone, and those around it are delivered in order", async () => {
  const isPoison = (sequence: number) => sequence % 17 === 0;
  const receiver = await newReceiver((all) => (all.some(isPoison) ? 422 : 200), {
    permanent_statuses: [422],
    is_active: false,
  });
  await newLoad(receiver.endpoint).sendAll(60);
  await cluster.client.changeEndpoint(receiver.endpoint, { is_active: true });
  await cluster.settled();
  await receiver.close();
  expect(takenOf(receiver.requests)).toEqual(
    Array.from({ length: 60 }, (_, i) => i + 1).filter((each) => !isPoison(each)),
  );
  const refused = receiver.requests.filter(({ status, items }) => status === 422 && items.length === 1);
  expect(refused.map(({ items }) => items[0]?.sequence)).toEqual([17, 34, 51]);
  const { data } = await cluster.client.api.webhooks.list({
    endpoint_id: receiver.endpoint,
    status: "failed",
    limit: 10,
  });
  expect(data.map(({ sequence }) => sequence)).toEqual([51, 34, 17]);
});

test("each attempt shows the request that held it, with its deliveries and headers", async () => {
  const receiver = await newReceiver(() => 200, { is_active: false });
  await newLoad(receiver.endpoint, ["a", null]).sendAll(8);
  await cluster.client.changeEndpoint(receiver.endpoint, { is_active: true });
  await cluster.settled();
  await receiver.close();
  const [request] = receiver.requests;
  expect(request?.items.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  for (const { id, sequence } of request?.items ?? []) {
    const { attempts } = await cluster.client.api.webhooks.get(id);
    expect(attempts).toMatchObject([
      {
        attempt: 1,
        status: 200,
        batch: { size: 8, first_sequence: 1 },
        request_headers: { "webhook-id": request?.id, "webhook-sequence": "1", "webhook-attempt": "1" },
      },
    ]);
    expect(Object.keys(attempts[0]?.request_headers ?? {})).not.toContain("webhook-event");
    expect(sequence).toBeLessThanOrEqual(8);
  }
});

test("keys share no request", async () => {
  const receiver = await newReceiver(() => 200, { ordering: "by_key", is_active: false });
  await newLoad(receiver.endpoint, ["a", "b", null]).sendAll(60);
  await cluster.client.changeEndpoint(receiver.endpoint, { is_active: true });
  await cluster.settled();
  await receiver.close();
  for (const { items } of receiver.requests)
    expect(new Set(items.map(({ orderingKey }) => orderingKey)).size).toBe(1);
  const taken = ["a", "b", null].map((key) => takenOf(receiver.requests, key).length);
  expect(taken.reduce((sum, each) => sum + each)).toBe(60);
  expect(receiver.requests.length).toBeLessThan(30);
});
