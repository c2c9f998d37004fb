import type { Sql } from "../../db/pool";
import { arrayOf } from "../../db/sql/arrays";
import { isKey, lifetime } from "../../db/sql/idempotency-key";
import { intervalOf } from "../../db/sql/time";
import type { AccountId, EndpointId } from "../../domain/ids";
import type { UsageKey } from "../usage-shard";
import type { CachedEndpoint } from "./endpoint-cache";
import type { Send } from "./send";

/** Reads the endpoints in one snapshot, without deleted ones. */
export async function readEndpoints(
  sql: Sql,
  ids: readonly EndpointId[],
): Promise<Map<EndpointId, CachedEndpoint>> {
  const rows = await sql<(CachedEndpoint & { id: EndpointId })[]>`
    select m.endpoint_id as id, e.account_id as "accountId", m.partition, m.filter_revision as "filterRevision",
      e.event_types as filter, e.feed as "isFeed"
    from mailboxes m join endpoints e on e.id = m.endpoint_id
    where m.endpoint_id = any(${arrayOf(ids)}::uuid[])
  `;
  return new Map(rows.map(({ id, ...endpoint }) => [id, endpoint]));
}

/** Returns the sends whose keys were taken when their commit began, `agoMs` ago: a key may expire while the commit waits. */
export async function readTaken(sql: Sql, sends: readonly Send[], agoMs: number): Promise<Set<Send>> {
  const keyed = sends.filter(({ idempotency }) => idempotency !== null);
  if (keyed.length === 0) return new Set();
  const rows = await sql<{ n: number }[]>`
    select i.n from unnest(
      ${arrayOf(keyed.map(({ accountId }) => accountId))}::uuid[],
      ${arrayOf(keyed.map(({ idempotency }) => idempotency?.key ?? null))}::text[]
    ) with ordinality as i(account_id, key, n)
    join idempotency_keys k on ${isKey(sql, "i")} and k.created_at + ${lifetime(sql)} > now() - ${intervalOf(sql, agoMs)}
  `;
  return new Set(rows.flatMap(({ n }) => keyed[n - 1] ?? []));
}

/** Reads the monthly limit of each account that has one, and how many deliveries are left of it. */
export async function readMonths(
  sql: Sql,
  accounts: readonly AccountId[],
  { period }: UsageKey,
): Promise<Map<AccountId, { limit: number; left: number }>> {
  const rows = await sql<{ id: AccountId; limit: number; left: number }[]>`
    select a.id, p.webhooks_per_month as limit, p.webhooks_per_month - coalesce((
        select sum(u.used)::bigint from usage u where u.account_id = a.id and u.period = ${period}::date
      ), 0) as left
    from accounts a join plans p on p.name = a.plan
    where a.id = any(${arrayOf(accounts)}::uuid[]) and p.webhooks_per_month is not null
  `;
  return new Map(rows.map(({ id, limit, left }) => [id, { limit, left }]));
}
