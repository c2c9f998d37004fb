import type { Sql, TransactionSql } from "../db/pool";
import { unixMs } from "../db/sql/time";
import type { AccountId } from "../domain/ids";
import type { ReportContext, StoredReport } from "./feed-event";

/** A report for an account's feed, and what its message says about the account and the endpoint now. */
export type OutboxRow = StoredReport &
  ReportContext & {
    /** Grows with time among the reports about one endpoint. */
    id: number;
    /** The account whose feed gets it. */
    accountId: AccountId;
    /** Unix milliseconds. */
    occurredAt: number;
  };

/** Most pending deliveries of an endpoint that are counted for a report. */
export const MOST_WAITING = 1_000;

/** SQL: the percentages of a month's webhooks at which the use is reported. */
const PERCENT = "(80), (100)";

export async function isOutboxEmpty(sql: Sql): Promise<boolean> {
  const rows = await sql`select from feed_outbox limit 1`;
  return rows.length === 0;
}

/** Limits of the rows that are read together. */
export type OutboxShare = Readonly<{ accounts: number; rowsOfEach: number }>;

/** Reads the oldest rows of the next accounts behind `after`, in the order of ids; null starts at the first account. */
export function readOutbox(
  sql: TransactionSql,
  after: AccountId | null,
  { accounts, rowsOfEach }: OutboxShare,
): Promise<OutboxRow[]> {
  return sql<OutboxRow[]>`
    with recursive hearers as (
      (
        select account_id from feed_outbox where ${after === null ? sql`true` : sql`account_id > ${after}`}
        order by account_id limit 1
      )
      union all
      select (select o.account_id from feed_outbox o where o.account_id > a.account_id order by 1 limit 1)
      from hearers a where a.account_id is not null
    )
    select o.id, o.account_id as "accountId", o.event, o.facts,
      ${unixMs(sql, "o.occurred_at")} as "occurredAt",
      json_build_object('id', b.id, 'name', b.name) as about,
      case when e.id is not null then json_build_object('id', e.id, 'url', e.url, 'description', e.description, 'waiting', (
        select json_build_object('count', count(*), 'complete', count(*) < ${MOST_WAITING}) from (
          select from queue q where q.partition = m.partition and q.endpoint_id = e.id limit ${MOST_WAITING}
        ) q
      )) end as endpoint
    from (select account_id from hearers where account_id is not null limit ${accounts}) a
    cross join lateral (
      select * from feed_outbox where account_id = a.account_id order by id limit ${rowsOfEach}
    ) o
    join accounts b on b.id = o.about
    left join endpoints e on e.id = (o.facts ->> 'endpointId')::uuid
    left join mailboxes m on m.endpoint_id = e.id
    order by o.account_id, o.id
  `;
}

/** Drops a report that can't be sent. */
export async function dropFromOutbox(sql: Sql, id: number): Promise<void> {
  await sql`delete from feed_outbox where id = ${id}`;
}

/** The accounts whose use is looked at in one statement: at most `most`, behind `after` in the order of ids. */
export type UsageSlice = Readonly<{ after: AccountId | null; most: number }>;

/** An id before all others. */
const FIRST = "00000000-0000-0000-0000-000000000000" as AccountId;

/**
 * Reports to feeds that accounts of a slice have used up a share of their month (`period`, its first day). Each share is
 * reported once a month, and again when it is reached again after a larger plan. It follows from the counters, so a crash
 * only delays it. Resolves to the slice's last account, or to null if no accounts are left behind it.
 */
export async function reportUsage(
  sql: Sql,
  period: string,
  { after, most }: UsageSlice,
): Promise<AccountId | null> {
  const behind = after ?? FIRST;
  const [last] = await sql<{ id: AccountId }[]>`
    with heard as materialized (
      select id from (
        (
          select distinct account_id as id from endpoints
          where feed and feed_accounts is null and deleted_at is null and account_id > ${behind}
          order by 1 limit ${most}
        )
        union
        select named.id from endpoints, unnest(feed_accounts) named(id)
        where feed_accounts is not null and deleted_at is null and named.id > ${behind}
        union
        (
          select id from accounts
          where id > ${behind} and exists (
            select from endpoints where feed_accounts = '{}' and feed_accounts is not null and deleted_at is null
          )
          order by 1 limit ${most}
        )
      ) any_feed
      order by 1 limit ${most}
    ),
    shares as materialized (
      select a.id as account_id, share.percent, m.used, p.webhooks_per_month as most,
        m.used > 0 and m.used * 100 >= p.webhooks_per_month * share.percent as is_reached
      from heard f
      cross join lateral (select id, plan from accounts where id = f.id limit 1) a
      join plans p on p.name = a.plan and p.webhooks_per_month is not null
      cross join lateral (
        select coalesce(sum(used), 0)::bigint as used from usage where account_id = a.id and period = ${period}::text::date
      ) m
      cross join (values ${sql.unsafe(PERCENT)}) as share(percent)
    ),
    reached as (select * from shares where is_reached),
    lapsed as (
      delete from usage_notices n using shares s
      where not s.is_reached
        and n.account_id = s.account_id and n.period = ${period}::text::date and n.percent = s.percent
    ),
    noted as (
      insert into usage_notices (account_id, period, percent)
      select account_id, ${period}::text::date, percent from reached order by 1, 3
      on conflict do nothing
      returning account_id, percent
    ),
    reported as (
      insert into feed_outbox (account_id, about, event, facts)
      select h.hearer, account_id, 'usage.limit_near',
        json_build_object('percent', percent, 'used', used, 'limit', most, 'period', ${period}::text)
      from noted join reached using (account_id, percent)
      cross join lateral feed_hearers(account_id) as h(hearer)
      order by account_id, percent
    )
    select id from heard order by 1 offset ${most - 1}
  `;
  return last?.id ?? null;
}
