import { type AnySql, isPlanOutOfDate } from "../../db/pool";
import { arrayOf, plainArrayOf, sparseArrayOf } from "../../db/sql/arrays";
import { LIFETIME } from "../../db/sql/idempotency-key";
import { statement } from "../../db/sql/statement";
import type { DeliveryId } from "../../domain/ids";
import { SCHEDULED } from "../../domain/partition";
import type { UsageKey } from "../usage-shard";
import type { NewEventType } from "../written-rows-cache";
import { type CommitPlan, EXCLUDED, LATER } from "./commit-plan";

/** An accepted send. `sequence` is null if the endpoint's filter excluded it, and while it is scheduled. */
export type AcceptedRow = {
  verdict: "accepted";
  id: DeliveryId;
  partition: number;
  revision: number;
  sequence: number | null;
  /** When it is due, in Unix milliseconds; null if it is not scheduled. */
  dueAt: number | null;
};

/** Separates payloads. No JSON text contains it: control characters must be escaped (RFC 8259, section 7). */
const BETWEEN_PAYLOADS = "\u0001";

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

/** Each endpoint's last sequence before this commit, and its revision. */
type Answer = { before: string; revisions: string };

const accept = statement<Answer, keyof typeof PARAMETERS>(
  PARAMETERS,
  (the) => `
    with moved as (
      update mailboxes m set last_sequence = m.last_sequence + i.count
      from unnest(${the.endpointIds}, ${the.filterRevisions}, ${the.endpointCounts})
        with ordinality as i(endpoint_id, filter_revision, count, index)
      where m.endpoint_id = i.endpoint_id and m.filter_revision = i.filter_revision
      returning i.index, m.last_sequence - i.count as before, m.revision
    ),
    -- Aborts the statement if an endpoint has changed since it was read.
    boxes as materialized (
      select array_agg(before order by index) as before, array_agg(revision order by index) as revisions,
        case when count(*) = cardinality(${the.endpointIds}) then true else plan_out_of_date() end as is_whole
      from moved having count(*) > 0
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
    months as materialized (
      select a.id, i.count, p.webhooks_per_month as most
      from boxes, unnest(${the.accountIds}, ${the.accountCounts}) with ordinality as i(account_id, count, index)
      join accounts a on a.id = i.account_id
      join plans p on p.name = a.plan
      order by i.index
    ),
    -- Accounts with a limit have one row for all processes. A commit that waited for it checks the limit again.
    held as (
      update usage u set used = u.used + m.count from months m
      where m.most is not null and u.account_id = m.id and u.period = ${the.period} and u.shard = 0
        and u.used + m.count + (
          select coalesce(sum(o.used), 0) from usage o where o.account_id = m.id and o.period = ${the.period} and o.shard <> 0
        ) <= m.most
      returning 1
    ),
    whole as materialized (
      select before, case
          when (select count(*) from claimed) = cardinality(${the.keys})
            and (select count(*) from held) = (select count(*) from months where most is not null) then true
          else plan_out_of_date()
        end as is_whole
      from boxes
    ),
    used as (
      insert into usage as u (account_id, period, shard, used)
      select m.id, ${the.period}, ${the.shard}, m.count from whole, months m where m.most is null
      on conflict (account_id, period, shard) do update set used = u.used + excluded.used
    ),
    stored as (
      insert into deliveries (id, account_id, endpoint_id, sequence, event, ordering_key, due_at, data)
      select s.id, (${the.accountIds})[(${the.accountIndexes})[s.index]], (${the.endpointIds})[s.index],
        case when s.nth > 0 then before[s.index] + s.nth end, s.event, s.ordering_key, to_timestamp(s.due / 1000), s.data
      from whole, lateral (
        select unnest(${the.ids}) as id, unnest(${the.endpointIndexes}) as index, unnest(${the.nths}) as nth,
          unnest(${the.events}) as event, unnest(${the.orderingKeys}) as ordering_key,
          unnest(${the.dues}) as due, unnest(string_to_array(${the.payloads}, '${BETWEEN_PAYLOADS}')) as data
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
    )
    select array_to_string(before, ',') as before, array_to_string(revisions, ',') as revisions, is_whole from boxes
  `,
);

