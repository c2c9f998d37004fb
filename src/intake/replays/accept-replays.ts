import type { AnySql, Fragment, TransactionSql } from "../../db/pool";
import { arrayOf } from "../../db/sql/arrays";
import { filterMatchesSql } from "../../db/sql/event-filter";
import { lastIdSql, numberedIdSql, payloadOf } from "../../db/sql/event-key";
import { isAtOrigin } from "../../db/sql/origin";
import type { AccountId, DeliveryId, EndpointId, EventId } from "../../domain/ids";
import { accept } from "../accept";
import { type Addressees, type CommitItem, planCommit } from "../commit-plan";
import { ensureUsageRows, type UsageKey } from "../usage";

/** A delivery to send again, and the id of the new delivery. */
export type NumberedReplay = Readonly<{ id: DeliveryId; source: DeliveryId }>;

/** A delivery or event to send again, as it was found, and the endpoint whose mailbox is locked. */
type FoundReplay<Source> = {
  id: DeliveryId;
  source: Source;
  /** The first delivery of this payload: `source`, or the one that `source` is a replay of; null for an event. */
  replayOf: DeliveryId | null;
  endpointId: EndpointId;
  event: string | null;
  orderingKey: string | null;
  externalId: string | null;
  partition: number;
  revision: number;
  filterRevision: number;
  isWanted: boolean;
  /** Null for a new delivery of an event, which shares the event's payload. */
  data: string | null;
};

type ReplayVerdict = { accepted: true; sequence: number | null } | { accepted: false; limit: number };

/** The result for one delivery. A delivery without a row has no payload or no endpoint any more. */
export type ReplayRow = FoundReplay<DeliveryId> & { replayOf: DeliveryId } & ReplayVerdict;
/** The result for one event. An event without a row is erased, or the endpoint does not want it any more. */
export type MissingRow = FoundReplay<EventId> & ReplayVerdict;

/**
 * A plan was wrong although its rows were locked: the account has just got a limit. Has the code of a serialization failure, so
 * the transaction is repeated.
 */
class ReplayOutOfDate extends Error {
  readonly code = "40001";
}

/**
 * Sends deliveries again, in the order given: each becomes a new delivery at the end of its endpoint's order, under the same
 * rules as a send.
 *
 * Commits with the caller's transaction. Locks the endpoints' mailboxes until then, and the deliveries against an erasure. If an
 * erasure is under way, waits for it and finds the payload gone.
 *
 * `atOriginOnly` leaves out what is older than the last change of its endpoint's origin, and what the endpoint's filter excluded.
 */
export async function acceptReplays(
  sql: TransactionSql,
  accountId: AccountId,
  replays: readonly NumberedReplay[],
  usageKey: UsageKey,
  atOriginOnly: boolean,
): Promise<ReplayRow[]> {
  await ensureUsageRows(sql, [accountId], usageKey);
  const found = await sql<(FoundReplay<DeliveryId> & { replayOf: DeliveryId })[]>`
    with input as materialized (
      select * from unnest(
        ${arrayOf(replays.map(({ id }) => id))}::uuid[],
        ${arrayOf(replays.map(({ source }) => source))}::uuid[]
      ) with ordinality as r(id, source, n)
    ),
    located as materialized (
      select r.*, coalesce(i.replay_of, i.id) as replay_of, i.account_id, i.event, i.ordering_key, i.event_external_id,
        ${mailboxOf(sql)}, ${sql.unsafe(filterMatchesSql)} as is_wanted
      from input r
      -- Looked up one by one (see deliveryById), and locked against an erasure. Reads no payload: it would be sorted too.
      cross join lateral (
        select x.id, x.account_id, x.endpoint_id, x.event, x.ordering_key, x.replay_of, x.event_external_id, x.sequence from deliveries x
        where x.account_id = ${accountId} and x.id = r.source and x.data is distinct from ''
        limit 1 for key share
      ) i
      join mailboxes m on m.endpoint_id = i.endpoint_id
      join endpoints e on e.id = m.endpoint_id
      where not ${atOriginOnly} or ${isAtOrigin(sql, "i")}
      order by m.endpoint_id, r.n
      for update of m
    )
    select ${foundColumns(sql)}, replay_of as "replayOf", is_wanted as "isWanted", (
      select ${payloadOf(sql, "d")} from deliveries d where d.account_id = l.account_id and d.id = l.source
    ) as data
    from located l order by n
  `;
  return acceptFound(sql, accountId, found, usageKey);
}

/**
 * Makes deliveries of events that the endpoint has no delivery of, in the order given. The id of each follows those of the
 * event's other deliveries, so it is found with them, shares the payload, and is dropped with the event.
 *
 * Commits with the caller's transaction. Locks the events until then, against an erasure and against other transactions that
 * add deliveries to them.
 */
