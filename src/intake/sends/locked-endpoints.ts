import type { Sql } from "../../db/pool";
import { arrayOf } from "../../db/sql/arrays";
import type { AccountId, EndpointId } from "../../domain/ids";

/** Endpoints that another transaction has locked, and for which sends wait separately. */
export class LockedEndpoints {
  /** How many sends wait for each endpoint. */
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

/** Reads which endpoints, and which accounts' months, another transaction has locked at this moment. */
export async function readLocked(
  sql: Sql,
  endpoints: readonly EndpointId[],
  accounts: readonly AccountId[],
  period: string,
): Promise<Set<EndpointId | AccountId>> {
  const rows = await sql<{ id: EndpointId | AccountId }[]>`
    with free_mailboxes as materialized (
      select endpoint_id from mailboxes where endpoint_id = any(${arrayOf(endpoints)}::uuid[]) for update skip locked
    ),
    free_months as materialized (
      select account_id from usage
      where account_id = any(${arrayOf(accounts)}::uuid[]) and period = ${period}::date and shard = 0
      for update skip locked
    )
    select m.endpoint_id as id from mailboxes m
    where m.endpoint_id = any(${arrayOf(endpoints)}::uuid[])
      and not exists (select from free_mailboxes f where f.endpoint_id = m.endpoint_id)
    union all
    select u.account_id from usage u
    where u.account_id = any(${arrayOf(accounts)}::uuid[]) and u.period = ${period}::date and u.shard = 0
      and not exists (select from free_months f where f.account_id = u.account_id)
  `;
  return new Set(rows.map(({ id }) => id));
}
