import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import { lagsOf, quantile, speedReturns } from "../support/faults/lag";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";

setDefaultTimeout(60_000);

/** A lag that only messages bring about: the sweep alone takes longer. */
const FAST_MS = 50;
/** A stream that is gone is missed by its keeper after 5 s, by a consumer at its second missing heartbeat. */
const RECOVERY_MS = 15_000;

let cluster: Cluster;
const loads: Load[] = [];

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "shared" });
  await Promise.all([cluster.launch("api", "api"), cluster.launch("dispatcher", "dispatcher")]);
});

afterAll(() => cluster[Symbol.asyncDispose]());

/** Runs a load, does `harm` in the middle of it, and holds what came of it against the promises. */
async function underLoad(harm: () => Promise<unknown>): Promise<void> {
  const load = await newLoad();
  loads.push(load.start());
  await until(() => load.accepted > 150, { what: "a load" });
  const mostMs = Math.max(FAST_MS, 3 * quantile(lagsOf(load.sends, cluster.book, 0), 0.5));
  await harm();
  await speedReturns(load.sends, cluster.book, mostMs, RECOVERY_MS);
  await load.stop();
  await cluster.settled();
  expect(check(await cluster.evidence(loads))).toEqual([]);
  expect(load.misfits).toEqual([]);
  expect(load.accepted).toBe(load.sends.length);
}

async function newLoad(): Promise<Load> {
  const endpoints = await cluster.newEndpoints(40);
  const apis = [cluster.client.baseUrl];
  return new Load({ apis, key: KEY, endpoints, random: new Random(3), workers: 16, perSecond: 400 });
}

/** Resolves when so many requests have come to receivers from now on. */
async function received(count: number): Promise<void> {
  const before = cluster.book.receipts.length;
  await until(() => cluster.book.receipts.length > before + count, { what: `${count} deliveries` });
}

test("deliveries go on while NATS is away, and are fast again when it is back", () =>
  underLoad(async () => {
    const restart = await cluster.nats.stop();
    await received(300);
    await restart();
  }));

test("deliveries go on when NATS comes back with an empty store", () =>
  underLoad(async () => {
    const restart = await cluster.nats.empty();
    await received(200);
    await restart();
  }));

test("deliveries go on when the stream is deleted", () => underLoad(() => cluster.nats.deleteStream()));

test("deliveries go on when consumers are deleted", () => underLoad(() => cluster.nats.deleteConsumers(32)));
