import { SCHEDULED } from "../../domain/partition";
import { codeOf, type TallyKind } from "../../domain/tally";
import type { AnySql, Fragment } from "../pool";

/**
 * Returns a part of a statement that counts the deliveries in its `gone`, which ended without an attempt. A scheduled delivery
 * counts from the time at which it is due.
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
