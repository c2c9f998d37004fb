import type { AnySql, Fragment } from "../pool";

/**
 * True for the row `k` of the idempotency keys with the account and key of a row `of`. Written so that Postgres can
 * only look it up by the two (see `isInQueue`).
 */
export function isKey(sql: AnySql, of: string): Fragment {
  return sql`${sql.unsafe(`k.account_id = any(array[${of}.account_id]) and k.key = ${of}.key`)}`;
}

/**
 * The same while the key is valid. The validity is added to the key's time, so the index of times does not fit. With
 * statistics from an empty table Postgres would otherwise scan the whole day for each key.
 */
export function isTaken(sql: AnySql, of: string): Fragment {
  return sql`${isKey(sql, of)} and k.created_at + ${lifetime(sql)} > now()`;
}

/**
 * The same for a key that a statement found taken a moment ago. That statement may have waited, and the key may have
 * expired meanwhile, so this accepts all keys that are still stored.
 */
export function wasTaken(sql: AnySql, of: string): Fragment {
  return sql`${isKey(sql, of)} and k.created_at + ${kept(sql)} > now()`;
}

/** How long a key answers with its first request's result, by Postgres' clock. */
export function lifetime(sql: AnySql): Fragment {
  return sql`${sql.unsafe(LIFETIME)}`;
}

/** The same as text. */
export const LIFETIME = "interval '24 hours'";

/** How long a key is stored: a minute longer, for statements that wait while it expires (10 s, unless configured). */
export function kept(sql: AnySql): Fragment {
  return sql`interval '24 hours 1 minute'`;
}
