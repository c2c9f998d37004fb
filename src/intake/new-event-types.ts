import type { Fragment, Sql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import type { AccountId } from "../domain/ids";

/** An event type that this process has not seen the account use. It may be in Postgres already. */
export type NewEventType = { accountId: AccountId; name: string };

/** Inserts the event types `t` for which `isUsed` holds. */
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
