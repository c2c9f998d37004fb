import { type Cell, cpuPerItem } from "../cell";
import { machineNow } from "../clock";
import { closedLoop } from "../load/closed-loop";
import { Requests } from "../load/requests";
import type { Figures, Scenario, Stage } from "../scenario";
import type { RunningRole } from "../system/system";
import { ENDPOINTS, WARM_UP_MS } from "./load";
import { mixedTraffic } from "./traffic";

const CONNECTIONS = 64;
/** Endpoints that get each event. */
export const RECIPIENTS = 20;
export const MANY_RECIPIENTS = 1_000;
/** How long a receiver far away takes to answer. */
const FAR_MS = 50;
/** Endpoints that are too few to keep every stage busy at once. */
export const FEW = 50;
/** Milliseconds of a turn: the measurement, and the warm-up before it. */
const MEASURE_MS = 1_500;
const BEGIN_MS = 500;

/** Measures accepting and delivering at the same time in one process. */
export const both: Scenario = {
  name: "both",
  about: "64 connections, 200 endpoints, 500 bytes: accepting and delivering in one process, in turns",
  isForBare: true,
  stages: (cell) => [saturated(cell, "", (port) => cell.prepare(port, ENDPOINTS))],
};

/** Few ordered endpoints. */
export const few: Scenario = {
  name: "few",
  about: "both with 50 endpoints, too few to keep every stage busy",
  isForBare: true,
  stages: (cell) => [saturated(cell, "", (port) => cell.prepare(port, FEW))],
};

/** Receivers at the other end of a continent: what an ordered endpoint gets depends on the round trip. */
export const far: Scenario = {
  name: "far",
  about: "both with receivers that answer after 50 ms",
  isForBare: true,
  stages: (cell) => [saturated(cell, "", (port) => cell.prepare(port, ENDPOINTS, { delayMs: FAR_MS }))],
};

/** Events, each of which goes to all endpoints of its account. */
export const fanOut: Scenario = {
  name: "fan-out",
  about: "few with events, each to 20 and to 1,000 ordered endpoints; counts deliveries",
  isForBare: false,
  stages: (cell) =>
    [RECIPIENTS, MANY_RECIPIENTS].map((recipients) =>
      saturated(cell, `${recipients}: `, (port) => prepareEvents(cell, port, recipients), {
        deliveriesEach: recipients,
      }),
    ),
};

/** Ordinary traffic, in which a fast path for the bench's own requests shows no gain. */
export const mixed: Scenario = {
  name: "mixed",
  about:
    "few with ordinary traffic, 50 and 200 endpoints: keys, monthly limits, failing receivers, HTTPS; see docs/performance.md",
  isForBare: false,
  stages: (cell) =>
    [50, 200].map((endpoints) =>
      saturated(cell, `${endpoints}: `, (port) => mixedTraffic(cell, port, endpoints)),
    ),
};

/** Creates an account with endpoints that want all events, and a request that sends it an event. */
export async function prepareEvents(
  { receiver, run, system }: Cell,
  port: number,
  endpoints: number,
): Promise<Requests> {
  await receiver.begin(run, { delayMs: 0, failingEvery: null });
  const client = await system.client(port).account(false);
  await client.register(Array.from({ length: endpoints }, (_, i) => ({ url: receiver.urlOf(run, i) })));
  return new Requests([client.eventRequest()]);
}

/**
 * Accepts as much as possible while delivering. `deliveriesEach`: the number that a request makes. `env`: further variables of
 * the service.
 */
export function saturated(
  cell: Cell,
  prefix: string,
  prepare: (port: number) => Promise<Requests>,
  { deliveriesEach = 1, env = {} }: { deliveriesEach?: number; env?: Record<string, string> } = {},
): Stage {
  let parts: { service: RunningRole; requests: Requests } | null = null;
  const sent = { accepted: 0, refused: 0 };
  const load = async (warmUpMs: number, durationMs: number) => {
    if (!parts) throw new Error("there is no service");
    const { service, requests } = parts;
    let warm = stateOf(cell, service);
    const report = await closedLoop({
      port: service.port,
      connections: CONNECTIONS,
      requests,
      warmUpMs,
      durationMs,
      onWarm: () => {
        cell.receiver.instruct(cell.run, "timed");
        warm = stateOf(cell, service);
      },
    });
    const before = await warm;
    const after = await stateOf(cell, service);
    const cpu = await before.used();
    sent.accepted += report.accepted * deliveriesEach;
    sent.refused += report.refused;
    await cell.receiver.instruct(cell.run, "untimed");
    await cell.untilDelivered(service, sent.accepted);
    return { report, before, after, cpu };
  };
  return {
    begin: async () => {
      const service = await cell.system.start("all", env);
      parts = { service, requests: await prepare(service.port) };
      Object.assign(sent, { accepted: 0, refused: 0 });
      await load(WARM_UP_MS, 0);
    },
    turn: async () => {
      const { report, before, after, cpu } = await load(BEGIN_MS, MEASURE_MS);
      const delivered = ((after.delivered - before.delivered) * 1_000) / (after.at - before.at);
      const accepted = report.acceptedPerSecond * deliveriesEach;
      const figures: Figures = {
        "accept /s": accepted,
        "deliver /s": delivered,
        "deliver to accept": delivered / accepted,
        "accept p99 ms": report.latency?.p99 ?? Number.NaN,
        "arrival p50 ms": after.latency?.p50 ?? Number.NaN,
        "arrival p99 ms": after.latency?.p99 ?? Number.NaN,
        ...cpuPerItem(cpu, report.measured * deliveriesEach),
      };
      return Object.fromEntries(Object.entries(figures).map(([name, value]) => [prefix + name, value]));
    },
    end: async () => {
      if (parts) await cell.untilAll(parts.service, sent);
      await parts?.service.stop();
    },
  };
}

async function stateOf(cell: Cell, service: RunningRole) {
  const [{ delivered, latency }, used] = await Promise.all([
    cell.receiver.report(cell.run),
    cell.countCpu(service),
  ]);
  return { delivered, latency, used, at: machineNow() };
}
