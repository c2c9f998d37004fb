import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Behaviour, broken, slow } from "../support/faults/behaviour";
import { check } from "../support/faults/checker/check";
import type { Evidence } from "../support/faults/checker/evidence";
import { Cluster, KEY } from "../support/faults/cluster";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

/** An attempt under way when a DELETE is answered may still arrive for this long on a busy machine. */
const UNDER_WAY_MS = 1_000;

let cluster: Cluster;
const loads: Load[] = [];

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "shared" });
  await cluster.launch("all", "all");
});

afterAll(() => cluster[Symbol.asyncDispose]());

/** Deletes endpoints under load while they have a backlog, and waits until nothing is pending. */
async function deleteUnder(
  behaviour: Behaviour,
): Promise<{ deletedAt: Map<string, number>; evidence: Evidence }> {
  const endpoints = await cluster.newEndpoints(5, behaviour);
  const apis = [cluster.client.baseUrl];
  const load = new Load({ apis, key: KEY, endpoints, random: new Random(6), workers: 16 });
  loads.push(load);
  await load.sendAll(600);
  await until(() => endpoints.every((endpoint) => cluster.book.of(endpoint).length > 2), {
    what: "attempts",
  });
  const deletedAt = new Map<string, number>();
  for (const endpoint of endpoints) {
    await cluster.client.deleteEndpoint(endpoint);
    deletedAt.set(endpoint, Date.now());
  }
  await cluster.settled();
  await Bun.sleep(2 * UNDER_WAY_MS);
  return { deletedAt, evidence: await cluster.evidence(loads) };
}

function expectStopped({ deletedAt, evidence }: Awaited<ReturnType<typeof deleteUnder>>): void {
  expect(check(evidence)).toEqual([]);
  for (const [endpoint, at] of deletedAt) {
    const late = cluster.book.of(endpoint).filter((receipt) => receipt.startedAt > at);
    expect(late.length).toBeLessThanOrEqual(1);
    expect(late.filter((receipt) => receipt.startedAt > at + UNDER_WAY_MS)).toEqual([]);
    const rows = evidence.ledger.deliveries.filter((row) => row.endpoint === endpoint);
    expect(rows.filter((row) => row.status === "cancelled").length).toBeGreaterThan(50);
  }
}

test("deleting an endpoint under load cancels its pending deliveries, and its attempts stop at once", async () => {
  expectStopped(await deleteUnder(slow(20)));
});

test("deleting an endpoint with a broken receiver cancels what waits for a retry, and nothing is retried", async () => {
  expectStopped(await deleteUnder(broken));
});

test("deleting an endpoint stops its attempts even while NATS is down and cannot announce it", async () => {
  const restart = await cluster.nats.stop();
  expectStopped(await deleteUnder(slow(20)));
  await restart();
});
