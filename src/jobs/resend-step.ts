import { LOCKS } from "../db/advisory-locks";
import type { Fragment, TransactionSql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import { payloadOf } from "../db/sql/event-key";
import { deliveryById } from "../db/sql/planner";
import { type AccountId, type DeliveryId, type EndpointId, hopsOf } from "../domain/ids";
import type { Replays } from "../intake/replays/replays";
import type { JobProgress, Resend, RunningJob } from "./job";
import { choose, MAX_PENDING, OVER_LIMIT, SCAN } from "./replay-step";

/** Most endpoints that a step sends to. It locks each against other replays. */
const ENDPOINTS_A_STEP = 100;

type ResendItem = { id: DeliveryId; endpointId: EndpointId | null };

/**
 * Resends the next of the chosen deliveries, in their order. Skips the deliveries of endpoints without capacity, so that a dead
 * receiver holds back its own deliveries only.
 */
export async function resendStep(
  sql: TransactionSql,
  job: RunningJob<Resend>,
  replays: Replays,
): Promise<JobProgress> {
  const { accountId, position, remaining, examined, done } = job;
  const items = await selectItems(sql, accountId, remaining);
  // Deliveries of deleted endpoints, or older than the retention.
  const gone = items.filter(({ endpointId }) => endpointId === null).map(({ id }) => id);
  const capacities = await selectFreeCapacity(sql, endpointsOf(items));
  const fitting = fitIn(items, capacities);
  const { chosen } = choose(await selectSizes(sql, accountId, fitting), SCAN);
  const rows =
    chosen.length === 0
      ? []
      : await replays.accept(sql, { accountId, hops: hopsOf(job.id) }, chosen, job.atOriginOnly);
  const accepted = rows.filter((row) => row.accepted);
  const refused = new Set(rows.filter((row) => !row.accepted).map(({ source }) => source));
  const passed = new Set([...gone, ...chosen.filter((id) => !refused.has(id))]);
  const left = remaining.filter((id) => !passed.has(id));
  return {
    position,
    remaining: passed.size === 0 ? undefined : left,
    examined: examined + passed.size,
    done: done + accepted.length,
    next:
      refused.size > 0
        ? { failure: OVER_LIMIT }
        : left.length === 0
          ? "completed"
          : passed.size === 0
            ? "stalled"
            : "on",
    afterCommit: () => replays.announce(accountId, accepted),
  };
}

/** Returns the first items for which their endpoints have capacity. */
export function fitIn(
  items: readonly ResendItem[],
  capacities: ReadonlyMap<EndpointId, number>,
): DeliveryId[] {
  const left = new Map(capacities);
  const fitting: DeliveryId[] = [];
  for (const { id, endpointId } of items) {
    const capacity = endpointId === null ? 0 : (left.get(endpointId) ?? 0);
    if (endpointId === null || capacity === 0) continue;
    left.set(endpointId, capacity - 1);
    fitting.push(id);
    if (fitting.length === SCAN) break;
  }
  return fitting;
}

function endpointsOf(items: readonly ResendItem[]): EndpointId[] {
  return [...new Set(items.flatMap(({ endpointId }) => (endpointId === null ? [] : [endpointId])))];
}

/** Reads the endpoint of each delivery, in the given order; null if it was deleted. */
function selectItems(
  sql: TransactionSql,
  accountId: AccountId,
  ids: readonly DeliveryId[],
): Promise<ResendItem[]> {
  return sql<ResendItem[]>`
    select r.id, m.endpoint_id as "endpointId"
    from unnest(${arrayOf(ids)}::uuid[]) with ordinality r(id, n)
    left join lateral ${deliveryById(sql, accountId, sql`r.id`)} d on true
    left join mailboxes m on m.endpoint_id = d.endpoint_id
    order by r.n
  `;
}

/** Reads how many more deliveries may be pending, for the first endpoints with capacity and without another replay. */
async function selectFreeCapacity(
  sql: TransactionSql,
  endpointIds: readonly EndpointId[],
): Promise<Map<EndpointId, number>> {
  const locked = await sql<{ id: EndpointId }[]>`
    with capacities as materialized (${capacitiesOf(sql, endpointIds)}),
    first as materialized (select * from capacities where capacity > 0 order by n limit ${ENDPOINTS_A_STEP})
    select endpoint_id as id from first
    where pg_try_advisory_xact_lock(${LOCKS.replays} # hashtextextended(endpoint_id::text, 0))
  `;
  const ids = locked.map(({ id }) => id);
  // Counts again under the locks: another replay may have committed since the count before them.
  const rows = await sql<{ endpointId: EndpointId; capacity: number }[]>`
    select endpoint_id as "endpointId", capacity from (${capacitiesOf(sql, ids)}) c
  `;
  return new Map(rows.map(({ endpointId, capacity }) => [endpointId, capacity]));
}

function capacitiesOf(sql: TransactionSql, endpointIds: readonly EndpointId[]): Fragment {
  return sql`
    select m.endpoint_id, ${MAX_PENDING}::integer - (
      select count(*)::integer from (
        select from queue q where q.partition = m.partition and q.endpoint_id = m.endpoint_id limit ${MAX_PENDING}
      ) as counted
    ) as capacity, e.n
    from unnest(${arrayOf(endpointIds)}::uuid[]) with ordinality e(id, n)
    join mailboxes m on m.endpoint_id = e.id
  `;
}

async function selectSizes(sql: TransactionSql, accountId: AccountId, ids: readonly DeliveryId[]) {
  return sql<{ id: DeliveryId; isWanted: true; size: number }[]>`
    select r.id, true as "isWanted", coalesce(octet_length(${payloadOf(sql, "d")}), 0) as size
    from unnest(${arrayOf(ids)}::uuid[]) with ordinality r(id, n)
    cross join lateral ${deliveryById(sql, accountId, sql`r.id`)} d
    order by r.n
  `;
}
