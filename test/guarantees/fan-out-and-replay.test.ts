import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { failsAtRandom, slow } from "../support/faults/behaviour";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import { EventLoad } from "../support/faults/event-load";
import { fieldOf, textIn } from "../support/faults/hermod-client";
import type { HermodProcess } from "../support/faults/hermod-process";
import type { DeliveryRow } from "../support/faults/ledger";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const ENDPOINTS = 6;
/** Endpoints that are unordered. */
const WIDE_ENDPOINTS = 2;

let cluster: Cluster;
let endpoints: string[];
let processes: HermodProcess[];
const loads: (Load | EventLoad)[] = [];

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "shared" });
  processes = await Promise.all(["one", "two"].map((name) => cluster.launch(name, "all")));
  const behaviour = slow(1, failsAtRandom(7, 0.02));
  const unordered = { ordering: "unordered", max_in_flight: 4 };
  endpoints = await cluster.newEndpoints(ENDPOINTS, behaviour);
  endpoints.push(...(await cluster.newEndpoints(WIDE_ENDPOINTS, behaviour, unordered)));
});

afterAll(() => cluster[Symbol.asyncDispose]());

function options(perSecond: number) {
  return { apis: processes.map(({ url }) => url), key: KEY, endpoints, workers: 8, perSecond };
}

/** Kills a process under load and starts it again. */
async function crash(process: HermodProcess | undefined): Promise<void> {
  await process?.kill();
  await process?.start();
}

test("an event reaches all endpoints or none, in order, while a process is killed", async () => {
  const events = new EventLoad(options(120)).start();
  const sends = new Load({ ...options(300), random: new Random(3) }).start();
  loads.push(events, sends);
  await until(() => events.accepted > 40, { what: "events" });
  await crash(processes[0]);
  await until(() => events.accepted > 60, { what: "events after the crash" });
  await Promise.all([events.stop(), sends.stop()]);
  await cluster.settled();
  expect(check(await cluster.evidence(loads))).toEqual([]);
  expect([...events.misfits, ...sends.misfits]).toEqual([]);
  expect(events.accepted).toBeGreaterThan(50);
});

test("a replay sends every delivery again once, in order, while a process is killed and live sends go on", async () => {
  const { deliveries } = (await cluster.evidence(loads)).ledger;
  const jobs = await Promise.all(endpoints.map(replay));
  const sends = new Load({ ...options(100), random: new Random(4) }).start();
  loads.push(sends);
  await until(hasReplays, { what: "replays" });
  await crash(processes[1]);
  await Promise.all(jobs.map(completed));
  await sends.stop();
  await cluster.settled();
  const evidence = await cluster.evidence(loads);
  expect(check(evidence)).toEqual([]);
  for (const endpoint of endpoints) {
    expect(replaysOf(evidence.ledger.deliveries, endpoint)).toEqual(firstsOf(deliveries, endpoint));
  }
});

async function replay(endpoint: string): Promise<string> {
  const { body } = await cluster.client.ask("POST", `/endpoints/${endpoint}/replay`, {});
  return textIn(body, "id");
}

async function completed(job: string): Promise<void> {
  const ask = async () =>
    fieldOf((await cluster.client.ask("GET", `/jobs/${job}`)).body, "status") === "completed";
  await until(ask, { pollMs: 50, what: "a replay" });
}

async function hasReplays(): Promise<boolean> {
  const sql = await cluster.sql();
  return (await sql`select from deliveries where replay_of is not null limit 1`).length > 0;
}

const inOrder = (rows: readonly DeliveryRow[], endpoint: string) =>
  rows.filter((row) => row.endpoint === endpoint).toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));

/** Returns the deliveries that a replay is to send again, in the order of their ids. */
function firstsOf(rows: readonly DeliveryRow[], endpoint: string): string[] {
  return inOrder(rows, endpoint)
    .map((row) => row.id)
    .toSorted();
}

function replaysOf(rows: readonly DeliveryRow[], endpoint: string): (string | null)[] {
  return inOrder(rows, endpoint)
    .filter((row) => row.replayOf !== null)
    .map((row) => row.replayOf);
}
