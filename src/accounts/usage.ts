import { and, eq, sql as expression } from "drizzle-orm";
import type { Database } from "../db/database";
import { accounts, plans, usage } from "../db/schema";
import { periodOf } from "../db/sql/time";
import { typed } from "../db/typed";
import type { AccountId } from "../domain/ids";

/** The number of webhooks that an account has sent in a month, and its limit. */
export type MonthlyUsage = {
  plan: string;
  /** The calendar month (UTC), Unix milliseconds; `end` is the beginning of the next month. */
  period: { start: number; end: number };
  /** Webhooks accepted. */
  used: number;
  /** Null for no limit. */
  limit: number | null;
};

/** Reads the usage that the intake counts. */
export class Usage {
  constructor(private readonly db: Database) {}

  /** Reads the month of `now` (Unix milliseconds). Throws `DatabaseUnavailable`. */
  async current(accountId: AccountId, now: number): Promise<MonthlyUsage> {
    const period = periodOf(now);
    const ofPeriod = and(eq(usage.accountId, accounts.id), eq(usage.period, period));
    const [row] = await this.db.run((sql) =>
      typed(sql)
        .select({
          plan: accounts.plan,
          limit: plans.webhooksPerMonth,
          used: expression`coalesce(sum(${usage.used}), 0)`.mapWith(Number),
        })
        .from(accounts)
        .innerJoin(plans, eq(plans.name, accounts.plan))
        .leftJoin(usage, ofPeriod)
        .where(eq(accounts.id, accountId))
        .groupBy(accounts.plan, plans.webhooksPerMonth),
    );
    if (!row) throw new Error(`there is no account ${accountId}`);
    return { ...row, period: boundsOf(period) };
  }
}

function boundsOf(period: string): MonthlyUsage["period"] {
  const start = new Date(period);
  return { start: start.getTime(), end: Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1) };
}
