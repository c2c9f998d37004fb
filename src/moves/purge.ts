import type { Sql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import type { AccountId } from "../domain/ids";

/** Deliveries or events that one statement deletes. */
export const PURGED_AT_ONCE = 2_000;

/** Deletes the rows that replication copies, a few thousand at a time. The account must be in the other cell, or not yet in this one. */
export async function purgeFollowed(sql: Sql, id: AccountId, subjects: readonly string[]): Promise<void> {
  // A copy that was broken off may have the attempts or results of deliveries that it lacks. Attempts have no index by account.
  const steps: readonly ((sql: Sql) => PromiseLike<{ count: number }>)[] = [
    (each) => each`
      with gone as (
        delete from deliveries where (account_id, id) in (
          select account_id, id from deliveries where account_id = ${id} limit ${PURGED_AT_ONCE}
        ) returning id, endpoint_id
      ),
      attempted as (delete from attempts where delivery_id in (select id from gone)),
      ended as (
        delete from results r using gone g where r.endpoint_id = g.endpoint_id and r.delivery_id = g.id
      )
      select from gone
    `,
    (each) => each`
      delete from events where (account_id, id) in (
        select account_id, id from events where account_id = ${id} limit ${PURGED_AT_ONCE}
      )
    `,
    (each) => each`
      delete from results where (endpoint_id, delivery_id) in (
        select endpoint_id, delivery_id from results where account_id = ${id} limit ${PURGED_AT_ONCE}
      )
    `,
    (each) => each`
      delete from series where (subject, at) in (
        select subject, at from series where subject = any(${arrayOf(subjects)}::uuid[]) limit ${PURGED_AT_ONCE}
      )
    `,
    (each) => each`delete from attempts where account_id = ${id}`,
  ];
  for (const step of steps) while ((await step(sql)).count > 0);
}
