import { arrayOf } from "../db/arrays";
import type { Sql } from "../db/pool";
import type { EndpointId } from "../runtime/ids";

/** Endpoints that another transaction has locked, and that sends wait for apart from all others. */
export class LockedEndpoints {
  /** How many sends wait for each. */
  private readonly waiting = new Map<EndpointId, number>();

  get isEmpty(): boolean {
    return this.waiting.size === 0;
  }

  has(id: EndpointId): boolean {
    return this.waiting.has(id);
  }

  /** Counts a send that waits for an endpoint while `work` runs. */
  async during<T>(id: EndpointId, work: () => Promise<T>): Promise<T> {
    this.waiting.set(id, (this.waiting.get(id) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.waiting.get(id) ?? 0) - 1;
      if (left > 0) this.waiting.set(id, left);
      else this.waiting.delete(id);
    }
  }
}

/** Reads which of some endpoints another transaction has locked at this moment. */
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
