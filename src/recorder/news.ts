import type { Sql } from "../db/pool";
import type { Outcome } from "./outcome";

/** An endpoint that failed for less than this and delivers again is no news. */
const SHORT_TROUBLE = "1 minute";

/** Whether account feeds may tell of an outcome. */
export function isNews({ verdict, health }: Outcome): boolean {
  return verdict.kind === "failed" || health === "disabled" || health === "recovered";
}

/**
 * Part of the statement that records: puts what `applied` has of news into the outbox of the account's feed, if the
 * account has one. What happens to a feed's own endpoints is never told, so feeds don't feed themselves.
 */
export function newsOf(sql: Sql) {
  return sql`
    told as (
      insert into feed_outbox (account_id, event, facts)
      select a.account_id, news.event, news.facts
      from applied a
      join endpoints e on e.id = a.endpoint_id and not e.feed
      cross join lateral (
        select 1 as nth, 'delivery.failed' as event, json_build_object(
          'deliveryId', a.delivery_id, 'endpointId', e.id, 'event', a.event,
          'attemptCount', a.attempt_count + 1, 'responseStatus', a.status, 'error', a.error
        ) as facts
        where a.verdict = 'failed'
        union all
        select 2, 'endpoint.disabled', json_build_object(
          'endpointId', e.id, 'url', e.url, 'reason', case a.status when 410 then 'gone' else 'failing' end,
          'failingSince', (extract(epoch from coalesce(e.failing_since, now())) * 1000)::bigint
        )
        where a.health = 'disabled' and e.is_active
        union all
        select 3, 'endpoint.recovered', json_build_object(
          'endpointId', e.id, 'url', e.url, 'failingSince', (extract(epoch from e.failing_since) * 1000)::bigint
        )
        where a.health = 'recovered' and e.failing_since <= now() - ${SHORT_TROUBLE}::text::interval
      ) as news
      where exists (
        select from endpoints f where f.account_id = a.account_id and f.feed and f.deleted_at is null
      )
      order by a.n, news.nth
    )
  `;
}
