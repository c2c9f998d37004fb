import { type AnySql, isPlanOutOfDate, statement } from "../db/pool";
import { arrayOf, plainArrayOf, sparseArrayOf } from "../db/sql/arrays";
import { LIFETIME } from "../db/sql/idempotency-key";
import type { EndpointId } from "../domain/ids";
import { SCHEDULED } from "../domain/partition";
import { type CommitPlan, EXCLUDED, LATER } from "./commit-plan";
import type { JustAccepted } from "./new-delivery";
import type { UsageKey, UsedEventType } from "./usage";

/** Separates payloads. No JSON text contains it: control characters must be escaped (RFC 8259, section 7). */
const BETWEEN_PAYLOADS = "\u0001";
/** In place of the payload of a delivery that shares its event's. */
const SHARED_PAYLOAD = "\u0002";

/** The statement's parameters. Indexes count from 1, as Postgres counts. */
const PARAMETERS = {
  accountIds: "uuid[]",
  accountCounts: "integer[]",
  endpointIds: "uuid[]",
  accountIndexes: "integer[]",
  endpointCounts: "integer[]",
  partitions: "smallint[]",
  filterRevisions: "integer[]",
  ids: "uuid[]",
  endpointIndexes: "integer[]",
  nths: "integer[]",
  events: "text[]",
  orderingKeys: "text[]",
  dues: "float8[]",
  payloads: "text",
  keyedIds: "uuid[]",
  keyedAccountIndexes: "integer[]",
  keys: "text[]",
  fingerprints: "bytea[]",
  countedAccountIndexes: "integer[]",
  countedEvents: "text[]",
  eventCounts: "integer[]",
  cancelledCounts: "integer[]",
  newTypeAccountIds: "uuid[]",
  newTypes: "text[]",
  tracedIds: "uuid[]",
  traceparents: "text[]",
  period: "date",
  shard: "smallint",
} as const;

/** Further parameters of a commit with events, reports or replays. */
const EVENT_PARAMETERS = {
  audienceIds: "uuid[]",
  audienceRevisions: "integer[]",
  externalIds: "text[]",
  replaysOf: "uuid[]",
  eventIds: "uuid[]",
  eventAccountIndexes: "integer[]",
  eventNames: "text[]",
  eventOrderingKeys: "text[]",
  eventExternalIds: "text[]",
  deliveryCounts: "smallint[]",
  inactive: "text[]",
  refusedBy: "text[]",
  eventPayloads: "text",
  reports: "bigint[]",
} as const;

type ParameterTexts<Parameters> = Readonly<Record<keyof Parameters, string>>;

/** Each endpoint's last sequence before this commit, and its revision. */
type MailboxesMoved = { before: string; revisions: string };

/** The parts of the statement that only events, reports and replays need. Without them, webhooks pay nothing for them. */
type EventParts = Readonly<{
  first: string;
  isCurrent: string;
  column: string;
  value: string;
  last: string;
  isWhole: string;
}>;

const NO_PARTS: EventParts = {
  first: "",
  isCurrent: "true",
  column: "",
  value: "",
  last: "",
  isWhole: "true",
};

/** Marks the statement, so that it can be found in `pg_stat_activity` while it runs. */
export const ACCEPTS_EVENTS = "/* accepts events */";

