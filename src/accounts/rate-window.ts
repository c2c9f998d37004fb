import { arrayOf } from "../db/arrays";
import type { Database } from "../db/database";
import type { Sql } from "../db/pool";
import type { AccountId } from "../runtime/ids";

/** How long an allowance lasts, milliseconds; a window begins with the first request in it. */
export const WINDOW_MS = 60_000;

/** A process asks for part of an account's allowance. */
export type LeaseRequest = {
  accountId: AccountId;
  /** Requests in a window. */
  limit: number;
  wanted: number;
};

export type Lease = {
  /** From 0, when nothing is left, to what was wanted. */
  granted: number;
  /** What is left after it. */
  remaining: number;
  /** Until the window ends, milliseconds. */
  endsInMs: number;
};

/** The one place that knows how much of each account's window is taken. At most one request an account. */
export type RateWindows = { lease(requests: readonly LeaseRequest[]): Promise<Lease[]> };

/** The windows of all processes, a row an account. Throws `DatabaseUnavailable`. */
export class SharedWindows implements RateWindows {
  constructor(private readonly db: Database) {}

  async lease(requests: readonly LeaseRequest[]): Promise<Lease[]> {
    const rows = await this.db.run((sql) => leaseMany(sql, requests));
    const byAccount = new Map(rows.map((row) => [row.accountId, row]));
    return requests.map(({ accountId }) => {
      const row = byAccount.get(accountId);
      if (!row) throw new Error("a window was not written");
      return row;
    });
  }
}

// `allowance` and `granted` are columns because the conflict's action sees nothing else of the request.
function leaseMany(
  sql: Sql,
  requests: readonly LeaseRequest[],
): Promise<(Lease & { accountId: AccountId })[]> {
  const window = sql`${WINDOW_MS} * interval '1 millisecond'`;
  // Or it begins more than a minute from now: Postgres' clock has been set back since. Those that lease together have read it
  // one before the other, and waited for each other's lock.
  const isOver = sql`(w.started_at <= excluded.started_at - ${window} or w.started_at > excluded.started_at + ${window})`;
  return sql<(Lease & { accountId: AccountId })[]>`
    insert into rate_windows as w (account_id, started_at, allowance, used, granted)
    select r.account_id, clock_timestamp(), r.allowance, least(r.wanted, r.allowance), least(r.wanted, r.allowance)
    from unnest(
      ${arrayOf(requests.map((each) => each.accountId))}::uuid[],
      ${arrayOf(requests.map((each) => each.limit))}::integer[],
      ${arrayOf(requests.map((each) => each.wanted))}::integer[]
    ) as r(account_id, allowance, wanted)
    order by r.account_id
    on conflict (account_id) do update set
      started_at = case when ${isOver} then excluded.started_at else w.started_at end,
      allowance = excluded.allowance,
      used = case when ${isOver} then 0 else w.used end
        + least(excluded.granted, greatest(excluded.allowance - case when ${isOver} then 0 else w.used end, 0)),
      granted =
        least(excluded.granted, greatest(excluded.allowance - case when ${isOver} then 0 else w.used end, 0))
    returning account_id as "accountId", granted, greatest(allowance - used, 0) as remaining,
      (extract(epoch from started_at + ${window} - clock_timestamp()) * 1000)::float8 as "endsInMs"
  `;
}