export type AcceptOptions = Readonly<{
  usageKey: UsageKey;
  /** Event types that the process has not seen yet. */
  newEventTypes: readonly NewEventType[];
}>;

/**
 * Writes a whole plan in one statement, or nothing. Returns null if the plan is wrong: an endpoint has changed since it was
 * read, a key is taken, or a monthly limit has too little left. A wrong plan may abort the transaction that it runs in.
 *
 * Locks mailboxes in the order of their ids (which needs a query plan by key, see `BY_KEY`), and assigns sequences under these
 * locks: so commits have the order of the sequences, without gaps. Then claims keys, then counts usage, so a key, its delivery
 * and the count commit together. A plan must not have two sends with the same key. Postgres runs the steps that no other step
 * reads from the last to the first.
 */
export async function acceptSends(
  sql: AnySql,
  plan: CommitPlan,
  options: AcceptOptions,
): Promise<AcceptedRow[] | null> {
  try {
    const [row] = await accept(sql, valuesOf(plan, options));
    return row ? rowsOf(plan, row.before.split(","), row.revisions.split(",")) : null;
  } catch (error) {
    if (isPlanOutOfDate(error)) return null;
    throw error;
  }
}

function valuesOf(
  { endpoints, sends, accounts }: CommitPlan,
  { usageKey: { period, shard }, newEventTypes }: AcceptOptions,
) {
  const events = accounts.flatMap(({ index, events: counted }) =>
    [...counted].map(([name, count]) => ({ account: index + 1, name, ...count })),
  );
  const keyed = sends.flatMap(({ send: { id, idempotency }, endpoint: { account } }) =>
    idempotency === null ? [] : [{ id, account: account.index + 1, ...idempotency }],
  );
  const traced = sends.flatMap(({ send: { id, traceparent } }) => (traceparent ? [{ id, traceparent }] : []));
  return {
    accountIds: plainArrayOf(accounts.map((each) => each.id)),
    accountCounts: plainArrayOf(accounts.map((each) => each.count)),
    endpointIds: plainArrayOf(endpoints.map((each) => each.id)),
    accountIndexes: plainArrayOf(endpoints.map((each) => each.account.index + 1)),
    endpointCounts: plainArrayOf(endpoints.map((each) => each.count)),
    partitions: plainArrayOf(endpoints.map((each) => each.partition)),
    filterRevisions: plainArrayOf(endpoints.map((each) => each.filterRevision)),
    ids: plainArrayOf(sends.map(({ send }) => send.id)),
    endpointIndexes: plainArrayOf(sends.map(({ endpoint }) => endpoint.index + 1)),
    nths: plainArrayOf(sends.map(({ nth }) => nth)),
    events: arrayOf(sends.map(({ send }) => send.event)),
    orderingKeys: sparseArrayOf(sends.map(({ send }) => send.orderingKey)),
    dues: sparseArrayOf(sends.map(({ send, nth }) => (nth === LATER ? (send.dueAt ?? null) : null))),
    // Cheaper than an array literal, whose quotes must be escaped here and parsed there.
    payloads: sends.map(({ send }) => send.data).join(BETWEEN_PAYLOADS),
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

/** `before` and `revisions` are in the order of the plan's endpoints. */
function rowsOf(
  { sends }: CommitPlan,
  before: readonly string[],
  revisions: readonly string[],
): AcceptedRow[] {
  return sends.map(({ send: { id, dueAt = null }, endpoint: { index, partition }, nth }) => {
    const sequence = nth > 0 ? Number(before[index]) + nth : null;
    const revision = Number(revisions[index]);
    return { verdict: "accepted", id, partition, revision, sequence, dueAt: nth === LATER ? dueAt : null };
  });
}
