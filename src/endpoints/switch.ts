import type { TransactionSql } from "../db/pool";
import { intervalOf } from "../db/sql/time";
import type { EndpointId } from "../domain/ids";

/**
 * Holds the deliveries of an endpoint that was just switched, while some may be in flight in its former way. By push that is the
 * time limit of an attempt; by pull it is the time that receivers have for their pages. Otherwise a delivery could pass one
 * that is still in flight. The endpoint is locked.
 */
export async function holdAfterSwitch(
  sql: TransactionSql,
  id: EndpointId,
  attemptTimeoutMs: number,
): Promise<void> {
  const longest = intervalOf(sql, attemptTimeoutMs);
  await sql`
    update endpoints e
    set read_position = null, switched_until = case
      when e.url is not null then (select max(p.ends_at) from pulls p where p.endpoint_id = e.id and p.ends_at > now())
      when exists (
        select from mailboxes m join queue q on q.partition = m.partition and q.endpoint_id = m.endpoint_id
        where m.endpoint_id = e.id
      ) then now() + coalesce(e.timeout_ms * interval '1 millisecond', ${longest})
    end
    where e.id = ${id}
  `;
}
