import type { Database } from "../db/database";
import type { AccountId } from "../domain/ids";
import { countColumns, countsOf, type DeliveryCounts } from "./counts";

export type AccountStats = {
  /** Includes cancelled deliveries. */
  totalDeliveries: number;
  delivered: number;
  failed: number;
  pending: number;
  /** Share of delivered among delivered and failed, in per cent with two decimals; 0 if there are none. */
  successRate: number;
  endpointsCount: number;
};

/** Reads an account's figures from the totals. Exact, however long the history is. */
export class Stats {
  constructor(private readonly db: Database) {}

  /** Throws `DatabaseUnavailable`. */
  async of(accountId: AccountId): Promise<AccountStats> {
    const [row] = await this.db.run(
      (sql) => sql<(DeliveryCounts & { endpointsCount: number })[]>`
        select ${countColumns(sql)},
          (
            select count(*) from endpoints where account_id = ${accountId} and deleted_at is null
          ) as "endpointsCount"
        from ${countsOf(sql, accountId)} c
      `,
    );
    if (!row) throw new Error("the sum over the counters returned no row");
    const { total, delivered, failed, pending, endpointsCount } = row;
    const successRate = successRateOf(delivered, failed);
    return { totalDeliveries: total, delivered, failed, pending, successRate, endpointsCount };
  }
}

function successRateOf(delivered: number, failed: number): number {
  const ended = delivered + failed;
  return ended === 0 ? 0 : Math.round((delivered / ended) * 10_000) / 100;
}
