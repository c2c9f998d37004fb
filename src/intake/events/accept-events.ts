import type { Fragment, Sql } from "../../db/pool";
import { arrayOf, plainArrayOf } from "../../db/sql/arrays";
import { filterHasSql, patternsOfEventSql } from "../../db/sql/event-filter";
import { numberedIdSql } from "../../db/sql/event-key";
import type { DeliveryId, EndpointId, EventId } from "../../domain/ids";
import { consequences, payloadsOf } from "../acceptance";
import { MAX_DELIVERIES } from "../sends/sending-request";
import type { UsageKey } from "../usage-shard";
import type { NewEventType } from "../written-rows-cache";
import { type Audience, type Rules, rulesFor } from "./audience";
import type { FanOut } from "./fan-out";

/**
 * A row of the statement's answer: one for each delivery or skipped endpoint, otherwise one for the event. An event without a
 * row was not accepted: its key is taken, or its account has no usage row of the month.
 */
export type EventRow = { eventId: EventId } & (
  | {
      kind: "accepted";
      id: DeliveryId;
      endpointId: EndpointId;
      partition: number;
      revision: number;
      /** Null while the delivery is scheduled. */
      sequence: number | null;
      /** True if the endpoint is inactive and gets the delivery later. */
      isHeld: boolean;
    }
  /** The event was accepted without a delivery for this endpoint, which is inactive and skips events. */
  | { kind: "skipped"; endpointId: EndpointId }
  /** The event was accepted for no endpoint. */
  | { kind: "nobody" }
  /** The next statement decides. */
  | { kind: "later" }
  /** The event needs a statement of its own. */
  | { kind: "large" }
  | { kind: "over_monthly_limit"; limit: number }
  | { kind: "too_many" }
  /** `made`: how many deliveries the request would make with this event. */
  | { kind: "over_request_limit"; made: number }
);

/** Most endpoints that one event may go to. */
export const MAX_ENDPOINTS = 10_000;

/** Bounds one statement, since the events of other accounts wait for it. */
export type StatementSize = Readonly<{
  /** Most deliveries. An event that makes more by itself is `large`. */
  deliveries: number;
  /**
   * Comparisons of an event with an endpoint's filter after which the statement takes no further event. Each event counts all
   * endpoints of its account.
   */
  comparisons: number;
}>;

/** Most deliveries in a statement that several events share. They take some 20 ms. */
export const SHARED_DELIVERIES = 300;
export const SHARED: StatementSize = { deliveries: SHARED_DELIVERIES, comparisons: 2_000 };
/** The size for a large event, which has a statement to itself. */
export const ALONE: StatementSize = { deliveries: MAX_ENDPOINTS, comparisons: 1 };

/** Patterns of a filter that take as long to compare as one more endpoint (measured). */
const PATTERNS_PER_COMPARISON = 10;

/** Marks the statement, so that it can be found in `pg_stat_activity` while it runs. */
export const ACCEPTS_EVENTS = "/* accepts events */";

export type AcceptEventsOptions = Readonly<{
  newEventTypes: readonly NewEventType[];
  usageKey: UsageKey;
  audience: Audience;
  size: StatementSize;
}>;

/**
 * Accepts events for the endpoints that want them, in one statement: all deliveries of an event or none. The endpoints are
 * those of the statement's snapshot, without those whose mailbox is deleted before it is locked. Locks, sequences and keys work
 * as in `acceptSends`.
 *
 * An event is left for later if it would make this statement too large, if an earlier event of its account is too large, or if
 * the month's limit has room for it only should an earlier event not be accepted. The first event is always decided.
 */
export function acceptEvents(
  sql: Sql,
  events: readonly FanOut[],
  { newEventTypes, usageKey, audience, size }: AcceptEventsOptions,
): Promise<EventRow[]> {
  const rules = rulesFor(sql, audience, usageKey);
  return sql<EventRow[]>`
    ${sql.unsafe(ACCEPTS_EVENTS)}
    with ${refusedOf(sql, events)},
    ${askedEvents(sql, events, rules, size)},
    ${wanting(sql, rules, size)},
    ${acceptedOf(sql, rules)},
    ${consequences(sql, usageKey, { data: rules.keepsEvents ? sql`null` : payloadsOf(sql, events), extra: sql`, event_external_id`, due: sql`due_at` })},
    ${recordedOf(sql, events, rules)}
    ${registered(sql, newEventTypes)}
    ${answerRows(sql, rules)}
  `;
}

/**
 * Lists the endpoints whose filters refuse an event's payload, as found before the statement. A filter that was set or changed
 * in between may not be applied.
 */
function refusedOf(sql: Sql, events: readonly FanOut[]): Fragment {
  const refused = events.flatMap(({ refusedBy = [] }, i) => refusedBy.map((id) => ({ n: i + 1, id })));
  return sql`
    refused as materialized (
      select n, endpoint_id from unnest(
        ${plainArrayOf(refused.map(({ n }) => n))}::bigint[], ${plainArrayOf(refused.map(({ id }) => id))}::uuid[]
      ) as r(n, endpoint_id)
    )
  `;
}

