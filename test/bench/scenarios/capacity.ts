import postgres from "postgres";
import { cpuPerItem } from "../cell";
import { DiskProbe } from "../disk-probe";
import { closedLoop } from "../load/closed-loop";
import type { Figures, Scenario } from "../scenario";
import { ENDPOINTS, WARM_UP_MS } from "./load";
import { type Stored, stored } from "./stored";

const CONNECTIONS = 64;

/** Measures what each delivery takes of a machine: the constants of docs/sizing.md. */
export const capacity: Scenario = {
  name: "capacity",
  about: "what a delivery takes: CPU by part, WAL, tables, indexes, commits; see docs/sizing.md",
  isForBare: true,
  maxRounds: 1,
  run: async (cell) => {
    const service = await cell.system.start("all");
    const requests = await cell.prepare(service.port, ENDPOINTS);
    const sql = postgres(cell.system.servers.databaseUrl, { max: 1, onnotice: () => {} });
    let warm = Promise.all([stored(sql), cell.countCpu(service)]);
    const disk = await DiskProbe.start(cell.system.dir);
    const load = await closedLoop({
      port: service.port,
      connections: CONNECTIONS,
      requests,
      warmUpMs: WARM_UP_MS,
      durationMs: cell.seconds * 1_000,
      onWarm: () => {
        warm = Promise.all([stored(sql), cell.countCpu(service)]);
      },
    });
    const [before, used] = await warm;
    await cell.untilAll(service, load);
    const cpu = await used();
    const after = await stored(sql);
    const sync = await disk.stop();
    await sql.end({ timeout: 5 });
    await service.stop();
    return {
      "deliver /s": load.acceptedPerSecond,
      ...cpuPerItem(cpu, load.measured),
      ...perItem(before, after, load.measured),
      "disk sync p99 ms": sync.p99,
    };
  },
};

function perItem(before: Stored, after: Stored, count: number): Figures {
  const of = (name: keyof Stored) => (after[name] - before[name]) / count;
  return {
    "wal bytes": of("wal"),
    "table bytes": of("tables"),
    "index bytes": of("indexes"),
    "commits of 1,000": 1_000 * of("commits"),
  };
}
