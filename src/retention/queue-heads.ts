import { type Database, untilNoDeadlock } from "../db/database";
import type { AnySql, Fragment } from "../db/pool";
import type { EndpointId } from "../domain/ids";
import type { QueueKey } from "../domain/partition";

/** The start of the walk, behind the scheduled deliveries, which are not due yet. */
const START: QueueKey = { partition: 0, endpointId: "00000000-0000-0000-0000-000000000000" as EndpointId };

/** The number of rows that a statement changed, and where the next one continues; null if no endpoint is left. */
export type HeadsStep = { done: number; next: QueueKey | null };

/**
 * Goes through all endpoints with pending deliveries, some in each statement. Calls `rest` between statements, and stops if it
 * returns false. Returns the sum of the statements' `done`. Throws `DatabaseUnavailable`.
 */
export async function walkQueues(
  db: Database,
  step: (sql: AnySql, from: QueueKey) => Promise<HeadsStep>,
  rest: () => Promise<boolean>,
): Promise<number> {
  let done = 0;
  for (let from: QueueKey | null = START; from !== null; ) {
    const after: QueueKey = from;
    const { next, ...made } = await untilNoDeadlock(() => db.run((sql) => step(sql, after)));
    done += made.done;
    from = next;
    if (from !== null && !(await rest())) break;
  }
  return done;
}

/** SQL of a recursive query: the first pending delivery of each endpoint behind a key of the queue. */
export function headsBehind(sql: AnySql, { partition, endpointId }: QueueKey): Fragment {
  return sql`
    heads as (
      (
        select q.partition, q.endpoint_id, q.delivery_id from queue q
        where (q.partition, q.endpoint_id) > (${partition}::smallint, ${endpointId}::uuid)
        order by q.partition, q.endpoint_id, q.sequence limit 1
      )
      union all
      select n.*
      from heads h
      cross join lateral (
        select q.partition, q.endpoint_id, q.delivery_id from queue q
        where (q.partition, q.endpoint_id) > (h.partition, h.endpoint_id)
        order by q.partition, q.endpoint_id, q.sequence limit 1
      ) n
    )
  `;
}

/** SQL: the last of the heads in `examined`, and the number of heads. */
export const LAST_HEAD = `(
  select partition, endpoint_id as "endpointId", count(*) over ()::integer as heads from examined
  order by partition desc, endpoint_id desc limit 1
)`;
