import type { Fragment, Sql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import type { AccountId } from "../domain/ids";

/** An event type that an account uses for the first time, as far as this process knows. */
export type NewEventType = { accountId: AccountId; name: string };

/** A statement that makes those of the event types `t` known for which `isUsed` holds. */
export function registering(sql: Sql, types: readonly NewEventType[], isUsed: Fragment): Fragment {
  return sql`
    insert into event_types (account_id, name)
    select t.account_id, t.name from unnest(
      ${arrayOf(types.map((type) => type.accountId))}::uuid[],
      ${arrayOf(types.map((type) => type.name))}::text[]
    ) as t(account_id, name)
    where ${isUsed}
    order by 1, 2
    on conflict do nothing
  `;
}
