import postgres from "postgres";
import type { Cell } from "../cell";
import { residentMiB } from "../memory";
import type { Figures, Scenario } from "../scenario";
import type { RunningRole } from "../system/system";
import { measureLatency } from "./latency";
import { ENDPOINTS } from "./load";

const WAITING = 1_000_000;
/** Rows written by one statement. */
const PART = 20_000;
/** Nobody listens here. */
const DEAD_URL = "http://127.0.0.1:9/";

/** What a receiver that is gone, with a long queue before it, costs the others and the process. */
export const dead: Scenario = {
  name: "dead",
  about:
    "1,000,000 deliveries waiting for one dead endpoint: what the others and the memory notice (one round)",
  systems: ["hermod"],
  maxRounds: 1,
  run: async (cell) => {
    const service = await cell.system.start("all");
    const before = await measure(cell, service);
    const [endpointId = ""] = await cell.system.register(service.port, [DEAD_URL]);
    if (endpointId === "") throw new Error("the dead endpoint was not made");
    await queueUp(cell.system.servers.databaseUrl);
    const after = await measure(cell, service);
    await service.stop();
    return {
      ...before,
      ...Object.fromEntries(Object.entries(after).map(([name, value]) => [`${name}, dead`, value])),
    };
  },
};

async function measure(cell: Cell, service: RunningRole): Promise<Figures> {
  const figures = await measureLatency(cell, service, ENDPOINTS);
  const shown = Object.entries(figures).filter(([name]) => name.endsWith(" ms"));
  return { ...Object.fromEntries(shown), "memory MiB": await residentMiB(service.pid) };
}

/** Writes what the intake would have, only faster. */
async function queueUp(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, fetch_types: false, onnotice: () => {} });
  try {
    for (let first = 1; first <= WAITING; first += PART) {
      await sql.unsafe(INSERT, [DEAD_URL, first, first + PART - 1, Date.now()]);
    }
    await sql.unsafe("vacuum analyze");
    // What is measured is the waiting, not the disk that still writes all of it down.
    await sql.unsafe("checkpoint");
  } finally {
    await sql.end({ timeout: 5 });
  }
}

const INSERT = `
  with target as (
    select e.id, e.account_id, m.partition
    from endpoints e join mailboxes m on m.endpoint_id = e.id
    where e.url = $1 order by e.id desc limit 1
  ),
  waiting as materialized (
    select n, t.*, (lpad(to_hex($4::bigint), 12, '0') || '7' || left(md5(n::text), 3)
      || '8' || right(md5(n::text), 15))::uuid as delivery_id
    from generate_series($2::bigint, $3::bigint) n, target t
  ),
  stored as (
    insert into deliveries (id, account_id, endpoint_id, sequence, event, data)
    select delivery_id, account_id, id, n, 'order.created', '{"order":' || n || ',"note":"' || repeat('x', 460) || '"}'
    from waiting
  ),
  numbered as (
    update mailboxes m set last_sequence = $3::bigint from target t where m.endpoint_id = t.id
  ),
  counted as (
    insert into counters as c (account_id, event, slot, accepted)
    select account_id, 'order.created', 0, count(*) from waiting group by 1
    on conflict (account_id, event, slot) do update set accepted = c.accepted + excluded.accepted
  ),
  totalled as (
    insert into totals as t (account_id, slot, accepted) select account_id, 0, count(*) from waiting group by 1
    on conflict (account_id, slot) do update set accepted = t.accepted + excluded.accepted
  )
  insert into queue (partition, endpoint_id, sequence, delivery_id, account_id)
  select partition, id, n, delivery_id, account_id from waiting
`;
