import type { Database } from "../db/database";
import type { AccountId } from "../runtime/ids";
import { type Counts, countColumns, countsOf } from "./counts";

export type AccountStats = {
  /** Cancelled ones too. */
  totalDeliveries: number;
  delivered: number;
  failed: number;
  pending: number;
  /** Per cent of those that were delivered or failed, two decimals; 0 when there are none. */
  successRate: number;
  endpointsCount: number;
};

/** Figures of an account, from the totals: exact, whatever the length of the history. */
export class Stats {
  constructor(private readonly db: Database) {}

  /** Throws `DatabaseUnavailable`. */
  async of(accountId: AccountId): Promise<AccountStats> {
    const [row] = await this.db.run(
      (sql) => sql<(Counts & { endpointsCount: number })[]>`
        select ${countColumns(sql)},
          (
            select count(*) from endpoints where account_id = ${accountId} and deleted_at is null
          ) as "endpointsCount"
        from ${countsOf(sql, accountId)} c
      `,
    );
    if (!row) throw new Error("a sum has one row");
    const { total, delivered, failed, pending, endpointsCount } = row;
    const successRate = successRateOf(delivered, failed);
    return { totalDeliveries: total, delivered, failed, pending, successRate, endpointsCount };
  }
}

function successRateOf(delivered: number, failed: number): number {
  const ended = delivered + failed;
  return ended === 0 ? 0 : Math.round((delivered / ended) * 10_000) / 100;
}
