import { type Cell, cpuPerItem } from "../cell";
import type { LoadReport } from "../load/answers";
import { closedLoop } from "../load/closed-loop";
import type { Figures, Scenario } from "../scenario";
import { absentDispatcher } from "./absent-dispatcher";
import { ENDPOINTS, WARM_UP_MS } from "./load";

const CONNECTIONS = 64;

/** What the API accepts while nothing is delivered, and then how fast the dispatcher delivers all of that. */
export const acceptDrain: Scenario = {
  name: "accept-drain",
  about:
    "64 connections, 200 endpoints, 500 bytes: the API alone, then the dispatcher alone on what is waiting",
  systems: ["hermod", "bare"],
  run: async (cell) => {
    const accepted = await accept(cell);
    const drained = await drain(cell, accepted.load);
    return { ...prefixed("accept", accepted.figures), ...prefixed("drain", drained) };
  },
};

async function accept(cell: Cell): Promise<{ load: LoadReport; figures: Figures }> {
  const api = await cell.system.start("api");
  const leave = await absentDispatcher(cell.system.servers.databaseUrl);
  const requests = await cell.prepare(api.port, ENDPOINTS);
  let used = cell.countCpu(api);
  const load = await closedLoop({
    port: api.port,
    connections: CONNECTIONS,
    requests,
    warmUpMs: WARM_UP_MS,
    durationMs: cell.seconds * 1_000,
    onWarm: () => {
      used = cell.countCpu(api);
    },
  });
  const cpu = await (await used)();
  await api.stop();
  await leave();
  const { acceptedPerSecond, latency, measured } = load;
  const times = { "p50 ms": latency?.p50 ?? Number.NaN, "p99 ms": latency?.p99 ?? Number.NaN };
  return { load, figures: { "/s": acceptedPerSecond, ...times, ...cpuPerItem(cpu, measured) } };
}

async function drain(cell: Cell, load: LoadReport): Promise<Figures> {
  const dispatcher = await cell.system.start("dispatcher");
  await cell.untilFirst(dispatcher);
  const used = await cell.countCpu(dispatcher);
  const { firstAt, lastAt } = await cell.untilAll(dispatcher, load);
  const cpu = await used();
  await dispatcher.stop();
  const seconds = ((lastAt ?? 0) - (firstAt ?? 0)) / 1_000;
  return { "/s": load.accepted / seconds, ...cpuPerItem(cpu, load.accepted) };
}

function prefixed(prefix: string, figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${prefix} ${name}`, value]));
}