function eventParts(the: ParameterTexts<typeof PARAMETERS & typeof EVENT_PARAMETERS>): EventParts {
  return {
    // Writes nothing if an account's endpoints have changed since they were read.
    first: `
      known as materialized (
        select count(*) = cardinality(${the.audienceIds}) as is_current ${ACCEPTS_EVENTS}
        from unnest(${the.audienceIds}, ${the.audienceRevisions}) as r(id, revision)
        join accounts a on a.id = r.id and a.audience_revision = r.revision
      ),
      reported as (delete from feed_outbox where id = any(${the.reports}) and (select is_current from known) returning 1),
    `,
    isCurrent: "(select is_current from known)",
    column: ", event_external_id, replay_of",
    value: `, unnest(${the.externalIds}) as event_external_id, unnest(${the.replaysOf}) as replay_of`,
    isWhole: `(select count(*) from reported) = cardinality(${the.reports})`,
    last: `,
      recorded as (
        insert into events (id, account_id, event, ordering_key, external_id, data, delivery_count, inactive, refused_by)
        select e.id, (${the.accountIds})[e.account], e.event, e.ordering_key, e.external_id, e.data, e.deliveries,
          e.inactive::uuid[], e.refused_by::uuid[]
        from whole, lateral (
          select unnest(${the.eventIds}) as id, unnest(${the.eventAccountIndexes}) as account,
            unnest(${the.eventNames}) as event, unnest(${the.eventOrderingKeys}) as ordering_key,
            unnest(${the.eventExternalIds}) as external_id, unnest(${the.deliveryCounts}) as deliveries,
            unnest(${the.inactive}) as inactive, unnest(${the.refusedBy}) as refused_by,
            unnest(string_to_array(${the.eventPayloads}, '${BETWEEN_PAYLOADS}')) as data
        ) e
      )`,
  };
}

