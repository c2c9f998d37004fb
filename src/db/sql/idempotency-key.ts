import type { AnySql, Fragment } from "../pool";

/**
 * True for the row `k` of the idempotency keys with the account and key of a row `of`. Written so that Postgres can
 * only look it up by the two (see `isInQueue`).
 */
export function isKey(sql: AnySql, of: string): Fragment {
  return sql`${sql.unsafe(`k.account_id = any(array[${of}.account_id]) and k.key = ${of}.key`)}`;
}

/**
 * True for such a row while its key is valid. Adds the lifetime to the key's time, so that the index of times does not fit: with
 * statistics of an empty table, Postgres would scan the whole day for each key.
 */
export function isTaken(sql: AnySql, of: string): Fragment {
  return sql`${isKey(sql, of)} and k.created_at + ${lifetime(sql)} > now()`;
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
