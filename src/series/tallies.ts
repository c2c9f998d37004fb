import type { AnySql, Fragment } from "../db/pool";
import { SCHEDULED } from "./../domain/partition";
import { codeOf, type TallyKind } from "../domain/tally";

/**
 * Counts deliveries that ended without an attempt: part of a statement, over its `gone`. Scheduled ones count from when they are
 * due.
 */
export function tallyGone(sql: AnySql, kind: TallyKind): Fragment {
  return sql`
    tallied as (
      insert into tallies (endpoint_ids, codes, counts)
      select array_agg(endpoint_id), array_agg(${codeOf(kind)}::integer), array_agg(n)
      from (select endpoint_id, count(*) as n from gone where partition <> ${SCHEDULED} group by 1) g
      having count(*) > 0
    )
  `;
}
