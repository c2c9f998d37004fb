import { expect, setDefaultTimeout, test } from "bun:test";
import { Cluster, KEY } from "../support/faults/cluster";
import { EventLoad } from "../support/faults/event-load";
import { textIn } from "../support/faults/hermod-client";
import type { HermodProcess } from "../support/faults/hermod-process";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { type Seen, StreamReader } from "../support/faults/stream-reader";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const ENDPOINTS = 40;
const SENDS = 400;

function loadOf(endpoints: readonly string[], ...processes: HermodProcess[]): Load {
  const apis = processes.map(({ url }) => url);
  return new Load({ apis, key: KEY, endpoints, random: new Random(3), workers: 8 });
}

const sequencesOf = (seen: readonly Seen[], endpoint: string) =>
  seen.filter((each) => each.endpoint === endpoint).map(({ sequence }) => sequence);

/** Returns 1, 2, 3 … up to `count`. */
const numbered = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

function expectOneSubjectEach(seen: readonly Seen[]): void {
  const subjects = new Map<string, Set<string>>();
  for (const { endpoint, subject } of seen) {
    expect(subject).toMatch(/^hermod\.deliveries\.\d+$/);
    subjects.set(endpoint, (subjects.get(endpoint) ?? new Set()).add(subject));
  }
  expect([...subjects.values()].filter(({ size }) => size !== 1)).toEqual([]);
}

/** Checks that the reader saw each of these deliveries once, and nothing else. */
async function expectEachOnce(reader: StreamReader, ids: () => Promise<string[]>): Promise<void> {
  const wanted = await ids();
  await until(() => reader.seen.length >= wanted.length, { what: "every delivery" });
  expect(reader.seen.map(({ id }) => id).toSorted()).toEqual(wanted.toSorted());
}

for (const roles of [["all"], ["api", "dispatcher", "dispatcher"]] as const) {
  test(`a client of NATS sees each delivery once, and an endpoint's on one subject in order: ${roles.join(" + ")}`, async () => {
    await using cluster = await Cluster.start({ postgres: "shared" });
    const reader = await StreamReader.start(await cluster.nats.connect());
    const [first] = await Promise.all(roles.map((role, i) => cluster.launch(`${role}-${i}`, role)));
    const endpoints = await cluster.newEndpoints(ENDPOINTS);
    const load = loadOf(endpoints, ...(first ? [first] : []));
    await load.sendAll(SENDS);
    await expectEachOnce(reader, async () =>
      load.sends.flatMap(({ outcome }) => (outcome.kind === "accepted" ? [outcome.id] : [])),
    );
    expectOneSubjectEach(reader.seen);
    for (const endpoint of endpoints) {
      const sequences = sequencesOf(reader.seen, endpoint);
      expect(sequences).toEqual(numbered(sequences.length));
    }
    const dataOf = new Map(
      load.sends.map(({ outcome, data }) => [outcome.kind === "accepted" && outcome.id, data]),
    );
    for (const { id, data } of reader.seen) expect(data).toBe(dataOf.get(id) ?? "");
    await reader.close();
  });
}

test("a client of NATS sees each delivery of a send, an event or a replay once, whichever process accepts it", async () => {
  await using cluster = await Cluster.start({ postgres: "shared" });
  const reader = await StreamReader.start(await cluster.nats.connect());
  const processes = await Promise.all([cluster.launch("one", "all"), cluster.launch("two", "all")]);
  const endpoints = await cluster.newEndpoints(6);
  const sends = loadOf(endpoints, ...processes);
  const apis = processes.map(({ url }) => url);
  const events = new EventLoad({ apis, key: KEY, endpoints, workers: 4, perSecond: 100 }).start();
  await sends.sendAll(120);
  await events.stop();
  for (const endpoint of endpoints) {
    const { body } = await cluster.client.ask("POST", `/endpoints/${endpoint}/replay`, {});
    const job = textIn(body, "id");
    const status = async () => textIn((await cluster.client.ask("GET", `/jobs/${job}`)).body, "status");
    await until(async () => (await status()) === "completed", { what: "a replay" });
  }
  await cluster.settled();
  await expectEachOnce(reader, async () => {
    const { ledger } = await cluster.evidence([sends, events]);
    return ledger.deliveries.map(({ id }) => id);
  });
  expectOneSubjectEach(reader.seen);
  for (const endpoint of endpoints) {
    const sequences = sequencesOf(reader.seen, endpoint);
    expect(sequences.toSorted((a, b) => a - b)).toEqual(numbered(sequences.length));
  }
  await reader.close();
});
