import type { AnySql, Fragment } from "../db/pool";
import { type AccountId, INSTALLATION } from "../domain/ids";
import type { Description } from "./description";
import { PAGE_BYTES } from "./event-type-limits";

export type EventType = Description & {
  name: string;
  /** The JSON Schema that payloads must match, as JSON text; null accepts everything. */
  schema: string | null;
  /** Number of changes of the schema so far. */
  schemaVersion: number;
  /** The time of its first use or description, Unix milliseconds. */
  createdAt: number;
  /** Whose schema and description it has: the account's, or the installation's for all accounts. */
  source: "installation" | "account";
};

/** An event type, and what follows it in its page. */
type PagedType = EventType & Readonly<{ follower: string | null }>;

/** Reads one event type as an account sees it. */
export async function readVisible(
  sql: AnySql,
  accountId: AccountId,
  name: string,
): Promise<EventType | null> {
  const names: Fragment = sql`select ${name}::text as name`;
  const [type] = await sql<
    EventType[]
  >`select * from (${visible(sql, accountId, names)}) v where "createdAt" is not null`;
  return type ?? null;
}

/** Reads the described event types that an account sees, by name. */
export function readDescribed(
  sql: AnySql,
  accountId: AccountId,
  limit: number,
  beyond: string | undefined,
): Promise<EventType[]> {
  const names: Fragment = sql`
    select distinct name from event_types t
    where t.account_id in (${accountId}, ${INSTALLATION}) and ${isDescribed(sql, sql`t`)}
    ${beyond === undefined ? sql`` : sql`and t.name > ${beyond}`}
    order by name limit ${limit}
  `;
  return sql<EventType[]>`${visible(sql, accountId, names)} order by n.name`;
}

/**
 * Reads the event types that an account sees, the newest first, until their schemas and examples reach `PAGE_BYTES`. An event type
 * of the installation is as old as the account's first use of it.
 */
export function readNewest(
  sql: AnySql,
  accountId: AccountId,
  limit: number,
  beyond: string | undefined,
): Promise<PagedType[]> {
  const newest = (owner: AccountId) => sql`
    select t.name from event_types t
    where t.account_id = ${owner} ${beyond === undefined ? sql`` : sql`and ${isBefore(sql, accountId, beyond)}`}
  `;
  // One more than the page has, since the last one needs to know whether another follows.
  const order = sql`order by t.created_at desc, t.name desc limit ${limit + 1}`;
  const names: Fragment = sql`
    (${newest(accountId)} ${order})
    union all
    (${newest(INSTALLATION)} and not exists (
      select from event_types o where o.account_id = ${accountId} and o.name = t.name
    ) ${order})
  `;
  return sql<PagedType[]>`
    select * from (
      select v.*, lead(name) over newest as follower,
        coalesce(sum(bytes) over (newest rows between unbounded preceding and 1 preceding), 0) as before
      from (
        select *, coalesce(octet_length(schema), 0) + coalesce(octet_length(example), 0) as bytes
        from (${visible(sql, accountId, names)}) v
      ) v
      window newest as (order by "createdAt" desc, name desc)
      order by "createdAt" desc, name desc limit ${limit}
    ) v
    where before < ${PAGE_BYTES}
    order by "createdAt" desc, name desc
  `;
}

/** Selects event types by name: the account's, with the fields of the installation's where its own are absent. */
function visible(sql: AnySql, accountId: AccountId, names: Fragment): Fragment {
  return sql`
    select n.name, coalesce(a.schema, i.schema) as schema,
      coalesce(case when a.schema is null and i.schema is not null then i.schema_version else a.schema_version end, 0)
        as "schemaVersion",
      coalesce(a.description, i.description) as description, coalesce(a."group", i."group") as "group",
      coalesce(a.example, i.example) as example,
      coalesce(a.deprecated, false) or coalesce(i.deprecated, false) as deprecated,
      (extract(epoch from coalesce(a.created_at, i.created_at)) * 1000)::float8 as "createdAt",
      case when ${accountId} <> ${INSTALLATION}::uuid and (i.name is null or coalesce(${isDescribed(sql, sql`a`)}, false))
        then 'account' else 'installation' end as source
    from (${names}) n
    left join event_types a on a.account_id = ${accountId} and a.name = n.name
    left join event_types i on i.account_id = ${INSTALLATION} and i.name = n.name
  `;
}

function isDescribed(sql: AnySql, t: Fragment): Fragment {
  return sql`(
    ${t}.schema is not null or ${t}.description is not null or ${t}."group" is not null or ${t}.example is not null
    or ${t}.deprecated
  )`;
}

// Event types are never removed, so the name is enough to mark the end of the previous page.
function isBefore(sql: AnySql, accountId: AccountId, name: string): Fragment {
  return sql`(t.created_at, t.name) < (
    select created_at, name from event_types where account_id in (${accountId}, ${INSTALLATION}) and name = ${name}
    order by (account_id = ${accountId}) desc limit 1
  )`;
}
