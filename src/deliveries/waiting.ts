import type { AnySql, Fragment, Sql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import { unixMs } from "../db/sql/time";
import type { AccountId, DeliveryId } from "../domain/ids";
import { SCHEDULED } from "../domain/partition";
import { rateWindowOf } from "../domain/rate-limit";
import type { Ordering } from "../domain/tuning";
import { attemptsAt } from "./attempts";

/** The reason for which a pending delivery waits. Times are Unix milliseconds. */
export type WaitingFor =
  /** It is scheduled, and not due yet. */
  | { reason: "scheduled"; until: number }
  /** The endpoint is inactive. */
  | { reason: "pause" }
  /** The receiver asked for a rest until this time. */
  | { reason: "rest"; until: number }
  /**
   * Other deliveries are in front in the same order: `ahead` of them, the first of which is `inFront`. `orderingKey` is set only
   * if the endpoint is `by_key`: the key of all; null for deliveries without a key.
   */
  | { reason: "turn"; inFront: DeliveryInFront; ahead: BoundedCount; orderingKey?: string | null }
  /** The last attempt failed, and the retry is not due. */
  | { reason: "retry"; until: number }
  /** Earlier deliveries use all of the endpoint's attempts in flight, each in an order of its own. */
  | { reason: "max_in_flight"; maxInFlight: number }
  /** The endpoint's rate limit is used up by attempts of the last second. */
  | { reason: "rate_limit"; rateLimit: number }
  /**
   * The endpoint is pulled, and its receiver has not read the delivery, or has not acknowledged it: it can until `acknowledgeBy`,
   * which is null before it has read it.
   */
  | { reason: "receiver"; acknowledgeBy: number | null }
  /** The delivery does not wait: its attempt is running, or about to start. */
  | { reason: "attempt" };

export type DeliveryInFront = {
  id: DeliveryId;
  sequence: number;
  since: number | null;
  nextAttemptAt: number | null;
  attemptCount: number;
  /** The last attempt's status; 0 without an HTTP response, null before the first attempt. */
  responseStatus: number | null;
};

/** A number of deliveries; that number or more if it is not `complete`. */
export type BoundedCount = { count: number; complete: boolean };

/** Numbers of deliveries in front of a pending one in its order, and behind it; each counted up to `MOST_COUNTED`. */
export type OrderPosition = { inFront: BoundedCount; behind: BoundedCount };

/** Most deliveries of an order that are counted. */
export const MOST_COUNTED = 1_000;

/** Most deliveries searched: the first without a key, those never attempted, or past ones that ended without an attempt. */
export const MAX_SEARCHED = 1_000;

/** Facts that decide the reason, read in one statement. */
export type WaitingFacts = {
  /** The time at which a scheduled delivery is due; null once it has its sequence. */
  scheduledFor: number | null;
  isActive: boolean;
  isPulled: boolean;
  /** The end of the time of the receiver that has read the delivery; null if none has. */
  acknowledgeBy: number | null;
  sequence: number;
  orderingKey: string | null;
  /** The time of the retry; null also if it has passed. */
  retryAt: number | null;
  /** The end of the endpoint's rest; null also if it has passed. */
  restsUntil: number | null;
  ordering: Ordering;
  maxInFlight: number;
  /** Number of deliveries directly in front that can be attempted now, up to `maxInFlight`; null if the endpoint is ordered. */
  untriedBefore: number | null;
  rateLimit: number | null;
  /** Number of recorded attempts that started in the last window of the rate limit; null without one. */
  lastStarts: number | null;
  /** The first pending delivery of its order, possibly the delivery itself. */
  first: DeliveryInFront;
  /** Null if it is the first itself. */
  ahead: BoundedCount | null;
};

/**
 * SQL: the facts of the queued delivery `q` as JSON; null if it is not pending. Looks up single rows by key. For an unordered
 * endpoint it also reads up to `MAX_SEARCHED` rows, and for a rate limit as many rows as attempts are allowed. Looks attempts up
 * with a limit, so no plan can scan the whole table.
 */
export function waitingFacts(sql: Sql) {
  return sql`
    (
      select json_build_object(
        'scheduledFor', case when q.partition = ${SCHEDULED} then ${unixMs(sql, "q.next_attempt_at")} end,
        'isActive', e.is_active,
        'isPulled', e.url is null,
        'acknowledgeBy', case when e.url is null then (
          select ${unixMs(sql, "max(p.ends_at)")} from pulls p
          where p.endpoint_id = e.id and p.ends_at > now() and q.sequence = any(p.sequences)
        ) end,
        'sequence', q.sequence,
        'orderingKey', q.ordering_key,
        'retryAt', case when q.next_attempt_at > now() then ${unixMs(sql, "q.next_attempt_at")} end,
        'restsUntil', case when w.rests_until > now() then ${unixMs(sql, "w.rests_until")} end,
        'ordering', e.ordering,
        'maxInFlight', case when e.rests_until is null then e.max_in_flight else 1 end,
        'untriedBefore', case when e.ordering <> 'ordered' then (
          select count(*)
          from (
            select from (
              select u.*, min(u.sequence) filter (where u.ordering_key is null) over () as first_without_key
              from (
                select * from queue u
                where u.partition = q.partition and u.endpoint_id = q.endpoint_id and u.sequence < q.sequence
                order by u.sequence desc limit ${MAX_SEARCHED}
              ) u
            ) u
            where u.next_attempt_at is null and (
              e.ordering = 'unordered' or u.sequence = u.first_without_key
              or (u.ordering_key is not null and not exists (
                select from queue w
                where w.partition = u.partition and w.endpoint_id = u.endpoint_id and w.ordering_key = u.ordering_key
                  and w.sequence < u.sequence
              ))
            )
            order by u.sequence desc limit e.max_in_flight
          ) u
        ) + (
          select count(*)
          from (
            select from queue u
            where u.partition = q.partition and u.endpoint_id = q.endpoint_id and u.next_attempt_at <= now()
              and q.next_attempt_at is null
            order by u.next_attempt_at limit e.max_in_flight
          ) u
        ) end,
        'rateLimit', e.rate_limit,
        'lastStarts', case when e.rate_limit is not null then (
          select count(*)
          from (
            (
              select r.delivery_id as id
              from (
                select r.delivery_id, r.attempt_count from results r
                where r.endpoint_id = e.id and r.delivery_id <= q.delivery_id
                order by r.delivery_id desc limit w.starts + ${MAX_SEARCHED}
              ) r
              where r.attempt_count > 0
              order by r.delivery_id desc limit w.starts + 1
            )
            union all
            (
              select t.delivery_id from queue t
              where t.partition = q.partition and t.endpoint_id = q.endpoint_id and t.next_attempt_at is not null
                and t.delivery_id <= q.delivery_id
              order by t.next_attempt_at desc limit w.starts + 1
            )
          ) l
          cross join lateral (
            select from ${attemptsAt(sql, sql`l.id`, sql`e.id`)} a
            where a.started_at > now() - interval '1 second' * (w.starts / e.rate_limit)
            limit w.starts
          ) started
        ) end,
        'first', json_build_object(
          'id', f.delivery_id,
          'sequence', f.sequence,
          'since', (
            select ${unixMs(sql, "a.started_at")} from attempts a where a.delivery_id = f.delivery_id and a.attempt = 1
          ),
          'nextAttemptAt', case when greatest(f.next_attempt_at, w.rests_until) > now()
            then ${unixMs(sql, "greatest(f.next_attempt_at, w.rests_until)")} end,
          'attemptCount', f.attempt_count,
          'responseStatus', f.response_status
        ),
        'ahead', case when f.sequence < q.sequence then ${countedOfOrder(sql, "<")} end
      )
      from endpoints e
      cross join lateral (
        select ceil(e.rate_limit)::int as starts, case when e.url is not null then e.rests_until end as rests_until
      ) w
      cross join lateral (${firstOfOrder(sql)}) f
      where e.id = q.endpoint_id
    )
  `;
}

export function waitingFor(facts: WaitingFacts): WaitingFor {
  const { isActive, sequence, retryAt, maxInFlight, untriedBefore, rateLimit, lastStarts, first } = facts;
  const restsUntil = facts.restsUntil ?? 0;
  if (facts.scheduledFor !== null) return { reason: "scheduled", until: facts.scheduledFor };
  if (!isActive) return { reason: "pause" };
  if (facts.isPulled) return waitForReceiver(facts);
  if (first.sequence < sequence) return turnOf(facts);
  if (retryAt !== null && retryAt >= restsUntil) return { reason: "retry", until: retryAt };
  if (restsUntil > 0) return { reason: "rest", until: restsUntil };
  if ((untriedBefore ?? 0) >= maxInFlight) return { reason: "max_in_flight", maxInFlight };
  if (rateLimit !== null && (lastStarts ?? 0) >= rateWindowOf(rateLimit).starts)
    return { reason: "rate_limit", rateLimit };
  return { reason: "attempt" };
}

/** A receiver that reads takes a page of an ordered endpoint at once, and one delivery of each order otherwise. */
function waitForReceiver(facts: WaitingFacts): WaitingFor {
  const { ordering, sequence, first, retryAt, acknowledgeBy } = facts;
  const isBehind = first.sequence < sequence;
  if (isBehind && (ordering !== "ordered" || first.nextAttemptAt !== null)) return turnOf(facts);
  if (retryAt !== null) return { reason: "retry", until: retryAt };
  return { reason: "receiver", acknowledgeBy };
}

function turnOf({ ordering, orderingKey, first: inFront, ahead }: WaitingFacts): WaitingFor {
  const counted = ahead ?? { count: 1, complete: false };
  return { reason: "turn", inFront, ahead: counted, ...(ordering === "by_key" && { orderingKey }) };
}

/**
 * SQL: the first pending delivery of the order of `q`, a row in the queue of the endpoint `e`. For a delivery without a key it
 * searches the endpoint's first deliveries, and if none of them is without a key, those in front of the delivery.
 */
export function firstOfOrder(sql: AnySql): Fragment {
  const columns: Fragment = sql`f.sequence, f.delivery_id, f.next_attempt_at, f.attempt_count, f.response_status`;
  const ofEndpoint: Fragment = sql`f.partition = q.partition and f.endpoint_id = q.endpoint_id`;
  const keyless = (isSearched: Fragment, order: "asc" | "desc"): Fragment => sql`
    select ${columns}
    from (
      select f.* from queue f
      where ${ofEndpoint} and e.ordering = 'by_key' and q.ordering_key is null and ${isSearched}
      order by f.sequence ${sql.unsafe(order)} limit ${MAX_SEARCHED}
    ) f
    where f.ordering_key is null
    order by f.sequence limit 1
  `;
  return sql`
    (select ${columns} from queue f where ${ofEndpoint} and e.ordering = 'ordered' order by f.sequence limit 1)
    union all
    (
      select ${columns} from queue f
      where ${ofEndpoint} and e.ordering = 'by_key' and f.ordering_key = q.ordering_key
      order by f.sequence limit 1
    )
    union all
    (
      select f.*
      from (
        (${keyless(sql`true`, "asc")})
        union all
        (${keyless(sql`f.sequence < q.sequence`, "desc")})
      ) f
      limit 1
    )
    union all
    select q.sequence, q.delivery_id, q.next_attempt_at, q.attempt_count, q.response_status
    order by 1 limit 1
  `;
}

/** SQL: the position of the queued delivery `q` in its order as JSON; null if it is not pending, or scheduled. */
export function orderPositionOf(sql: AnySql): Fragment {
  return sql`
    (
      select json_build_object('inFront', ${countedOfOrder(sql, "<")}, 'behind', ${countedOfOrder(sql, ">")})
      from endpoints e where e.id = q.endpoint_id and q.partition <> ${SCHEDULED}
    )
  `;
}

/** SQL: the `BoundedCount` of the deliveries on one side of `q` in its order. Without a key, it examines the deliveries of all keys. */
function countedOfOrder(sql: AnySql, side: "<" | ">"): Fragment {
  const ofEndpoint: Fragment = sql`
    f.partition = q.partition and f.endpoint_id = q.endpoint_id and f.sequence ${sql.unsafe(side)} q.sequence
  `;
  const most = sql.unsafe(String(MOST_COUNTED));
  return sql`
    (
      select json_build_object('count', count(*) filter (where x.is_of_order), 'complete', count(*) < ${most})
      from (
        (select true as is_of_order from queue f where ${ofEndpoint} and e.ordering = 'ordered' limit ${most})
        union all
        (
          select true from queue f
          where ${ofEndpoint} and e.ordering = 'by_key' and f.ordering_key = q.ordering_key limit ${most}
        )
        union all
        (
          select f.ordering_key is null from queue f
          where ${ofEndpoint} and e.ordering = 'by_key' and q.ordering_key is null
          order by f.sequence ${sql.unsafe(side === "<" ? "desc" : "asc")} limit ${most}
        )
      ) x
    )
  `;
}

/** The facts about a pending delivery that a list shows beside its summary. */
export type PendingFacts = { id: DeliveryId; nextAttemptAt: number | null; waitingFor: WaitingFor };

/** Reads the reasons for which deliveries wait. Omits deliveries that are not pending. */
export async function readWaiting(
  sql: Sql,
  deliveries: readonly Readonly<{ id: DeliveryId; accountId: AccountId }>[],
): Promise<Map<DeliveryId, PendingFacts>> {
  const ids = arrayOf(deliveries.map(({ id }) => id));
  const accounts = arrayOf(deliveries.map(({ accountId }) => accountId));
  const rows = await sql<{ id: DeliveryId; nextAttemptAt: number | null; waiting: WaitingFacts }[]>`
    select i.id, ${unixMs(sql, "q.next_attempt_at")} as "nextAttemptAt", ${waitingFacts(sql)} as waiting
    from unnest(${ids}::uuid[], ${accounts}::uuid[]) i(id, account_id)
    cross join lateral (
      select w.* from queue w where w.account_id = i.account_id and w.delivery_id = i.id limit 1
    ) q
  `;
  const waiting = rows.map(({ id, nextAttemptAt, waiting }) => ({
    id,
    nextAttemptAt,
    waitingFor: waitingFor(waiting),
  }));
  return new Map(waiting.map((each) => [each.id, each]));
}
