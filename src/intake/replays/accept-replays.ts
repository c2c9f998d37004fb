import type { AnySql, Fragment, TransactionSql } from "../../db/pool";
import { arrayOf } from "../../db/sql/arrays";
import { filterMatchesSql } from "../../db/sql/event-filter";
import { payloadOf } from "../../db/sql/event-key";
import { isAtOrigin } from "../../db/sql/origin";
import type { AccountId, DeliveryId, EndpointId } from "../../domain/ids";
import { consequences, lockUsage } from "../acceptance";
import { ensureUsageRows, type UsageKey } from "../usage-shard";

/** A delivery to send again, and the id of the new delivery. */
export type NumberedReplay = Readonly<{ id: DeliveryId; source: DeliveryId }>;

/** The result for one delivery. A delivery without a row has no payload or no endpoint any more. */
export type ReplayRow = {
  id: DeliveryId;
  /** The delivery that is sent again. */
  source: DeliveryId;
  /** The first delivery of this payload: `source`, or the one that `source` is a replay of. */
  replayOf: DeliveryId;
  endpointId: EndpointId;
  event: string | null;
  orderingKey: string | null;
  partition: number;
  revision: number;
} & ({ accepted: true; sequence: number | null } | { accepted: false; limit: number });

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
  const payload: Fragment = sql`(
    select ${payloadOf(sql, "d")} from deliveries d where d.account_id = accepted.account_id and d.id = accepted.source)`;
  return sql<ReplayRow[]>`
    with ${located(sql, accountId, replays, atOriginOnly)},
    ${pricedBy(sql, usageKey)},
    accepted as materialized (
      select p.*, case when routed then
          last_sequence + row_number() over (partition by endpoint_id, routed order by n) end as sequence
      from priced p
      where monthly_limit is null or used + price_so_far <= monthly_limit
    ),
    ${consequences(sql, usageKey, { data: payload, extra: sql`, replay_of, event_external_id` })}
    ${answersOf(sql, sql`, replay_of as "replayOf"`)}
  `;
}

/** Locks the month's usage, and counts for each row of `located` what it and those before it add to the usage. */
export function pricedBy(sql: AnySql, usageKey: UsageKey): Fragment {
  return sql`
    usage_rows as materialized (
      ${lockUsage(sql, usageKey)}
    ),
    priced as materialized (
      select l.*, m.used, m.monthly_limit, row_number() over (order by l.n) as price_so_far
      from located l
      join usage_rows m on m.account_id = l.account_id
    )
  `;
}

/** Selects the rows of `accepted`, and those of `priced` that are over the monthly limit. `extra`: more columns of both. */
export function answersOf(sql: AnySql, extra: Fragment = sql``): Fragment {
  const columns = sql`id, source, endpoint_id as "endpointId", event, ordering_key as "orderingKey", partition, revision ${extra}`;
  return sql`
    select ${columns}, true as accepted, sequence, null::bigint as limit, n from accepted
    union all
    select ${columns}, false, null, monthly_limit, n from priced where used + price_so_far > monthly_limit
    order by n
  `;
}

/** Selects the deliveries with their endpoints, and locks the mailboxes in the order of the endpoints' ids. */
function located(
  sql: AnySql,
  accountId: AccountId,
  replays: readonly NumberedReplay[],
  atOriginOnly: boolean,
): Fragment {
  return sql`
    input as materialized (
      select * from unnest(
        ${arrayOf(replays.map(({ id }) => id))}::uuid[],
        ${arrayOf(replays.map(({ source }) => source))}::uuid[]
      ) with ordinality as r(id, source, n)
    ),
    located as materialized (
      select r.*, coalesce(i.replay_of, i.id) as replay_of, i.account_id, i.endpoint_id, i.event, i.ordering_key,
        i.event_external_id, m.partition, m.revision, m.last_sequence,
        ${sql.unsafe(filterMatchesSql)} as routed
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
  `;
}
