import type { Cell } from "../cell";
import { residentMiB } from "../memory";
import type { Figures, Scenario } from "../scenario";
import type { RunningRole } from "../system/system";
import { measureLatency } from "./latency";
import { ENDPOINTS } from "./load";
import { queueUp } from "./waiting-rows";

/** Nobody listens here. */
const DEAD_URL = "http://127.0.0.1:9/";

/** Measures what a dead receiver with a long queue costs the others and the process. */
export const dead: Scenario = {
  name: "dead",
  about:
    "1,000,000 deliveries waiting for one dead endpoint: what the others and the memory notice (one round)",
  isForBare: false,
  maxRounds: 1,
  run: (cell) => measureBeside(cell, 1, 1_000_000),
};

/** Measures the same with very many dead receivers at once, each with its retries. */
export const outage: Scenario = {
  name: "outage",
  about:
    "3,000 dead endpoints, 100 deliveries waiting for each: what the others and the memory notice (one round)",
  isForBare: false,
  maxRounds: 1,
  run: (cell) => measureBeside(cell, 3_000, 100),
};

/** Measures healthy endpoints alone, then beside this many dead ones. */
async function measureBeside(cell: Cell, endpoints: number, deliveries: number): Promise<Figures> {
  const service = await cell.system.start("all");
  const before = await measure(cell, service);
  // Uses an address of their own, so that no other run's endpoints are taken for them.
  const url = `${DEAD_URL}${cell.run}`;
  await cell.system.client(service.port).register(Array.from({ length: endpoints }, () => ({ url })));
  await queueUp({ databaseUrl: cell.system.servers.databaseUrl, url, endpoints, deliveries });
  const after = await measure(cell, service);
  await service.stop();
  return {
    ...before,
    ...Object.fromEntries(Object.entries(after).map(([name, value]) => [`${name}, dead`, value])),
  };
}

async function measure(cell: Cell, service: RunningRole): Promise<Figures> {
  const figures = await measureLatency(cell, service, ENDPOINTS);
  const shown = Object.entries(figures).filter(([name]) => name.endsWith(" ms"));
  return { ...Object.fromEntries(shown), "memory MiB": await residentMiB(service.pid) };
}
