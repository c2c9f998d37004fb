import type { Database } from "../db/database";
import type { Sql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import type { AccountId } from "../domain/ids";

/** The length of a window, which begins with its first request. */
export const WINDOW_MS = 60_000;

/** A process's request for a part of an account's window. */
export type GrantRequest = {
  accountId: AccountId;
  /** Most requests in a window. */
  limit: number;
  wanted: number;
};

export type Grant = {
  /** The granted requests, at most as many as wanted; 0 if none is left. */
  granted: number;
  /** Requests left after the grant. */
  remaining: number;
  /** Milliseconds until the window ends. */
  endsInMs: number;
};

/** Counts the used part of each account's window. A call has at most one request per account. */
export type RateWindows = { grant(requests: readonly GrantRequest[]): Promise<Grant[]> };

/** Counts for all processes, in a row per account. Throws `DatabaseUnavailable`. */
export class SharedWindows implements RateWindows {
  constructor(private readonly db: Database) {}

  async grant(requests: readonly GrantRequest[]): Promise<Grant[]> {
    const rows = await this.db.run((sql) => grantMany(sql, requests));
    const byAccount = new Map(rows.map((row) => [row.accountId, row]));
    return requests.map(({ accountId }) => {
      const row = byAccount.get(accountId);
      if (!row) throw new Error("the update of a rate window returned no row");
      return row;
    });
  }
}

// `allowance` and `granted` are columns, because `on conflict do update` sees only columns of the request.
function grantMany(
  sql: Sql,
  requests: readonly GrantRequest[],
): Promise<(Grant & { accountId: AccountId })[]> {
  const window = sql`${WINDOW_MS} * interval '1 millisecond'`;
  // A window is over if it began a minute ago or begins more than a minute from now: Postgres' clock was set back. A beginning
  // slightly ahead is normal, since concurrent statements read the clock before they wait for each other's lock.
  const isOver = sql`(w.started_at <= excluded.started_at - ${window} or w.started_at > excluded.started_at + ${window})`;
  return sql<(Grant & { accountId: AccountId })[]>`
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
