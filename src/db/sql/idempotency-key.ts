import type { AnySql, Fragment } from "../pool";
import { withinKey } from "./planner";

/**
 * True for the row `k` of the idempotency keys with the account and key of a row `of`. Written so that Postgres can
 * only look it up by the two.
 */
export function isKey(sql: AnySql, of: string): Fragment {
  return sql`${sql.unsafe(`${withinKey("k.account_id", `${of}.account_id`)} and k.key = ${of}.key`)}`;
}

/**
 * True for such a row if a statement found its key taken a moment ago. The statement may have waited until the key expired, so
 * this accepts every key that is still stored.
 */
export function wasTaken(sql: AnySql, of: string): Fragment {
  return sql`${isKey(sql, of)} and k.created_at + ${kept(sql)} > now()`;
}

/** Returns how long a key answers with the result of its first request, by Postgres' clock. */
export function lifetime(sql: AnySql): Fragment {
  return sql`${sql.unsafe(LIFETIME)}`;
}

/** The lifetime of a key as SQL text. */
export const LIFETIME = "interval '24 hours'";

/** Returns how long a key is stored: a minute longer, for statements that wait while it expires (10 s, unless configured). */
export function kept(sql: AnySql): Fragment {
  return sql`interval '24 hours 1 minute'`;
}
