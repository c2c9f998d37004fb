import { type Cell, cpuPerItem } from "../cell";
import { DiskProbe } from "../disk-probe";
import { openLoop } from "../load/open-loop";
import type { Figures, Scenario } from "../scenario";
import type { RunningRole } from "../system/system";
import { ENDPOINTS, WARM_UP_MS } from "./load";

const CONNECTIONS = 64;
const RATE_PER_SECOND = 500;

/** Measures from when a webhook was due to be sent to its arrival, far below the maximum load. */
export const latency: Scenario = {
  name: "latency",
  about: "500 a second, whatever the answers: from the send to the arrival at the receiver",
  isForBare: true,
  run: async (cell) => {
    const service = await cell.system.start("all");
    const figures = await measureLatency(cell, service, ENDPOINTS);
    await service.stop();
    return figures;
  },
};

/** Measures times at a steady load on endpoints created for it. */
export async function measureLatency(cell: Cell, service: RunningRole, endpoints: number): Promise<Figures> {
  const requests = await cell.prepare(service.port, endpoints);
  let used = cell.countCpu(service);
  const disk = await DiskProbe.start(cell.system.dir);
  const load = await openLoop({
    port: service.port,
    connections: CONNECTIONS,
    requests,
    ratePerSecond: RATE_PER_SECOND,
    warmUpMs: WARM_UP_MS,
    durationMs: cell.seconds * 1_000,
    onWarm: () => {
      used = cell.countCpu(service);
      cell.receiver.instruct(cell.run, "timed");
    },
  });
  const cpu = await (await used)();
  const sync = await disk.stop();
  const { latency } = await cell.untilAll(service, load);
  return {
    "arrival p50 ms": latency?.p50 ?? Number.NaN,
    "arrival p99 ms": latency?.p99 ?? Number.NaN,
    "accept p50 ms": load.latency?.p50 ?? Number.NaN,
    "accept p99 ms": load.latency?.p99 ?? Number.NaN,
    "disk sync p99 ms": sync.p99,
    "disk sync longest ms": sync.longest,
    ...cpuPerItem(cpu, load.measured),
  };
}
