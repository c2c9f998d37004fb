import type { AnySql } from "../db/pool";
import { failedForLong } from "./failing";
import type { Outcome } from "./outcome";

/** An endpoint that failed for less than this and delivers again is no news. */
const SHORT_TROUBLE = "1 minute";

/** Whether account feeds may tell of an outcome. */
export function isNews({ verdict, health }: Outcome): boolean {
  return verdict.kind === "failed" || (health !== "none" && health !== "failing");
}

/**
 * Part of the statement that records: puts what `applied` has of news into the outbox of the account's feed, if the
 * account has one. What happens to a feed's own endpoints is never told, so feeds don't feed themselves.
 */
export function newsOf(sql: AnySql, disableAfterMs: number) {
  return sql`
    endpoint_news as (
      select account_id, endpoint_id, max(n) as n, bool_or(health = 'recovered') as recovered,
        max(started_at) filter (where health = 'disabled') as disabled_at, bool_or(health = 'gone') as gone
      from applied where health <> 'none' group by account_id, endpoint_id
    ),
    told as (
      insert into feed_outbox (account_id, event, facts)
      select account_id, event, facts from (
        select a.account_id, a.endpoint_id, a.n, 1 as nth, 'delivery.failed' as event, json_build_object(
          'deliveryId', a.delivery_id, 'endpointId', a.endpoint_id, 'event', a.event,
          'attemptCount', a.attempt_count + 1, 'responseStatus', a.status, 'error', a.error,
          'errorDetail', a.error_detail
        ) as facts
        from applied a
        where a.verdict = 'failed'
        union all
        select j.account_id, j.endpoint_id, j.n, 2, 'endpoint.recovered', json_build_object(
          'endpointId', e.id, 'url', e.url, 'failingSince', (extract(epoch from e.failing_since) * 1000)::bigint
        )
        from endpoint_news j join endpoints e on e.id = j.endpoint_id
        where j.recovered and e.failing_since <= now() - ${SHORT_TROUBLE}::text::interval
        union all
        select j.account_id, j.endpoint_id, j.n, 3, 'endpoint.disabled', json_build_object(
          'endpointId', e.id, 'url', e.url, 'reason', case when j.gone then 'gone' else 'failing' end,
          'failingSince', (extract(epoch from coalesce(e.failing_since, now())) * 1000)::bigint
        )
        from endpoint_news j join endpoints e on e.id = j.endpoint_id
        where e.is_active and (j.gone or (not j.recovered and ${failedForLong(sql, disableAfterMs)}))
      ) as news
      where exists (select from endpoints e where e.id = news.endpoint_id and not e.feed)
        and exists (
          select from endpoints f where f.account_id = news.account_id and f.feed and f.deleted_at is null
        )
      order by n, nth
    )
  `;
}
