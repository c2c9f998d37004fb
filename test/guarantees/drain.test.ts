import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { slow } from "../support/faults/behaviour";
import { check } from "../support/faults/checker/check";
import { countRepeats } from "../support/faults/checker/repeats";
import { Cluster, KEY } from "../support/faults/cluster";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { sharesOf } from "../support/faults/shares";
import { TcpProxy } from "../support/faults/tcp-proxy";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

let cluster: Cluster;
let service: HermodProcess;

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "embedded" });
  service = await cluster.launch("all", "all");
});

afterAll(() => cluster[Symbol.asyncDispose]());

/** Counts the requests that receivers have begun and not yet ended. */
function underWay(): number {
  return cluster.book.receipts.filter((receipt) => receipt.closed === null).length;
}

test("SIGTERM under load stops in order: accepted deliveries are stored, attempts are recorded, no process is left", async () => {
  const endpoints = await cluster.newEndpoints(40, slow(150));
  const options = { apis: [service.url], key: KEY, endpoints, random: new Random(5), workers: 16 };
  const load = new Load({ ...options, perSecond: 200 }).start();
  await until(() => load.accepted > 150 && underWay() > 20, { what: "deliveries under way" });
  expect(await service.terminate()).toBe(0);
  expect(underWay()).toBe(0);
  await load.stop();
  expect(await cluster.embedded.pids()).toEqual([]);

  await service.start();
  await cluster.settled();
  expect(check(await cluster.evidence([load]))).toEqual([]);
  expect(load.misfits).toEqual([]);
  expect(countRepeats(cluster.book.receipts)).toBe(0);
});

test("a Ctrl-C that npx passes on twice counts once: the attempt under way is finished and recorded", async () => {
  await using alone = await Cluster.start({ postgres: "shared" });
  const all = await launchAmidAttempt(alone);
  // Sent apart: the kernel merges two equal signals that are both pending.
  expect(await all.interruptTwice(5)).toBe(0);
  await alone.settled(1_000);
});

test("a second signal half a second later ends the process at once", async () => {
  await using alone = await Cluster.start({ postgres: "shared" });
  const all = await launchAmidAttempt(alone, 10_000);
  expect(await all.interruptTwice(600)).toBe(130);
});

/** Starts a process and returns while its attempt at a slow receiver is under way. */
async function launchAmidAttempt(alone: Cluster, attemptMs = 1_500): Promise<HermodProcess> {
  const all = await alone.launch("all", "all");
  const [endpoint = ""] = await alone.newEndpoints(1, slow(attemptMs));
  await alone.client.api.webhooks.send({ endpoint_id: endpoint, data: {} });
  await until(() => alone.book.receipts.length > 0, { what: "an attempt" });
  return all;
}

test("a dispatcher that never reached NATS stops on SIGTERM", async () => {
  await using alone = await Cluster.start({ postgres: "shared" });
  const env = { NATS_URL: "nats://127.0.0.1:9" };
  const dispatcher = await alone.launch("dispatcher", "dispatcher", env);
  await until(async () => (await sharesOf(alone)).length === 1, { what: "partitions" });
  expect(await dispatcher.terminate()).toBe(0);
});

test("a dispatcher stops on SIGTERM while NATS is down", async () => {
  await using alone = await Cluster.start({ postgres: "shared" });
  const dispatcher = await alone.launch("dispatcher", "dispatcher");
  await until(async () => (await sharesOf(alone)).length === 1, { what: "partitions" });
  const restart = await alone.nats.kill();
  expect(await dispatcher.terminate()).toBe(0);
  await restart();
});

test("a stopping dispatcher starts no attempt and ends soon, even if NATS lost its consumers and does not answer", async () => {
  await using alone = await Cluster.start({ postgres: "shared" });
  const proxy = await TcpProxy.to(alone.nats.url);
  const [api, dispatcher] = await Promise.all([
    alone.launch("api", "api"),
    alone.launch("dispatcher", "dispatcher", { NATS_URL: proxy.urlFor(alone.nats.url) }),
  ]);
  const endpoints = await alone.newEndpoints(4, slow(100));
  const options = { apis: [api.url], key: KEY, endpoints, random: new Random(6), workers: 8 };
  const load = new Load({ ...options, perSecond: 100 }).start();
  await until(() => load.accepted > 100, { what: "a load" });
  const asking = proxy.untilSent(/CONSUMER\.(DURABLE\.)?CREATE/).then(() => proxy.halfOpen());
  await alone.nats.deleteConsumers();
  await asking;
  const terminatedAt = Date.now();
  expect(await dispatcher.terminate()).toBe(0);
  expect(Date.now() - terminatedAt).toBeLessThan(3_000);
  const startedAfter = alone.book.receipts.map(({ startedAt }) => startedAt - terminatedAt);
  expect(Math.max(...startedAfter)).toBeLessThan(1_000);
  await load.stop();
  await proxy.end();
});

/** Makes a file that nobody can remove, until disposal. Rejects where the file system or the user's rights forbid it. */
async function pin(file: string): Promise<AsyncDisposable> {
  await Bun.$`chattr +i ${file}`.quiet();
  return { [Symbol.asyncDispose]: async () => void (await Bun.$`chattr -i ${file}`.quiet()) };
}

async function canPin(folder: string): Promise<boolean> {
  const file = join(folder, "pinned");
  await Bun.write(file, "");
  const pinned = await pin(file).catch(() => null);
  await pinned?.[Symbol.asyncDispose]();
  return pinned !== null;
}

test("an address file that cannot be removed does not keep an attempt from being recorded", async () => {
  await using alone = await Cluster.start({ postgres: "shared" });
  if (!(await canPin(alone.folder))) return;
  const all = await alone.launch("all", "all");
  const [endpoint = ""] = await alone.newEndpoints(1, slow(1_000));
  await alone.client.api.webhooks.send({ endpoint_id: endpoint, data: {} });
  await until(() => alone.book.receipts.length > 0, { what: "an attempt" });
  await using _ = await pin(join(alone.folder, "data", "api.json"));
  expect(await all.terminate()).toBe(0);
  await alone.settled(1_000);
});