export async function acceptMissing(
  sql: TransactionSql,
  { accountId, endpointId }: Readonly<{ accountId: AccountId; endpointId: EndpointId }>,
  events: readonly EventId[],
  usageKey: UsageKey,
): Promise<MissingRow[]> {
  await ensureUsageRows(sql, [accountId], usageKey);
  // Locks in a statement of its own: the snapshot of the next one has all that was committed before the locks were granted.
  await sql`
    select from (select unnest(${arrayOf(events)}::uuid[]) as id order by 1) r
    cross join lateral (
      select from events x where x.account_id = ${accountId} and x.id = r.id limit 1 for no key update
    ) locked
  `;
  const found = await sql<FoundReplay<EventId>[]>`
    with located as materialized (
      select r.n, i.id as source, i.event, i.ordering_key, i.external_id as event_external_id, ${mailboxOf(sql)},
        ${sql.unsafe(numberedIdSql("i.id", "1 + coalesce(l.number, 0)"))} as id
      from unnest(${arrayOf(events)}::uuid[]) with ordinality as r(id, n)
      cross join lateral (
        select * from events x where x.account_id = ${accountId} and x.id = r.id and x.data <> '' limit 1
      ) i
      left join lateral (
        select ('x' || right(d.id::text, 4))::bit(16)::integer as number from deliveries d
        where d.account_id = ${accountId} and d.id > i.id and d.id <= ${sql.unsafe(lastIdSql("i.id"))}
        order by d.id desc limit 1
      ) l on true
      join mailboxes m on m.endpoint_id = ${endpointId}
      join endpoints e on e.id = m.endpoint_id
      where ${sql.unsafe(filterMatchesSql)}
      order by r.n
      for update of m
    )
    select ${foundColumns(sql)}, null as "replayOf", true as "isWanted", null as data from located order by n
  `;
  const rows = await acceptFound(sql, accountId, found, usageKey);
  await markNumberedLater(sql, accountId, rows);
  return rows;
}

/** Notes that the sequences do not have the order of the ids. See `deliveries.isNumberedLater`. */
async function markNumberedLater(
  sql: TransactionSql,
  accountId: AccountId,
  rows: readonly MissingRow[],
): Promise<void> {
  const ids = rows.filter(({ accepted }) => accepted).map(({ id }) => id);
  // The account is a column: as a parameter it would let a plan scan all rows of the account (see deliveryById).
  await sql`
    with marked as materialized (
      select i.id, ${accountId}::uuid as account_id from unnest(${arrayOf(ids)}::uuid[]) as i(id)
    )
    update deliveries d set is_numbered_later = true
    from marked m where d.account_id = m.account_id and d.id = m.id
  `;
}

/** The columns of a mailbox `m` that a plan takes. */
const mailboxOf = (sql: AnySql): Fragment => sql`m.endpoint_id, m.partition, m.revision, m.filter_revision`;
const foundColumns = (sql: AnySql): Fragment => sql`
  id, source, endpoint_id as "endpointId", event, ordering_key as "orderingKey", event_external_id as "externalId",
  partition, revision, filter_revision as "filterRevision"`;

/** Accepts as many as the month has left, in their order. */
async function acceptFound<Row extends FoundReplay<DeliveryId | EventId>>(
  sql: TransactionSql,
  accountId: AccountId,
  found: readonly Row[],
  usageKey: UsageKey,
): Promise<(Row & ReplayVerdict)[]> {
  if (found.length === 0) return [];
  const { limit, left } = await lockMonth(sql, accountId, usageKey);
  const plan = planCommit(new Map(found.slice(0, left).map((each) => addressed(accountId, each))));
  const rows = left > 0 ? await accept(sql, plan, { usageKey, newEventTypes: [] }) : [];
  if (!rows) throw new ReplayOutOfDate("the month's limit has changed during a replay");
  return found.map((each, i) => {
    const row = rows[i];
    return row ? { ...each, accepted: true, sequence: row.sequence } : { ...each, accepted: false, limit };
  });
}

function addressed(
  accountId: AccountId,
  {
    id,
    endpointId,
    event,
    orderingKey,
    externalId,
    data,
    replayOf,
    ...endpoint
  }: FoundReplay<DeliveryId | EventId>,
): [CommitItem, Addressees] {
  const item = {
    id,
    accountId,
    event,
    orderingKey,
    externalId,
    data: data ?? "",
    replayOf,
    idempotency: null,
  };
  const { partition, filterRevision, isWanted } = endpoint;
  const target = { deliveryId: id, endpointId, partition, filterRevision, isWanted };
  return [item, { kind: data === null ? "missing" : "replay", targets: [target] }];
}

/**
 * Locks the month of an account with a limit, after the mailboxes like every commit, and returns how many deliveries it has left.
 * Without a limit, any number is left.
 */
async function lockMonth(
  sql: TransactionSql,
  accountId: AccountId,
  { period }: UsageKey,
): Promise<{ limit: number; left: number }> {
  const [month] = await sql<{ limit: number; left: number }[]>`
    select p.webhooks_per_month as limit, greatest(0, p.webhooks_per_month - u.used - (
        select coalesce(sum(o.used), 0)::bigint from usage o
        where o.account_id = u.account_id and o.period = u.period and o.shard <> 0
      )) as left
    from usage u
    join accounts a on a.id = u.account_id
    join plans p on p.name = a.plan
    where u.account_id = ${accountId} and u.period = ${period}::date and u.shard = 0 and p.webhooks_per_month is not null
    for update of u
  `;
  return month ?? { limit: Number.POSITIVE_INFINITY, left: Number.POSITIVE_INFINITY };
}
