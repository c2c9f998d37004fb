import { isToBeWarned, reasonToDisable } from "./health";

/** A recovery is reported only after a failure of at least this long. */
const SHORT_TROUBLE = "1 minute";

/** SQL: the facts about the endpoint `e` in every feed event about it. */
const FACTS = `
  'endpointId', e.id, 'url', e.url,
  'failingSince', (extract(epoch from coalesce(e.failing_since, now())) * 1000)::bigint
`;

/**
 * Returns the part of the recording statement that writes feed events to the outbox, for each account whose feed hears of them. They follow
 * from `notable`, and from `judged` and the endpoints `before` it. A feed's own endpoint makes no feed events.
 */
export function feedEvents(disableAfterMs: string): string {
  return `
    written_feed_events as (
      insert into feed_outbox (account_id, about, event, facts)
      select h.hearer, reported.account_id, event, facts from (
        select a.account_id, a.endpoint_id, a.n, 1 as nth, 'delivery.failed' as event, json_build_object(
          'deliveryId', a.delivery_id, 'endpointId', a.endpoint_id, 'event', a.event,
          'attemptCount', a.attempt_count + 1, 'responseStatus', a.status, 'error', a.error,
          'errorDetail', a.error_detail
        ) as facts
        from notable a
        where a.ending = 'failed'
        union all
        select j.account_id, j.endpoint_id, j.n, 2, 'endpoint.recovered', json_build_object(${FACTS})
        from judged j join before e on e.id = j.endpoint_id
        where j.recovered and e.failing_since <= now() - interval '${SHORT_TROUBLE}'
        union all
        select j.account_id, j.endpoint_id, j.n, 3, 'endpoint.failing', json_build_object(${FACTS})
        from judged j join before e on e.id = j.endpoint_id
        where ${isToBeWarned(disableAfterMs)}
        union all
        select j.account_id, j.endpoint_id, j.n, 3, 'endpoint.disabled', json_build_object(
          ${FACTS}, 'reason', ${reasonToDisable(disableAfterMs)}, 'deliveryId', case when not j.unwanted then j.exhausted end
        )
        from judged j join before e on e.id = j.endpoint_id
        where e.is_active and ${reasonToDisable(disableAfterMs)} is not null
      ) as reported
      cross join lateral feed_hearers(reported.account_id) as h(hearer)
      where exists (select from endpoints e where e.id = reported.endpoint_id and not e.feed)
      order by n, nth
    )
  `;
}