/** Selects all events as `asked`, and as `input` those that this statement compares with endpoints, with their patterns. */
function askedEvents(
  sql: Sql,
  events: readonly FanOut[],
  rules: Rules,
  { comparisons: most }: StatementSize,
): Fragment {
  const requests = [...new Set(events.map(({ request }) => request ?? null))];
  const indexOfRequest = ({ request }: FanOut) => (request ? requests.indexOf(request) : null);
  return sql`
    asked as materialized (
      select i.*, ${rules.isOpen} as open
      from unnest(
        ${arrayOf(events.map((each) => each.id))}::uuid[],
        ${arrayOf(events.map((each) => each.accountId))}::uuid[],
        ${arrayOf(events.map((each) => each.event))}::text[],
        ${arrayOf(events.map((each) => each.orderingKey))}::text[],
        ${arrayOf(events.map((each) => each.externalId ?? null))}::text[],
        ${arrayOf(events.map((each) => each.idempotency?.key ?? null))}::text[],
        ${arrayOf(events.map((each) => each.idempotency?.fingerprint ?? null))}::bytea[],
        ${arrayOf(events.map(indexOfRequest))}::integer[],
        ${arrayOf(events.map(({ request }) => request?.left ?? null))}::integer[],
        ${arrayOf(events.map(({ dueAt }) => (dueAt ? new Date(dueAt).toISOString() : null)))}::timestamptz[]
      ) with ordinality as i(
        event_id, account_id, event, ordering_key, event_external_id, key, fingerprint, request, left_of_request, due_at, n)
    ),
    audiences as materialized (
      select e.account_id, sum(1 + cardinality(e.event_types) / ${PATTERNS_PER_COMPARISON}) as endpoints from endpoints e
      where e.account_id in (select account_id from asked) and e.deleted_at is null and ${rules.endpoints}
      group by 1
    ),
    input as materialized (
      select i.*, ${sql.unsafe(patternsOfEventSql)} as patterns from (
        select a.*, sum(u.endpoints) over (order by a.n rows between unbounded preceding and 1 preceding) as compared_before
        from asked a left join audiences u on u.account_id = a.account_id
      ) i
      where coalesce(i.compared_before, 0) < ${most}
    )
  `;
}

/**
 * Pairs events with endpoints: `found` has the endpoints that want an event, `matched` those that get it, and `located` those of
 * events that this statement can take, with their mailboxes locked. `unwanted` has the events that no endpoint gets.
 */
function wanting(sql: Sql, rules: Rules, { deliveries: most }: StatementSize): Fragment {
  return sql`
    found as materialized (
      select i.*, e.id as endpoint_id, e.is_active, t.gets_it,
        count(*) filter (where t.gets_it) over (partition by i.n) as endpoints,
        case when i.request is not null
          then count(*) filter (where t.gets_it) over (partition by i.request order by i.n) end as made
      from input i
      join endpoints e on e.account_id = i.account_id and e.deleted_at is null
        and ${rules.endpoints} and ${sql.unsafe(filterHasSql)}
        and (e.filter is null or (i.n, e.id) not in (select n, endpoint_id from refused))
      cross join lateral (select e.is_active or e.while_inactive = 'hold' as gets_it) t
      where i.open
    ),
    matched as materialized (
      select f.*, case
          when made > left_of_request then 'over_request_limit'
          when endpoints > ${MAX_ENDPOINTS} then 'too_many'
          when endpoints > ${most} then 'large'
          when coalesce(is_behind_large, false) or deliveries_so_far > ${most} then 'later'
        end as obstacle
      from (
        select *,
          count(*) filter (where endpoints <= ${most}) over (order by n) as deliveries_so_far,
          bool_or(endpoints > ${most} and endpoints <= ${MAX_ENDPOINTS}) over (
            partition by account_id order by n groups between unbounded preceding and 1 preceding
          ) as is_behind_large
        from found where gets_it
      ) f
    ),
    located as materialized (
      select t.*, m.partition, m.revision, m.last_sequence, true as routed
      from matched t
      join mailboxes m on m.endpoint_id = t.endpoint_id
      where t.obstacle is null
      order by m.endpoint_id, t.n
      for update of m
    ),
    unwanted as materialized (
      select * from input i
      -- With "not exists" Postgres compares each event with each delivery.
      where i.open and i.n not in (select n from located) and i.n not in (select n from matched where obstacle is not null)
    )
  `;
}

