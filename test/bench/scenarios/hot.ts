import { cpuPerItem } from "../cell";
import { closedLoop } from "../load/closed-loop";
import type { Scenario } from "../scenario";

const CONNECTIONS = 64;
const DELIVERIES_PER_SECOND = 500;

/** One endpoint alone: its deliveries go one after the other, each after the record of the one before. */
export const hot: Scenario = {
  name: "hot",
  about: "one endpoint: how fast deliveries follow each other that must not overtake",
  isForBare: true,
  run: async (cell) => {
    const service = await cell.system.start("all");
    const requests = await cell.prepare(service.port, 1);
    const used = await cell.countCpu(service);
    const load = await closedLoop({
      port: service.port,
      connections: CONNECTIONS,
      requests,
      warmUpMs: 0,
      durationMs: 60_000,
      maxRequests: cell.seconds * DELIVERIES_PER_SECOND,
    });
    const { firstAt, lastAt } = await cell.untilAll(service, load);
    const cpu = cpuPerItem(await used(), load.accepted);
    await service.stop();
    return { "deliver /s": (load.accepted * 1_000) / ((lastAt ?? 0) - (firstAt ?? 0)), ...cpu };
  },
};
