import type { Sql } from "../db/pool";
import { plainArrayOf } from "../db/sql/arrays";
import { intervalOf } from "../db/sql/time";
import type { EndpointId } from "../domain/ids";

/** Most rows of a queue that a search for something free looks at. */
const EXAMINED = 1_000;

/**
 * Returns those of the endpoints whose receivers may be handed something. Ordered: nobody has a page, and the first delivery is
 * due. Otherwise: among the first deliveries is one that is due, and that nobody has. Changes and locks nothing, so that
 * many requests can wait at the cost of this one statement.
 */
export async function findReady(
  sql: Sql,
  endpoints: readonly EndpointId[],
  longestWaitMs: number,
): Promise<EndpointId[]> {
  const due = sql`(
    q.next_attempt_at is null or q.next_attempt_at <= now() or q.next_attempt_at > now() + ${intervalOf(sql, longestWaitMs)}
  )`;
  const rows = await sql<{ id: EndpointId }[]>`
    select e.id from unnest(${plainArrayOf(endpoints)}::uuid[]) i(id)
    join endpoints e on e.id = i.id and e.url is null and e.is_active and coalesce(e.switched_until <= now(), true)
    join mailboxes m on m.endpoint_id = e.id
    cross join lateral (
      select coalesce(array_agg(s.sequence), '{}') as sequences, coalesce(array_agg(s.ordering_key), '{}') as keys
      from pulls p, unnest(p.sequences, p.ordering_keys) as s(sequence, ordering_key)
      where p.endpoint_id = e.id and p.ends_at > now()
    ) taken
    where case e.ordering
      when 'ordered' then taken.sequences = '{}' and (
        select ${due} from queue q where q.partition = m.partition and q.endpoint_id = e.id order by q.sequence limit 1
      )
      else exists (
        select from (
          select q.* from queue q where q.partition = m.partition and q.endpoint_id = e.id
          order by q.sequence limit ${EXAMINED} + cardinality(taken.sequences)
        ) q
        where ${due} and q.sequence <> all(taken.sequences)
          and (e.ordering = 'unordered' or q.ordering_key is null or q.ordering_key <> all(array_remove(taken.keys, null)))
      )
    end
  `;
  return rows.map(({ id }) => id);
}
