import type { Sql } from "../db/pool";
import { unixMs } from "../db/unix-ms";
import type { Ordering } from "../endpoints/tuning";
import type { DeliveryId } from "../runtime/ids";
import { attemptsAt } from "./attempts";

/** What a pending delivery waits for. Times are Unix milliseconds. */
export type WaitingFor =
  /** The endpoint is inactive. */
  | { reason: "pause" }
  /** One in front of it, with the first attempt at that one, if there was any, and the next one, if that is known. */
  | { reason: "turn"; inFront: Ahead }
  /** It failed before. */
  | { reason: "retry"; until: number }
  /** So many that were accepted before it may be under way, and no more at once: the endpoint asks for no order. */
  | { reason: "max_in_flight"; maxInFlight: number }
  /** As many attempts as the endpoint's rate limit allows have begun in the last second. */
  | { reason: "rate_limit"; rateLimit: number }
  /** Nothing: its attempt is under way, or about to begin. */
  | { reason: "attempt" };

export type Ahead = { id: DeliveryId; sequence: number; since: number | null; nextAttemptAt: number | null };

/** Deliveries before one that are looked at for those never attempted, or past those that ended without an attempt. */
const LOOKED_AT = 1_000;

/** What the reason is drawn from, as one moment of Postgres has it. */
export type WaitingFacts = {
  isActive: boolean;
  sequence: number;
  /** Null when it has passed as well. */
  retryAt: number | null;
  ordering: Ordering;
  maxInFlight: number;
  /** Deliveries right before it that were never attempted, up to `maxInFlight`; null when ordered. */
  untriedBefore: number | null;
  rateLimit: number | null;
  /** Attempts that began in the last second and are recorded; null without a limit. */
  lastStarts: number | null;
  /** The first of the endpoint that is pending, which may be the delivery itself. */
  first: Ahead;
};

/**
 * The facts of the queued delivery `q`, as JSON; null when it is not pending. Each is one row found by its key, but for
 * an endpoint with a rate limit, as many as that and `LOOKED_AT`, or without order, `LOOKED_AT`. Attempts are looked up with a
 * limit of their own, so that no plan can turn it into a reading of the whole table.
 */
export function waitingFacts(sql: Sql) {
  return sql`
    (
      select json_build_object(
        'isActive', e.is_active,
        'sequence', q.sequence,
        'retryAt', case when q.next_attempt_at > now() then ${unixMs(sql, "q.next_attempt_at")} end,
        'ordering', e.ordering,
        'maxInFlight', e.max_in_flight,
        'untriedBefore', case when e.ordering = 'unordered' then (
          select count(*)
          from (
            select from (
              select u.sequence, u.next_attempt_at from queue u
              where u.partition = q.partition and u.endpoint_id = q.endpoint_id and u.sequence < q.sequence
              order by u.sequence desc limit ${LOOKED_AT}
            ) u
            where u.next_attempt_at is null
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
                order by r.delivery_id desc limit e.rate_limit + ${LOOKED_AT}
              ) r
              where r.attempt_count > 0
              order by r.delivery_id desc limit e.rate_limit + 1
            )
            union all
            (
              select t.delivery_id from queue t
              where t.partition = q.partition and t.endpoint_id = q.endpoint_id and t.next_attempt_at is not null
                and t.delivery_id <= q.delivery_id
              order by t.next_attempt_at desc limit e.rate_limit + 1
            )
          ) l
          cross join lateral (
            select from ${attemptsAt(sql, sql`l.id`, sql`e.id`)} a where a.started_at > now() - interval '1 second'
            limit e.rate_limit
          ) started
        ) end,
        'first', json_build_object(
          'id', f.delivery_id,
          'sequence', f.sequence,
          'since', (
            select ${unixMs(sql, "a.started_at")} from attempts a where a.delivery_id = f.delivery_id and a.attempt = 1
          ),
          'nextAttemptAt', case when f.next_attempt_at > now() then ${unixMs(sql, "f.next_attempt_at")} end
        )
      )
      from endpoints e
      cross join lateral (
        select first.sequence, first.delivery_id, first.next_attempt_at from queue first
        where first.partition = q.partition and first.endpoint_id = q.endpoint_id
        order by first.sequence limit 1
      ) f
      where e.id = q.endpoint_id
    )
  `;
}

export function waitingFor(facts: WaitingFacts): WaitingFor {
  const { isActive, ordering, sequence, retryAt, maxInFlight, untriedBefore, rateLimit, lastStarts, first } =
    facts;
  if (!isActive) return { reason: "pause" };
  if (ordering === "ordered" && first.sequence < sequence) return { reason: "turn", inFront: first };
  if (retryAt !== null) return { reason: "retry", until: retryAt };
  if ((untriedBefore ?? 0) >= maxInFlight) return { reason: "max_in_flight", maxInFlight };
  if (rateLimit !== null && (lastStarts ?? 0) >= rateLimit) return { reason: "rate_limit", rateLimit };
  return { reason: "attempt" };
}
