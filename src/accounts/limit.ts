import { LOCKS } from "../db/advisory-locks";
import type { Fragment, TransactionSql } from "../db/pool";
import type { AccountId } from "../runtime/ids";

/** Of what an account may have only so many. */
export type Limit = Readonly<{ most: number; what: string }>;

/** An account has as many of something as it may. Its message is public. */
export class LimitReached extends Error {
  constructor({ most, what }: Limit) {
    super(`An account may have ${most} ${what} at most, and this one has as many`);
    this.name = "LimitReached";
  }
}

/**
 * Throws `LimitReached` unless there is room for one more beside `rows`, what the account has. Nobody else adds to any of
 * its limits until the end of the transaction.
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
