import type { AnySql, Fragment, TransactionSql } from "../../db/pool";
import { arrayOf } from "../../db/sql/arrays";
import { filterMatchesSql } from "../../db/sql/event-filter";
import { lastIdSql, numberedIdSql } from "../../db/sql/event-key";
import type { AccountId, EndpointId, EventId } from "../../domain/ids";
import { consequences } from "../acceptance";
import { ensureUsageRows, type UsageKey } from "../usage-shard";
import { answersOf, pricedBy, type ReplayRow } from "./accept-replays";

/** The result for one event. An event without a row is erased, or the endpoint does not want it any more. */
export type MissingRow = Omit<ReplayRow, "source" | "replayOf" | "accepted"> & { source: EventId } & (
    | { accepted: true; sequence: number }
    | { accepted: false; limit: number }
  );

/**
 * Makes deliveries of events that the endpoint has no delivery of, in the order given. The id of each follows those of the
 * event's other deliveries, so it is found with them, shares the payload, and is dropped with the event.
 *
 * Commits with the caller's transaction. Locks the events until then, against an erasure and against other transactions that
 * add deliveries to them.
 */
export async function acceptMissing(
  sql: TransactionSql,
  target: Readonly<{ accountId: AccountId; endpointId: EndpointId }>,
  events: readonly EventId[],
  usageKey: UsageKey,
): Promise<MissingRow[]> {
  await ensureUsageRows(sql, [target.accountId], usageKey);
  // Locks in a statement of its own: the snapshot of the next one has all that was committed before the locks were granted.
  await sql`
    select from (select unnest(${arrayOf(events)}::uuid[]) as id order by 1) r
    cross join lateral (
      select from events x where x.account_id = ${target.accountId} and x.id = r.id limit 1 for no key update
    ) locked
  `;
  return sql<MissingRow[]>`
    with ${located(sql, target, events)},
    ${pricedBy(sql, usageKey)},
    accepted as materialized (
      select p.*, last_sequence + row_number() over (order by n) as sequence
      from priced p
      where monthly_limit is null or used + price_so_far <= monthly_limit
    ),
    ${consequences(sql, usageKey, { data: sql`null`, extra: sql`, event_external_id` })}
    ${answersOf(sql)}
  `;
}

function located(
  sql: AnySql,
  { accountId, endpointId }: { accountId: AccountId; endpointId: EndpointId },
  events: readonly EventId[],
): Fragment {
  return sql`
    located as materialized (
      select r.n, i.id as source, i.account_id, i.event, i.ordering_key, i.external_id as event_external_id,
        m.endpoint_id, m.partition, m.revision, m.last_sequence, true as routed,
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
  `;
}