function textOf(the: ParameterTexts<typeof PARAMETERS>, events: EventParts): string {
  return `
    with ${events.first} moved as (
      update mailboxes m set last_sequence = m.last_sequence + i.count
      from unnest(${the.endpointIds}, ${the.filterRevisions}, ${the.endpointCounts})
        with ordinality as i(endpoint_id, filter_revision, count, index)
      where m.endpoint_id = i.endpoint_id and m.filter_revision = i.filter_revision and ${events.isCurrent}
      returning i.index, m.last_sequence - i.count as before, m.revision
    ),
    -- Aborts the statement if an endpoint has changed since it was read.
    boxes as materialized (
      select array_agg(before order by index) as before, array_agg(revision order by index) as revisions,
        case when count(*) = cardinality(${the.endpointIds}) then true else plan_out_of_date() end as is_whole
      from moved having count(*) > 0 or (cardinality(${the.endpointIds}) = 0 and ${events.isCurrent})
    ),
    claimed as (
      insert into idempotency_keys as k (account_id, key, fingerprint, delivery_id)
      select (${the.accountIds})[c.account], c.key, c.fingerprint, c.id
      from boxes, unnest(${the.keyedAccountIndexes}, ${the.keys}, ${the.fingerprints}, ${the.keyedIds})
        as c(account, key, fingerprint, id)
      order by 1, 2
      on conflict (account_id, key) do update
        set fingerprint = excluded.fingerprint, delivery_id = excluded.delivery_id,
          created_at = now(), status = null, response = null
        where k.created_at <= now() - ${LIFETIME}
      returning 1
    ),
    -- The month of each account, and the stamp of what it accepts now.
    months as materialized (
      select a.id, i.index, i.count, p.webhooks_per_month as most, stamp(a.era, pg_current_xact_id()) as stamp
      from boxes, unnest(${the.accountIds}, ${the.accountCounts}) with ordinality as i(account_id, count, index)
      join accounts a on a.id = i.account_id
      join plans p on p.name = a.plan
      order by i.index
    ),
    -- Accounts with a limit have one row for all processes. A commit that waited for it checks the limit again.
    held as (
      update usage u set used = u.used + m.count from months m
      where m.most is not null and m.count > 0 and u.account_id = m.id and u.period = ${the.period} and u.shard = 0
        and u.used + m.count + (
          select coalesce(sum(o.used), 0) from usage o where o.account_id = m.id and o.period = ${the.period} and o.shard <> 0
        ) <= m.most
      returning 1
    ),
    whole as materialized (
      select before, (select array_agg(stamp order by index) from months) as stamps, case
          when (select count(*) from claimed) = cardinality(${the.keys})
            and (select count(*) from held) = (select count(*) from months where most is not null and count > 0)
            and ${events.isWhole} then true
          else plan_out_of_date()
        end as is_whole
      from boxes
    ),
    used as (
      insert into usage as u (account_id, period, shard, used)
      select m.id, ${the.period}, ${the.shard}, m.count from whole, months m where m.most is null and m.count > 0
      on conflict (account_id, period, shard) do update set used = u.used + excluded.used
    ),
    stored as (
      insert into deliveries
        (id, account_id, endpoint_id, transaction, sequence, event, ordering_key, due_at, data${events.column})
      select s.id, (${the.accountIds})[(${the.accountIndexes})[s.index]], (${the.endpointIds})[s.index],
        stamps[(${the.accountIndexes})[s.index]],
        case when s.nth > 0 then before[s.index] + s.nth end, s.event, s.ordering_key, to_timestamp(s.due / 1000), s.data${events.column}
      from whole, lateral (
        select unnest(${the.ids}) as id, unnest(${the.endpointIndexes}) as index, unnest(${the.nths}) as nth,
          unnest(${the.events}) as event, unnest(${the.orderingKeys}) as ordering_key,
          unnest(${the.dues}) as due,
          unnest(string_to_array(${the.payloads}, '${BETWEEN_PAYLOADS}', '${SHARED_PAYLOAD}')) as data${events.value}
      ) s
    ),
    queued as (
      insert into queue (partition, endpoint_id, sequence, delivery_id, account_id, ordering_key)
      select (${the.partitions})[s.index], (${the.endpointIds})[s.index], before[s.index] + s.nth, s.id,
        (${the.accountIds})[(${the.accountIndexes})[s.index]], s.ordering_key
      from whole, lateral (
        select unnest(${the.ids}) as id, unnest(${the.endpointIndexes}) as index, unnest(${the.nths}) as nth,
          unnest(${the.orderingKeys}) as ordering_key
      ) s
      where s.nth > 0
    ),
    scheduled as (
      insert into queue
        (partition, endpoint_id, sequence, delivery_id, account_id, ordering_key, next_attempt_at)
      select ${SCHEDULED}, (${the.endpointIds})[s.index], nextval('scheduled_number'), s.id,
        (${the.accountIds})[(${the.accountIndexes})[s.index]], s.ordering_key, to_timestamp(s.due / 1000)
      from whole, unnest(${the.ids}, ${the.endpointIndexes}, ${the.nths}, ${the.orderingKeys}, ${the.dues})
        as s(id, index, nth, ordering_key, due)
      where s.nth = ${LATER}
    ),
    excluded_by_filter as (
      insert into results (delivery_id, account_id, endpoint_id, status, attempt_count, end_reason, completed_at)
      select s.id, (${the.accountIds})[(${the.accountIndexes})[s.index]], (${the.endpointIds})[s.index],
        'cancelled', 0, 'event_filter', now()
      from whole, unnest(${the.ids}, ${the.endpointIndexes}, ${the.nths}) as s(id, index, nth)
      where s.nth = ${EXCLUDED}
    ),
    counted as (
      insert into counter_deltas (account_id, event, accepted, cancelled)
      select (${the.accountIds})[e.account], e.event, e.accepted, e.cancelled
      from whole, unnest(${the.countedAccountIndexes}, ${the.countedEvents}, ${the.eventCounts}, ${the.cancelledCounts})
        as e(account, event, accepted, cancelled)
    ),
    registered as (
      insert into event_types (account_id, name)
      select t.account_id, t.name from whole, unnest(${the.newTypeAccountIds}, ${the.newTypes}) as t(account_id, name)
      order by 1, 2
      on conflict do nothing
    ),
    traced as (
      insert into traces (id, traceparent)
      select t.id, t.traceparent from whole, unnest(${the.tracedIds}, ${the.traceparents}) as t(id, traceparent)
    )${events.last}
    select coalesce(array_to_string(before, ','), '') as before, coalesce(array_to_string(revisions, ','), '') as revisions, is_whole
    from boxes
  `;
}

