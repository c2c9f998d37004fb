import type { AnySql, Fragment } from "./pool";

/**
 * True for the row `k` of the idempotency keys that a row `of` names by its account and key. Written so that Postgres can but
 * look it up by the two (see `isInQueue`).
 */
export function isKey(sql: AnySql, of: string): Fragment {
  return sql`${sql.unsafe(`k.account_id = any(array[${of}.account_id]) and k.key = ${of}.key`)}`;
}

/**
 * The same as long as its 24 hours last; added to the time, since the index of times would fit otherwise: where the statistics
 * are of when no key was kept, Postgres goes over all that are of this day, for each that is asked for.
 */
export function isTaken(sql: AnySql, of: string): Fragment {
  return sql`${isKey(sql, of)} and k.created_at + interval '24 hours' > now()`;
}
