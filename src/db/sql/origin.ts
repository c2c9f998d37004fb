import type { AnySql, Fragment } from "../pool";

/**
 * True if a delivery was queued for its endpoint, whose mailbox is `m`, after the last change of the URL's origin; false for one that
 * the endpoint's filter excluded, which has no sequence.
 */
export function isAtOrigin(sql: AnySql, delivery: "d" | "i"): Fragment {
  return sql`(${sql.unsafe(`${delivery}.sequence`)} > coalesce(m.origin_sequence, 0)) is true`;
}