const acceptWebhooks = statement<MailboxesMoved, keyof typeof PARAMETERS>(PARAMETERS, (the) =>
  textOf(the, NO_PARTS),
);
const ALL_PARAMETERS = { ...PARAMETERS, ...EVENT_PARAMETERS };
const acceptAll = statement<MailboxesMoved, keyof typeof ALL_PARAMETERS>(ALL_PARAMETERS, (the) =>
  textOf(the, eventParts(the)),
);

export type AcceptOptions = Readonly<{
  usageKey: UsageKey;
  /** Event types that the process has not seen yet. */
  newEventTypes: readonly UsedEventType[];
}>;

/**
 * Writes a whole plan in one statement, or nothing. Returns null if the plan is wrong: an endpoint or an account's endpoints have
 * changed since they were read, a key is taken, a report is sent, or a monthly limit has too little left. A wrong plan may abort
 * the transaction that it runs in.
 *
 * Locks mailboxes in the order of their ids (which needs a query plan by key, see `BY_KEY`), and assigns sequences under these
 * locks: so commits have the order of the sequences, without gaps. Then claims keys, then counts usage, so a key, its delivery
 * and the count commit together. A plan must not have two items with the same key. Postgres runs the steps that no other step
 * reads from the last to the first.
 */
export async function accept(
  sql: AnySql,
  plan: CommitPlan,
  options: AcceptOptions,
): Promise<JustAccepted[] | null> {
  try {
    const values = valuesOf(plan, options);
    const hasEvents = plan.addressed.values().some(({ kind }) => kind !== "webhook");
    const [row] = await (hasEvents
      ? acceptAll(sql, { ...values, ...eventValuesOf(plan) })
      : acceptWebhooks(sql, values));
    return row ? rowsOf(plan, row.before.split(","), row.revisions.split(",")) : null;
  } catch (error) {
    if (isPlanOutOfDate(error)) return null;
    throw error;
  }
}

function valuesOf(
  { endpoints, deliveries, accounts, addressed }: CommitPlan,
  { usageKey: { period, shard }, newEventTypes }: AcceptOptions,
) {
  const indexes = new Map(accounts.map(({ id, index }) => [id, index + 1]));
  const events = accounts.flatMap(({ index, events: counted }) =>
    [...counted].map(([name, count]) => ({ account: index + 1, name, ...count })),
  );
  const items = [...addressed];
  const keyed = items.flatMap(([{ id, accountId, idempotency }, { kind }]) =>
    idempotency === null || kind === "report"
      ? []
      : [{ id, account: indexes.get(accountId) ?? 0, ...idempotency }],
  );
  const traced = items.flatMap(([{ id, traceparent }]) => (traceparent ? [{ id, traceparent }] : []));
  return {
    accountIds: plainArrayOf(accounts.map((each) => each.id)),
    accountCounts: plainArrayOf(accounts.map((each) => each.count)),
    endpointIds: plainArrayOf(endpoints.map((each) => each.id)),
    accountIndexes: plainArrayOf(endpoints.map((each) => each.account.index + 1)),
    endpointCounts: plainArrayOf(endpoints.map((each) => each.count)),
    partitions: plainArrayOf(endpoints.map((each) => each.partition)),
    filterRevisions: plainArrayOf(endpoints.map((each) => each.filterRevision)),
    ids: plainArrayOf(deliveries.map(({ id }) => id)),
    endpointIndexes: plainArrayOf(deliveries.map(({ endpoint }) => endpoint.index + 1)),
    nths: plainArrayOf(deliveries.map(({ nth }) => nth)),
    events: arrayOf(deliveries.map(({ item }) => item.event)),
    orderingKeys: sparseArrayOf(deliveries.map(({ item }) => item.orderingKey)),
    dues: sparseArrayOf(deliveries.map(({ item, nth }) => (nth === LATER ? (item.dueAt ?? null) : null))),
    // Cheaper than an array literal, whose quotes must be escaped here and parsed there.
    payloads: deliveries
      .map(({ item, kind }) => (kind === "event" || kind === "missing" ? SHARED_PAYLOAD : item.data))
      .join(BETWEEN_PAYLOADS),
    keyedIds: plainArrayOf(keyed.map(({ id }) => id)),
    keyedAccountIndexes: plainArrayOf(keyed.map(({ account }) => account)),
    keys: arrayOf(keyed.map(({ key }) => key)),
    fingerprints: arrayOf(keyed.map(({ fingerprint }) => fingerprint)),
    countedAccountIndexes: plainArrayOf(events.map((each) => each.account)),
    countedEvents: arrayOf(events.map((each) => each.name)),
    eventCounts: plainArrayOf(events.map((each) => each.accepted)),
    cancelledCounts: plainArrayOf(events.map((each) => each.cancelled)),
    newTypeAccountIds: plainArrayOf(newEventTypes.map(({ accountId }) => accountId)),
    newTypes: arrayOf(newEventTypes.map(({ name }) => name)),
    tracedIds: plainArrayOf(traced.map(({ id }) => id)),
    traceparents: arrayOf(traced.map(({ traceparent }) => traceparent)),
    period,
    shard,
  };
}

