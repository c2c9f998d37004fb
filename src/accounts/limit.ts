import { LOCKS } from "../db/advisory-locks";
import type { TransactionSql } from "../db/pool";
import type { AccountId } from "../domain/ids";

/** The most rows of a kind that an account, or each of its endpoints, may have. */
export type AccountLimit = Readonly<{ most: number; kind: string; of?: "account" | "endpoint" }>;

/** The account or endpoint has reached the limit. The message is public. */
export class LimitReached extends Error {
  constructor({ most, kind, of = "account" }: AccountLimit) {
    super(`This ${of} has reached its limit of ${most} ${kind}`);
    this.name = "LimitReached";
  }
}

/** A query that has not been sent yet. */
type RowQuery = { limit(most: number): PromiseLike<unknown[]> };

/**
 * Throws `LimitReached` unless the account may have one more row beside `rows`. Locks the account's limits until the end of the
 * transaction, so that concurrent requests can't exceed them together.
 */
export async function ensureBelowLimit(
  sql: TransactionSql,
  accountId: AccountId,
  limit: AccountLimit,
  rows: RowQuery,
): Promise<void> {
  await lockLimits(sql, accountId);
  const had = await rows.limit(limit.most);
  if (had.length >= limit.most) throw new LimitReached(limit);
}

/** Locks the account's limits until the end of the transaction. */
export async function lockLimits(sql: TransactionSql, accountId: AccountId): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCKS.limits} # hashtextextended(${accountId}, 0))`;
}
