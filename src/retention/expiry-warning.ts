import type { Database } from "../db/database";
import type { AnySql } from "../db/pool";
import { intervalOf } from "../db/sql/time";
import { leastIdAt } from "../domain/ids";
import type { QueueKey } from "../domain/partition";
import { type HeadsStep, headsBehind, LAST_HEAD, walkQueues } from "./queue-heads";

const DAY_MS = 24 * 3_600_000;
/** Most endpoints that one statement reads. */
const ENDPOINTS_AT_ONCE = 500;
/** Most deliveries that a report counts. */
export const MAX_COUNTED = 10_000;

/** Returns the time between the warning and the end of pending deliveries as `expired`: a day at most, in milliseconds. */
export function warningOf(retentionMs: number): number {
  return Math.min(DAY_MS, retentionMs / 4);
}

/**
 * Reports to feeds the endpoints with pending deliveries that will soon end as `expired`. An endpoint is reported at most once
 * in the time of `warningOf`. Returns the number of reports. See `walkQueues`.
 */
export function warnOfExpiry(
  db: Database,
  now: number,
  retentionMs: number,
  rest: () => Promise<boolean>,
): Promise<number> {
  return walkQueues(db, (sql, from) => warnSome(sql, from, now, retentionMs), rest);
}

async function warnSome(sql: AnySql, from: QueueKey, now: number, retentionMs: number): Promise<HeadsStep> {
  const warningMs = warningOf(retentionMs);
  const end = leastIdAt(now - retentionMs + warningMs);
  const isDue = sql`(e.expiry_warned_at is null or e.expiry_warned_at <= now() - ${intervalOf(sql, warningMs)})`;
  const [row] = await sql<({ warned: number; heads: number } & QueueKey)[]>`
    with recursive ${headsBehind(sql, from)},
    examined as materialized (select * from heads limit ${ENDPOINTS_AT_ONCE}),
    expiring as materialized (
      select h.* from examined h
      join endpoints e on e.id = h.endpoint_id
      where h.delivery_id < ${end} and not e.feed and ${isDue}
        and exists (select from feed_hearers(e.account_id))
      order by e.id
    ),
    -- If two processes find the same endpoint, the second waits here, and then finds it warned.
    warned as (
      update endpoints e set expiry_warned_at = now() from expiring x where e.id = x.endpoint_id and ${isDue}
      returning e.id, e.account_id, e.url
    ),
    reported as (
      insert into feed_outbox (account_id, about, event, facts)
      select h.hearer, w.account_id, 'endpoint.expiring', json_build_object(
        'endpointId', w.id, 'url', w.url, 'deliveryId', x.delivery_id, 'retentionMs', ${retentionMs}::float8, 'deliveries', (
          select json_build_object('count', count(*), 'complete', count(*) < ${MAX_COUNTED}) from (
            select q.delivery_id from queue q where q.partition = x.partition and q.endpoint_id = x.endpoint_id
            order by q.sequence limit ${MAX_COUNTED}
          ) first where first.delivery_id < ${end}
        )
      )
      from warned w join expiring x on x.endpoint_id = w.id
      cross join lateral feed_hearers(w.account_id) as h(hearer)
    )
    select (select count(*) from warned)::integer as warned, l.* from ${sql.unsafe(LAST_HEAD)} l
  `;
  if (!row) return { done: 0, next: null };
  const { warned, heads, ...last } = row;
  return { done: warned, next: heads < ENDPOINTS_AT_ONCE ? null : last };
}
