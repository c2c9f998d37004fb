import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { fromText } from "../../src/domain/ids";
import { slow } from "../support/faults/behaviour";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import type { HermodProcess } from "../support/faults/hermod-process";
import { lagsOf } from "../support/faults/lag";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { sharesOf } from "../support/faults/shares";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const PARTITIONS = 32;
/** The bounds below are in leases. A busy machine needs part of each for itself. */
const LEASE_MS = 3_000;
/** Long enough that attempts are under way at every hand-over. */
const ATTEMPT_MS = 300;
/** How long an endpoint may pause while it is handed over: less than until its lease would expire. */
const STANDSTILL_MS = LEASE_MS / 2;

let cluster: Cluster;
let first: HermodProcess;
let second: HermodProcess;
let load: Load;
/** The sends whose receivers hang for a while. */
const hung: Load[] = [];

beforeAll(async () => {
  const env = { HERMOD_LEASE_TTL: `${LEASE_MS}ms`, HERMOD_PARTITIONS: String(PARTITIONS) };
  cluster = await Cluster.start({ postgres: "shared", env });
  [, first, second] = await Promise.all([
    cluster.launch("api", "api"),
    cluster.launch("first", "dispatcher"),
    cluster.launch("second", "dispatcher"),
  ]);
  const endpoints = await cluster.newEndpoints(80, slow(ATTEMPT_MS));
  const apis = [cluster.client.baseUrl];
  load = new Load({ apis, key: KEY, endpoints, random: new Random(9), workers: 16, perSecond: 100 });
  load.start();
});

afterAll(() => cluster[Symbol.asyncDispose]());

async function shared(wanted: readonly number[], withinMs: number): Promise<void> {
  const [text, got] = [wanted.join(), async () => (await sharesOf(cluster)).join()];
  await until(async () => (await got()) === text, { withinMs, what: `shares of ${text}` });
}

/** Waits until every delivery sent since `since` has come, and returns the longest lag. */
async function longestLag(since: number): Promise<number> {
  const till = Date.now();
  const sent = load.sends.filter((send) => send.startedAt >= since && send.startedAt < till);
  const ids = new Set(sent.flatMap(({ outcome }) => (outcome.kind === "accepted" ? [outcome.id] : [])));
  const missing = () => {
    for (const { webhookId } of cluster.book.receipts) ids.delete(webhookId);
    return ids.size;
  };
  await until(() => missing() === 0, { what: "every delivery sent so far" });
  return Math.max(...lagsOf(sent, cluster.book, since));
}

test("two dispatchers own half of the partitions each", () => shared([16, 16], 3 * LEASE_MS));

test("a third dispatcher takes its share and gives it back, and no endpoint pauses for long", async () => {
  await until(() => load.accepted > 200, { what: "a load" });
  const usual = await longestLag(0);
  const since = Date.now();
  const third = await cluster.launch("third", "dispatcher");
  await shared([11, 11, 10], 3 * LEASE_MS);
  expect(await longestLag(since)).toBeLessThan(usual + STANDSTILL_MS);

  const stoppingSince = Date.now();
  expect(await third.terminate()).toBe(0);
  await shared([16, 16], LEASE_MS);
  expect(await longestLag(stoppingSince)).toBeLessThan(usual + STANDSTILL_MS);
});

test("a dispatcher that stops keeps only the partitions of receivers that still hang", async () => {
  const answer = Promise.withResolvers<void>();
  const waits = () => answer.promise.then(() => new Response("at last"));
  const sql = await cluster.sql();
  const hanging = new Map<number, string>();
  // Until both have an attempt under way, since either owns the partition of a new endpoint.
  while (new Set(hanging.values()).size < 2) {
    const [endpoint = ""] = await cluster.newEndpoints(1, waits, { timeout_ms: 30_000 });
    const one = new Load({
      apis: [cluster.client.baseUrl],
      key: KEY,
      endpoints: [endpoint],
      random: new Random(1),
      workers: 1,
    });
    hung.push(one);
    await one.sendAll(1);
    await until(() => cluster.book.of(endpoint).length > 0, { what: "an attempt" });
    const [lease] = await sql<{ partition: number; owner: string }[]>`
      select partition, owner from partition_leases join mailboxes using (partition)
      where endpoint_id = ${fromText("ep", endpoint)}`;
    if (lease) hanging.set(lease.partition, lease.owner);
  }
  const stopped = first.terminate();
  const left = await until(
    async () => {
      const rows = await sql<{ partition: number; owner: string; isLeaving: boolean }[]>`
        select partition, owner, owner not in (select id from dispatchers) as "isLeaving" from partition_leases
        where owner is not null and expires_at > now()`;
      const kept = rows.filter(({ isLeaving }) => isLeaving);
      const isHandedOver =
        rows.length === PARTITIONS && kept.every(({ partition }) => hanging.has(partition));
      return isHandedOver && kept.length > 0 ? kept : null;
    },
    { what: "the others to be taken over" },
  );
  expect(first.isRunning).toBe(true);
  const [leaving] = left.map(({ owner }) => owner);
  const own = [...hanging].flatMap(([partition, owner]) => (owner === leaving ? [partition] : []));
  expect(left.map(({ partition }) => partition).sort()).toEqual(own.sort());
  answer.resolve();
  expect(await stopped).toBe(0);
  await first.start();
  await shared([16, 16], 3 * LEASE_MS);
});

test("a killed dispatcher's partitions are taken over once its leases have expired", async () => {
  await second.kill();
  await shared([PARTITIONS], 2 * LEASE_MS);
  await second.start();
  await shared([16, 16], 3 * LEASE_MS);
});

for (const leases of [0.5, 1, 3]) {
  test(`a dispatcher suspended for ${leases} leases gets its share back when it goes on`, async () => {
    first.stall();
    await Bun.sleep(leases * LEASE_MS);
    first.proceed();
    await shared([16, 16], 4 * LEASE_MS);
  });
}

test("no test above broke a promise", async () => {
  await load.stop();
  await cluster.settled();
  expect(load.misfits).toEqual([]);
  expect(check(await cluster.evidence([load, ...hung]))).toEqual([]);
});
