import { arrayOf } from "../db/arrays";
import type { Sql } from "../db/pool";
import type { EndpointId } from "../runtime/ids";

/** Those of some endpoints that another transaction has locked at this moment. */
export async function lockedMailboxes(sql: Sql, ids: readonly EndpointId[]): Promise<Set<EndpointId>> {
  const rows = await sql<{ id: EndpointId }[]>`
    with free as materialized (
      select endpoint_id from mailboxes where endpoint_id = any(${arrayOf(ids)}::uuid[]) for update skip locked
    )
    select m.endpoint_id as id from mailboxes m
    where m.endpoint_id = any(${arrayOf(ids)}::uuid[])
      and not exists (select from free f where f.endpoint_id = m.endpoint_id)
  `;
  return new Set(rows.map(({ id }) => id));
}
