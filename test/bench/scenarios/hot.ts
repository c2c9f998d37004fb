import { cpuPerItem } from "../cell";
import { machineNow } from "../clock";
import type { LoadReport } from "../load/answers";
import { closedLoop } from "../load/closed-loop";
import type { Requests } from "../load/requests";
import type { Scenario } from "../scenario";
import type { RunningRole } from "../system/system";

const CONNECTIONS = 64;
const DELIVERIES_PER_SECOND = 500;
/** About as long as the warm-up of the other scenarios. */
const WARM_UP_SENDS = 25_000;

/** Measures one endpoint alone, whose deliveries each wait for the record of the one before. */
export const hot: Scenario = {
  name: "hot",
  about: "one endpoint: how fast deliveries follow each other that must not overtake",
  isForBare: true,
  run: async (cell) => {
    const service = await cell.system.start("all");
    const requests = await cell.prepare(service.port, 1);
    const warm = await send(service, requests, WARM_UP_SENDS);
    await cell.untilAll(service, warm);
    const used = await cell.countCpu(service);
    const startAt = machineNow();
    const { accepted, refused } = await send(service, requests, cell.seconds * DELIVERIES_PER_SECOND);
    const all = { accepted: warm.accepted + accepted, refused };
    const { lastAt } = await cell.untilAll(service, all);
    const cpu = cpuPerItem(await used(), accepted);
    await service.stop();
    return { "deliver /s": (accepted * 1_000) / ((lastAt ?? 0) - startAt), ...cpu };
  },
};

function send({ port }: RunningRole, requests: Requests, count: number): Promise<LoadReport> {
  const load = { port, connections: CONNECTIONS, requests };
  return closedLoop({ ...load, warmUpMs: 0, durationMs: 120_000, maxRequests: count });
}
