import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DistantLink } from "../../client/distant-link";
import { newReceiver, ReceiverProcess } from "../../client/inbox-receiver";
import { Random } from "../../support/faults/random";
import { BrokenPromise, type Cell } from "../cell";
import { closedLoop } from "../load/closed-loop";
import { Requests } from "../load/requests";
import type { Figures, Scenario } from "../scenario";
import type { Client } from "../system/client";
import type { RunningRole } from "../system/system";

const CONNECTIONS = 64;
/** Round trips to the receiver, in milliseconds. */
const DISTANCES_MS = [0, 50, 100, 200];
const PAGE = 500;
const KEYS = 100;
const IN_FLIGHT = 100;

/** One way of an endpoint to its receiver. Resolves with the deliveries a second. */
type Way = (trial: Trial) => Promise<number>;
type Trial = Readonly<{ cell: Cell; service: RunningRole; client: Client; distanceMs: number; name: string }>;

const WAYS: Readonly<Record<string, Way>> = {
  ordered: (trial) => push(trial, { ordering: "ordered" }, 1_000),
  "by key": (trial) => push(trial, { ordering: "by_key", max_in_flight: IN_FLIGHT }, 3_000),
  unordered: (trial) => push(trial, { ordering: "unordered", max_in_flight: IN_FLIGHT }, 3_000),
  inbox,
  pull,
};

/** Measures how fast a backlog of one endpoint reaches a receiver, for each way and distance. */
export const distance: Scenario = {
  name: "distance",
  about: `one endpoint's backlog, pushed, pulled in pages of ${PAGE} and through an inbox, to ${DISTANCES_MS.join(", ")} ms`,
  isForBare: false,
  run: async (cell) => {
    const service = await cell.system.start("all");
    const client = cell.system.client(service.port);
    const figures: Figures = {};
    for (const [way, measure] of Object.entries(WAYS))
      for (const distanceMs of DISTANCES_MS) {
        const name = `${way}, ${distanceMs} ms`;
        figures[`${name} /s`] = await measure({ cell, service, client, distanceMs, name });
      }
    await service.stop();
    return figures;
  },
};

/** `perSecond`: more than it delivers, so that a backlog is left. */
async function push(trial: Trial, settings: object, perSecond: number): Promise<number> {
  const { cell, distanceMs, client } = trial;
  const run = `${cell.run} ${trial.name}`.replaceAll(/\W+/g, "-");
  await cell.receiver.begin(run, { delayMs: distanceMs, failingEvery: null });
  const made = { url: cell.receiver.urlOf(run, 0), is_active: false, ...settings };
  const [id = ""] = await client.register([made]);
  const accepted = await fill(trial, id, perSecond);
  await client.change(id, { is_active: true });
  const startedAt = performance.now();
  const secondsNow = () => (performance.now() - startedAt) / 1_000;
  let delivered = 0;
  while (delivered < accepted && secondsNow() < cell.seconds) {
    await Bun.sleep(10);
    ({ delivered } = await cell.receiver.report(run));
  }
  const seconds = secondsNow();
  await client.remove(id);
  return delivered / seconds;
}

/** An unordered endpoint whose receiver has an inbox in SQLite: the rate of effects, in the order of the numbers. */
async function inbox(trial: Trial): Promise<number> {
  const { cell, client, distanceMs } = trial;
  using link = new DistantLink({ random: new Random(1), roundTripMs: distanceMs, lost: 0 });
  const settings = { url: link.url, is_active: false, ordering: "unordered", max_in_flight: IN_FLIGHT };
  const { id, secret } = await client.registerSigned(settings);
  const folder = await mkdtemp(join(tmpdir(), "hermod-bench-"));
  const options = { endpoint: id, secrets: secret, ordered: true };
  const address = join(folder, "receiver.sqlite");
  const process = await ReceiverProcess.start({ driver: "bun:sqlite", address, options });
  link.receiver = process.port;
  await fill(trial, id, 3_000);
  await client.change(id, { is_active: true });
  await Bun.sleep(cell.seconds * 1_000);
  await process.kill();
  await client.remove(id);
  const reader = await newReceiver("bun:sqlite", address, options);
  const effects = await reader.effects();
  await reader.close();
  await rm(folder, { recursive: true });
  const wrong = effects.find(({ sequence }, i) => sequence !== i + 1);
  if (wrong) throw new BrokenPromise(`the effect of ${wrong.sequence} is not in its order`);
  return effects.length / cell.seconds;
}

/** Reads page by page, a round trip each, and checks that no number is missing or comes twice. */
async function pull(trial: Trial): Promise<number> {
  const { cell, client, distanceMs } = trial;
  const [id = ""] = await client.register([{ delivery: "pull" }]);
  const accepted = await fill(trial, id, 8_000);
  const startedAt = performance.now();
  const secondsNow = () => (performance.now() - startedAt) / 1_000;
  let read = 0;
  for (let receipt: string | null = null; read < accepted && secondsNow() < cell.seconds; ) {
    await Bun.sleep(distanceMs);
    const settles = receipt === null ? {} : { receipt, ack_through: read };
    const body = JSON.stringify({ limit: PAGE, wait: 1, ...settles });
    const answer = await client.post(`/endpoints/${id}/receive`, body);
    const page = (await answer.json()) as { data: { sequence: number }[]; receipt: string | null };
    for (const { sequence } of page.data)
      if (sequence !== ++read) throw new BrokenPromise(`${sequence} was read in place of ${read}`);
    receipt = page.receipt;
  }
  const seconds = secondsNow();
  await client.remove(id);
  return read / seconds;
}

/** Sends the backlog: what the way may deliver in the measured time. */
async function fill({ cell, service, client, distanceMs }: Trial, id: string, perSecond: number) {
  const perRoundTrip = distanceMs === 0 ? perSecond : Math.max(IN_FLIGHT, PAGE) * (1_000 / distanceMs);
  const maxRequests = Math.ceil(cell.seconds * Math.min(perSecond, perRoundTrip));
  const keys = Array.from({ length: KEYS }, (_, i) => `key ${i}`);
  const requests = new Requests(keys.map((orderingKey) => client.requestTo(id, { orderingKey })));
  const load = { port: service.port, connections: CONNECTIONS, requests };
  const { accepted } = await closedLoop({ ...load, warmUpMs: 0, durationMs: 120_000, maxRequests });
  return accepted;
}