function eventValuesOf({ accounts, addressed, deliveries }: CommitPlan) {
  const indexes = new Map(accounts.map(({ id, index }) => [id, index + 1]));
  const fanOuts = [...addressed].flatMap(([item, to]) => ("revision" in to ? [{ item, ...to }] : []));
  const events = fanOuts.filter(({ kind }) => kind === "event");
  const reports = fanOuts.flatMap(({ kind, item }) =>
    kind === "report" && item.idempotency ? [Number(item.idempotency.key)] : [],
  );
  return {
    audienceIds: plainArrayOf(fanOuts.map(({ item }) => item.accountId)),
    audienceRevisions: plainArrayOf(fanOuts.map(({ revision }) => revision)),
    externalIds: sparseArrayOf(deliveries.map(({ item }) => item.externalId ?? null)),
    replaysOf: sparseArrayOf(deliveries.map(({ item }) => item.replayOf ?? null)),
    eventIds: plainArrayOf(events.map(({ item }) => item.id)),
    eventAccountIndexes: plainArrayOf(events.map(({ item }) => indexes.get(item.accountId) ?? 0)),
    eventNames: arrayOf(events.map(({ item }) => item.event)),
    eventOrderingKeys: sparseArrayOf(events.map(({ item }) => item.orderingKey)),
    eventExternalIds: sparseArrayOf(events.map(({ item }) => item.externalId ?? null)),
    deliveryCounts: plainArrayOf(events.map(({ targets }) => targets.length)),
    inactive: sparseArrayOf(events.map(({ inactive }) => listOf(inactive))),
    refusedBy: sparseArrayOf(events.map(({ refusedBy }) => listOf(refusedBy))),
    eventPayloads: events.map(({ item }) => item.data).join(BETWEEN_PAYLOADS),
    reports: plainArrayOf(reports),
  };
}

/** Writes a list within a list; null for an empty one. */
function listOf(ids: readonly EndpointId[]): string | null {
  return ids.length === 0 ? null : plainArrayOf(ids.toSorted());
}

/** `before` and `revisions` are in the order of the plan's endpoints. */
function rowsOf(
  { deliveries }: CommitPlan,
  before: readonly string[],
  revisions: readonly string[],
): JustAccepted[] {
  return deliveries.map(({ id, item, endpoint: { id: endpointId, index, partition }, nth }) => {
    const { event, orderingKey, dueAt: due = null } = item;
    const sequence = nth > 0 ? Number(before[index]) + nth : null;
    const dueAt = nth === LATER ? due : null;
    const revision = Number(revisions[index]);
    return { id, endpointId, event, orderingKey, sequence, dueAt, partition, revision };
  });
}
