import { arrayOf } from "../db/arrays";
import type { AnySql } from "../db/pool";
import type { AccountId } from "../runtime/ids";
import type { Meter } from "./acceptance";

/** Makes the rows that count the month's webhooks, so that whatever accepts always finds one to lock. */
export async function ensureUsageRows(
  sql: AnySql,
  accounts: readonly AccountId[],
  { period, slot }: Meter,
): Promise<void> {
  await sql`
    insert into usage (account_id, period, slot)
    select a, ${period}::date, s from unnest(${arrayOf(accounts)}::uuid[]) a, unnest(array[0, ${slot}::smallint]) s
    order by a, s
    on conflict do nothing
  `;
}
