import postgres from "postgres";
import type { Cell } from "../cell";
import { closedLoop } from "../load/closed-loop";
import type { Requests } from "../load/requests";
import type { Figures, Scenario } from "../scenario";
import type { RunningRole } from "../system/system";
import { ENDPOINTS, WARM_UP_MS } from "./load";
import { stored } from "./stored";

const CONNECTIONS = 64;
/** Parts of the time, each measured by itself: what grows from one to the next grows without end. */
const PARTS = 12;

/** Sends at the highest rate for long, and shows whether anything gets worse with time. */
export const soak: Scenario = {
  name: "soak",
  about:
    "both for long, --seconds 3600: rate, p99, WAL and the queue's dead rows in each twelfth of the time",
  isForBare: false,
  maxRounds: 1,
  run: async (cell) => {
    const service = await cell.system.start("all");
    const requests = await cell.prepare(service.port, ENDPOINTS);
    const sql = postgres(cell.system.servers.databaseUrl, { max: 1, onnotice: () => {} });
    const sent = { accepted: 0, refused: 0 };
    const figures: Figures = {};
    for (let part = 1; part <= PARTS; part++) {
      const measured = await measurePart(cell, service, requests, sql, sent);
      for (const [name, value] of Object.entries(measured)) figures[`${part}: ${name}`] = value;
    }
    await cell.untilAll(service, sent);
    await sql.end({ timeout: 5 });
    await service.stop();
    return figures;
  },
};

async function measurePart(
  cell: Cell,
  service: RunningRole,
  requests: Requests,
  sql: postgres.Sql,
  sent: { accepted: number; refused: number },
): Promise<Figures> {
  await cell.receiver.instruct(cell.run, "timed");
  const before = await stored(sql);
  const load = await closedLoop({
    port: service.port,
    connections: CONNECTIONS,
    requests,
    warmUpMs: sent.accepted === 0 ? WARM_UP_MS : 0,
    durationMs: (cell.seconds * 1_000) / PARTS,
  });
  sent.accepted += load.accepted;
  sent.refused += load.refused;
  const { delivered, latency } = await cell.receiver.report(cell.run);
  await cell.receiver.instruct(cell.run, "untimed");
  const after = await stored(sql);
  return {
    "accept /s": load.acceptedPerSecond,
    "accept p99 ms": load.latency?.p99 ?? Number.NaN,
    "arrival p99 ms": latency?.p99 ?? Number.NaN,
    waiting: sent.accepted - delivered,
    "wal bytes": (after.wal - before.wal) / load.accepted,
    ...(await queueOf(sql)),
  };
}

/** The rows of the queue that vacuum has not removed, and its size with indexes. */
async function queueOf(sql: postgres.Sql): Promise<Figures> {
  const [row] = await sql<{ dead: number; bytes: number }[]>`
    select n_dead_tup::float8 as dead, pg_total_relation_size(relid)::float8 as bytes
    from pg_stat_user_tables where relname = 'queue'`;
  return { "dead rows": row?.dead ?? Number.NaN, "queue MB": (row?.bytes ?? Number.NaN) / 1e6 };
}
