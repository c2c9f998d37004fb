import { LOCKS } from "../db/advisory-locks";
import type { Fragment, TransactionSql } from "../db/pool";
import type { AccountId } from "../domain/ids";

/** The most that an account may have of something. */
export type Limit = Readonly<{ most: number; what: string }>;

/** The account has the most already. Its message is public. */
export class LimitReached extends Error {
  constructor({ most, what }: Limit) {
    super(`An account may have ${most} ${what} at most, and this one has as many`);
    this.name = "LimitReached";
  }
}

/**
 * Throws `LimitReached` unless the account may have one more beside `rows`. Locks the account's limits until the end of the
 * transaction, so that concurrent requests can't exceed them together.
 */
export async function ensureRoom(
  sql: TransactionSql,
  accountId: AccountId,
  limit: Limit,
  rows: Fragment,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCKS.limits} # hashtextextended(${accountId}, 0))`;
  const had = await sql`select from (${rows}) as had limit ${limit.most}`;
  if (had.length >= limit.most) throw new LimitReached(limit);
}
