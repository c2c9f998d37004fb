import { type Cell, cpuPerItem } from "../cell";
import { machineNow } from "../clock";
import { closedLoop } from "../load/closed-loop";
import type { Figures } from "../scenario";
import type { RunningRole } from "../system/system";
import { WARM_UP_MS } from "./load";

const CONNECTIONS = 64;

/** Measures rates, times and the rest at the end, on endpoints created for it. */
export async function measureBoth(cell: Cell, service: RunningRole, endpoints: number): Promise<Figures> {
  const requests = await cell.prepare(service.port, endpoints);
  let warm = stateOf(cell, service);
  const load = await closedLoop({
    port: service.port,
    connections: CONNECTIONS,
    requests,
    warmUpMs: WARM_UP_MS,
    durationMs: cell.seconds * 1_000,
    onWarm: () => {
      warm = stateOf(cell, service);
    },
  });
  const before = await warm;
  const after = await stateOf(cell, service);
  const cpu = await before.used();
  const endedAt = machineNow();
  const { lastAt } = await cell.untilAll(service, load);
  return {
    "accept /s": load.acceptedPerSecond,
    "deliver /s": (after.delivered - before.delivered) / cell.seconds,
    "backlog at the end": load.accepted - after.delivered,
    "backlog drained s": Math.max(0, (lastAt ?? endedAt) - endedAt) / 1_000,
    "accept p50 ms": load.latency?.p50 ?? Number.NaN,
    "accept p99 ms": load.latency?.p99 ?? Number.NaN,
    ...cpuPerItem(cpu, load.measured),
  };
}

async function stateOf(cell: Cell, service: RunningRole) {
  const [{ delivered }, used] = await Promise.all([cell.receiver.report(cell.run), cell.countCpu(service)]);
  return { delivered, used };
}
