import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { failsAtRandom, slow } from "../support/faults/behaviour";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import { EventLoad } from "../support/faults/event-load";
import { fieldOf, textIn } from "../support/faults/hermod-client";
import type { HermodProcess } from "../support/faults/hermod-process";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

let cluster: Cluster;
let processes: HermodProcess[];
const loads: EventLoad[] = [];

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "shared" });
  processes = await Promise.all(["one", "two"].map((name) => cluster.launch(name, "all")));
});

afterAll(() => cluster[Symbol.asyncDispose]());

const behaviour = slow(1, failsAtRandom(5, 0.02));
const newEndpoints = (count: number, fields: object = {}) =>
  cluster.newEndpoints(count, behaviour, { event_filter: "load.event", ...fields });

function newLoad(endpoints: readonly string[], perSecond: number): EventLoad {
  const apis = processes.map(({ url }) => url);
  const load = new EventLoad({ apis, key: KEY, endpoints, workers: 8, perSecond, ownIds: true });
  loads.push(load);
  return load.start();
}

/** Kills a process under load and starts it again. */
async function crash(process: HermodProcess | undefined): Promise<void> {
  await process?.kill();
  await process?.start();
}

const ask = async (method: string, path: string, body?: unknown) =>
  (await cluster.client.ask(method, path, body)).body;

async function isCompleted(job: string): Promise<boolean> {
  const body = await ask("GET", `/jobs/${job}`);
  if (fieldOf(body, "status") === "failed") throw new Error(JSON.stringify(body));
  return fieldOf(body, "status") === "completed";
}

test("every endpoint that wants an event gets it once and in order: at once, on activation, or from a replay", async () => {
  const active = await newEndpoints(3);
  const held = await newEndpoints(2, { is_active: false });
  const skipping = await newEndpoints(2, { is_active: false, while_inactive: "skip" });
  const excluding = await newEndpoints(1, { event_filter: "other" });
  const first = newLoad([...active, ...held], 150);
  await until(() => first.accepted > 40, { what: "events" });
  await crash(processes[0]);
  const before = first.accepted;
  await until(() => first.accepted > before + 40, { what: "events after the crash" });
  await first.stop();
  const events = (await cluster.evidence(loads)).ledger.events.map(({ id }) => id);
  expect(events.length).toBeGreaterThanOrEqual(first.accepted);

  const { client } = cluster;
  for (const id of held) await client.changeEndpoint(id, { is_active: true });
  for (const id of skipping) await client.changeEndpoint(id, { is_active: true });
  for (const id of excluding) await client.changeEndpoint(id, { event_filter: "load.event" });
  const late = await newEndpoints(1);
  const brought = [...skipping, ...excluding, ...late];
  const second = newLoad([...active, ...held, ...brought], 15);
  const start = async (id: string) =>
    textIn(await ask("POST", `/endpoints/${id}/replay`, { missing: true }), "id");
  const jobs = await Promise.all(brought.map(start));
  first.brought(brought);
  const isUnderWay = async () =>
    Number(fieldOf(fieldOf(await ask("GET", `/jobs/${jobs[0]}`), "progress"), "done")) > 0;
  await until(isUnderWay, { what: "a replay" });
  await crash(processes[1]);
  for (const job of jobs) await until(() => isCompleted(job), { pollMs: 50, what: "a replay" });
  await second.stop();
  await cluster.settled();

  const evidence = await cluster.evidence(loads);
  expect(check(evidence)).toEqual([]);
  expect(loads.flatMap(({ misfits }) => misfits)).toEqual([]);
  const { deliveries } = evidence.ledger;
  const eventsAt = (endpoint: string) =>
    deliveries
      .filter((row) => row.endpoint === endpoint)
      .toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0))
      .flatMap((row) => row.event ?? []);
  for (const endpoint of brought) {
    expect(eventsAt(endpoint).filter((id) => events.includes(id))).toEqual(events);
    expect(eventsAt(endpoint)).toHaveLength(evidence.ledger.events.length);
  }
  for (const endpoint of [...active, ...held])
    expect(eventsAt(endpoint).toSorted()).toEqual(evidence.ledger.events.map(({ id }) => id));
});

test("an event with the sender's own id is stored once, however often the sender repeats it across crashes", () => {
  const own = loads
    .flatMap(({ sends }) => sends)
    .filter(({ event, eventId }) => event !== undefined && eventId !== undefined);
  const byMarker = Map.groupBy(own, ({ event }) => event);
  expect(byMarker.size).toBeGreaterThan(80);
  for (const sends of byMarker.values()) expect(new Set(sends.map(({ eventId }) => eventId)).size).toBe(1);
  const received = cluster.book.receipts.filter(({ webhookId }) => webhookId.startsWith("load "));
  expect(received.length).toBeGreaterThan(100);
  for (const { webhookId, endpoint } of received) expect(webhookId).toEndWith(`:${endpoint}`);
});