/** Selects as `accepted` the deliveries that the monthly limits allow and whose keys are free. */
function acceptedOf(sql: Sql, rules: Rules): Fragment {
  return sql`
    usage_rows as materialized (
      ${rules.usageRows}
    ),
    priced as materialized (
      select l.*, m.used, m.monthly_limit,
        count(*) over (partition by l.n) as price,
        count(*) over (partition by l.account_id order by l.n) as price_so_far
      from located l
      join usage_rows m on m.account_id = l.account_id
    ),
    affordable as materialized (
      select * from priced where monthly_limit is null or used + price_so_far <= monthly_limit
    ),
    claimed as (
      ${rules.claim(sql`
        select distinct account_id, key, fingerprint, event_id from affordable where key is not null
        union all
        select account_id, key, fingerprint, event_id from unwanted where key is not null
      `)}
    ),
    accepted as materialized (
      select a.*, ${sql.unsafe(numberedIdSql("event_id", "row_number() over (partition by n order by endpoint_id)"))} as id,
        case when due_at is null
          then last_sequence + row_number() over (partition by endpoint_id, due_at is null order by n) end as sequence
      from affordable a
      where key is null or event_id in (select delivery_id from claimed)
    )
  `;
}

/** Writes events as `recorded`, with the payload of all their deliveries, and their traces. Selects the `skipped` endpoints. */
function recordedOf(sql: Sql, events: readonly FanOut[], { keepsEvents }: Rules): Fragment {
  if (!keepsEvents) return sql``;
  return sql`
    inactive as materialized (
      select n, array_agg(endpoint_id order by endpoint_id) as endpoints from found where not is_active group by n
    ),
    recorded as (
      insert into events (id, account_id, event, ordering_key, external_id, data, delivery_count, inactive, refused_by)
      select k.event_id, k.account_id, k.event, k.ordering_key, k.event_external_id, ${payloadsOf(sql, events)}, k.deliveries,
        i.endpoints, (select array_agg(r.endpoint_id order by r.endpoint_id) from refused r where r.n = k.n)
      from (
        select distinct on (n) n, event_id, account_id, event, ordering_key, event_external_id, price as deliveries from accepted
        union all
        select n, event_id, account_id, event, ordering_key, event_external_id, 0 from unwanted
        where key is null or event_id in (select delivery_id from claimed)
      ) k
      left join inactive i using (n)
      returning id
    ),
    ${tracedOf(sql, events)}
    skipped as (
      select event_id, endpoint_id from found where not gets_it and event_id in (select id from recorded)
    ),
  `;
}

/** Registers the event types of accepted events, and of events that no endpoint wanted. */
function registered(sql: Sql, types: readonly NewEventType[]): Fragment {
  return sql`
    registered as (
      insert into event_types (account_id, name)
      select t.account_id, t.name from unnest(
        ${arrayOf(types.map((type) => type.accountId))}::uuid[],
        ${arrayOf(types.map((type) => type.name))}::text[]
      ) as t(account_id, name)
      where exists (select from accepted a where a.account_id = t.account_id and a.event = t.name)
        or exists (select from unwanted u where u.account_id = t.account_id and u.event = t.name
          and (u.key is null or u.event_id in (select delivery_id from claimed)))
      order by 1, 2
      on conflict do nothing
    )
  `;
}

/** Writes the `traceparent` of recorded events. Empty without a traced event, so the others pay nothing for the table. */
function tracedOf(sql: Sql, events: readonly FanOut[]): Fragment {
  const traced = events.flatMap(({ id, traceparent }) => (traceparent ? [{ id, traceparent }] : []));
  if (traced.length === 0) return sql``;
  return sql`
    traced as (
      insert into traces (id, traceparent)
      select t.id, t.traceparent from unnest(
        ${plainArrayOf(traced.map(({ id }) => id))}::uuid[],
        ${arrayOf(traced.map(({ traceparent }) => traceparent))}::text[]
      ) as t(id, traceparent)
      where t.id in (select id from recorded)
    ),
  `;
}

/** Selects the statement's answer in the columns of `EventRow`. */
function answerRows(sql: Sql, { keepsEvents }: Rules): Fragment {
  return sql`
    select event_id as "eventId", 'accepted' as kind, id, endpoint_id as "endpointId", partition, revision, sequence,
      not is_active as "isHeld", null::bigint as limit, null::bigint as made
    from accepted
    union all
    select distinct event_id, case when used + price > monthly_limit then 'over_monthly_limit' else 'later' end,
      null::uuid, null::uuid, null::smallint, null::integer, null::bigint, null::boolean, monthly_limit, null::bigint
    from priced where monthly_limit is not null and used + price_so_far > monthly_limit
    union all
    select distinct event_id, obstacle, null::uuid, null::uuid, null::smallint, null::integer, null::bigint, null::boolean,
      null::bigint, made + ${MAX_DELIVERIES}::bigint - left_of_request
    from matched where obstacle is not null
    union all
    select event_id, 'later', null, null, null, null, null, null, null, null
    from asked a where a.open and a.n not in (select n from input)
    union all
    ${keepsEvents ? sql`select event_id, 'skipped', null, endpoint_id, null, null, null, null, null, null from skipped union all` : sql``}
    select n.event_id, 'nobody', null, null, null, null, null, null, null, null
    from (${keepsEvents ? sql`select id as event_id from recorded` : sql`select delivery_id as event_id from claimed`}) n
    where not exists (select from accepted a where a.event_id = n.event_id)
  `;
}
