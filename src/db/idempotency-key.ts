import type { AnySql, Fragment } from "./pool";

/**
 * True for the row `k` of the idempotency keys that a row `of` names by its account and key. Written so that Postgres can but
 * look it up by the two (see `isInQueue`).
 */
export function isKey(sql: AnySql, of: string): Fragment {
  return sql`${sql.unsafe(`k.account_id = any(array[${of}.account_id]) and k.key = ${of}.key`)}`;
}

/**
 * The same as long as the key's time lasts, which is added to its beginning, so that the index of times does not fit: where
 * the statistics are of when no key was kept, Postgres would go over all of the day for each key that is asked for.
 */
export function isTaken(sql: AnySql, of: string): Fragment {
  return sql`${isKey(sql, of)} and k.created_at + ${lifetime(sql)} > now()`;
}

/**
 * The same for what a statement found to be taken a moment ago: where it had to wait, the key's time may be over since. Keys
 * are kept for this long.
 */
export function wasTaken(sql: AnySql, of: string): Fragment {
  return sql`${isKey(sql, of)} and k.created_at + ${kept(sql)} > now()`;
}

/** How long a key stands for the request it came with, by Postgres' clock. */
export function lifetime(sql: AnySql): Fragment {
  return sql`interval '24 hours'`;
}

/** How long a key is there: a minute longer, for the statements that wait while its time ends (10 s, unless configured). */
export function kept(sql: AnySql): Fragment {
  return sql`interval '24 hours 1 minute'`;
}
