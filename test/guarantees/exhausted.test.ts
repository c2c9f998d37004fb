import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Behaviour, broken, healthy } from "../support/faults/behaviour";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import { fieldOf } from "../support/faults/hermod-client";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import type { Receipt } from "../support/faults/receipt";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const ORDERINGS = ["ordered", "by_key", "unordered"] as const;
/** Endpoints of each ordering. */
const OF_EACH = 8;
const ATTEMPTS = 3;
/** An attempt under way when the endpoint stops may still arrive for this long on a busy machine. */
const UNDER_WAY_MS = 1_000;

let cluster: Cluster;
let dispatcher: HermodProcess;
const loads: Load[] = [];

beforeAll(async () => {
  cluster = await Cluster.start({
    postgres: "shared",
    env: { HERMOD_LEASE_TTL: "1s", HERMOD_SWEEP_INTERVAL: "200ms" },
  });
  [, dispatcher] = await Promise.all([
    cluster.launch("api", "api"),
    cluster.launch("dispatcher", "dispatcher"),
  ]);
});

afterAll(() => cluster[Symbol.asyncDispose]());

async function send(endpoints: readonly string[], count: number): Promise<void> {
  const load = new Load({
    apis: [cluster.client.baseUrl],
    key: KEY,
    endpoints,
    keys: ["a"],
    random: new Random(31),
    workers: 8,
  });
  loads.push(load);
  await load.sendAll(count);
}

const viewOf = async (endpoint: string) => (await cluster.client.ask("GET", `/endpoints/${endpoint}`)).body;

/** Reads an endpoint's deliveries, oldest first. */
async function deliveriesOf(endpoint: string): Promise<unknown[]> {
  const { body } = await cluster.client.ask("GET", `/webhooks?endpoint_id=${endpoint}&limit=100`);
  const data = fieldOf(body, "data");
  if (!Array.isArray(data)) throw new Error("no list of deliveries");
  return data.toReversed();
}

const statusesOf = async (endpoint: string) =>
  (await deliveriesOf(endpoint)).map((each) => fieldOf(each, "status"));
const idOfFirst = async (endpoint: string) => fieldOf((await deliveriesOf(endpoint))[0], "id");

test.each([12, 20])(
  "with on_exhausted: pause, an endpoint stops at a delivery that used up its schedule and resumes with it; killed at last attempt %d",
  async (killedAt) => {
    let last = 0;
    let killed: Promise<void> | null = null;
    let isMended = false;
    const refusesFirst: Behaviour = (receipt) => {
      if (receipt.sequence !== 1 || isMended) return healthy(receipt);
      if (receipt.attempt === ATTEMPTS && ++last === killedAt) killed = dispatcher.kill();
      return broken(receipt);
    };
    const byOrdering = await Promise.all(
      ORDERINGS.map((ordering) =>
        cluster.newEndpoints(OF_EACH, refusesFirst, {
          ordering,
          max_in_flight: 4,
          on_exhausted: "pause",
          is_active: false,
          retry_schedule_ms: Array(ATTEMPTS - 1).fill(100),
        }),
      ),
    );
    const [ordered = [], byKey = [], unordered = []] = byOrdering;
    const endpoints = byOrdering.flat();
    for (const endpoint of endpoints) await send([endpoint], 4);
    await Promise.all(endpoints.map((each) => cluster.client.changeEndpoint(each, { is_active: true })));
    await until(() => killed !== null, { what: "the kill" });
    await killed;
    await dispatcher.start();
    const isInactive = async (endpoint: string) => fieldOf(await viewOf(endpoint), "is_active") === false;
    for (const endpoint of endpoints) {
      await until(() => isInactive(endpoint), { what: "an inactive endpoint" });
      expect(await viewOf(endpoint)).toMatchObject({ health: { state: "disabled", reason: "exhausted" } });
    }
    const stoppedAt = Date.now();
    const receipts = (some: readonly string[]) => some.flatMap((each) => cluster.book.of(each));
    const behind = (receipt: Receipt) => receipt.sequence > 1;
    // Deliveries accepted while the endpoint is stopped wake nothing either.
    await send(endpoints, endpoints.length);
    await Bun.sleep(2 * UNDER_WAY_MS);
    const inOrder = [...ordered, ...byKey];
    expect(receipts(inOrder).filter(behind)).toEqual([]);
    // An unordered endpoint sends the others while the first waits for its retries.
    expect(receipts(endpoints).filter(({ startedAt }) => startedAt > stoppedAt + UNDER_WAY_MS)).toEqual([]);
    for (const endpoint of ordered)
      expect((await statusesOf(endpoint)).slice(0, 2)).toEqual(["pending", "pending"]);

    // A receiver that still refuses gets the same delivery once more, and nothing behind it.
    const resume = (some: readonly string[]) =>
      Promise.all(some.map((each) => cluster.client.changeEndpoint(each, { is_active: true })));
    const before = receipts(ordered).length;
    await resume(ordered);
    for (const endpoint of ordered) await until(() => isInactive(endpoint), { what: "an inactive endpoint" });
    expect(receipts(ordered).length).toBe(before + ordered.length);
    expect(receipts(ordered).filter(behind)).toEqual([]);

    // To skip a delivery, an operator cancels it.
    isMended = true;
    const [passing = "", ...going] = ordered;
    await cluster.client.ask("POST", `/webhooks/${await idOfFirst(passing)}/cancel`);
    await resume([passing, ...going, ...byKey, ...unordered]);
    await cluster.settled();
    for (const endpoint of endpoints) {
      const [first, ...others] = await statusesOf(endpoint);
      expect(first).toBe(endpoint === passing ? "cancelled" : "delivered");
      expect(new Set(others)).toEqual(new Set(["delivered"]));
    }
  },
);

test("with on_exhausted: pause, a failure that receiver or endpoint calls permanent does not stop the endpoint", async () => {
  const final: Behaviour = (receipt) => {
    if (receipt.sequence === 1) return new Response("never", { status: 422 });
    const headers = { "webhook-delivery": "abort-message" };
    return receipt.sequence === 2 ? new Response("no", { status: 500, headers }) : healthy(receipt);
  };
  const fields = { on_exhausted: "pause", permanent_statuses: [422] };
  const [endpoint = ""] = await cluster.newEndpoints(1, final, fields);
  await send([endpoint], 3);
  await cluster.settled();
  expect(await statusesOf(endpoint)).toEqual(["failed", "failed", "delivered"]);
  expect(await viewOf(endpoint)).toMatchObject({ is_active: true });
});

test("no test above broke a promise", async () => {
  expect(check(await cluster.evidence(loads))).toEqual([]);
});
