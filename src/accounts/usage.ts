import type { Database } from "../db/database";
import type { AccountId } from "../domain/ids";
import { periodOf } from "../domain/period";

/** An account's use of its month. */
export type MonthlyUsage = {
  plan: string;
  /** The calendar month (UTC), Unix milliseconds; `end` is the next one's beginning. */
  period: { start: number; end: number };
  /** Webhooks accepted. */
  used: number;
  /** Null is no limit. */
  limit: number | null;
};

/** Reads what the intake counts. */
export class Usage {
  constructor(private readonly db: Database) {}

  /** The month that `now` (Unix milliseconds) falls in. Throws `DatabaseUnavailable`. */
  async current(accountId: AccountId, now: number): Promise<MonthlyUsage> {
    const period = periodOf(now);
    const [row] = await this.db.run(
      (sql) => sql<Omit<MonthlyUsage, "period">[]>`
        select a.plan, p.webhooks_per_month as limit, (
            select coalesce(sum(u.used), 0)::bigint from usage u
            where u.account_id = a.id and u.period = ${period}::text::date
          ) as used
        from accounts a
        join plans p on p.name = a.plan
        where a.id = ${accountId}
      `,
    );
    if (!row) throw new Error(`there is no account ${accountId}`);
    return { ...row, period: boundsOf(period) };
  }
}

function boundsOf(period: string): MonthlyUsage["period"] {
  const start = new Date(period);
  return { start: start.getTime(), end: Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1) };
}
