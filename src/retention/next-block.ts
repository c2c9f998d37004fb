import type { BlockSpan } from "../cold/blocks";
import type { TransactionSql } from "../db/pool";
import { eventIdFrom, lastIdOf } from "../db/sql/event-key";
import type { AccountId, EventId } from "../domain/ids";
import type { RangeTables } from "./range-tables";
import { isEnded } from "./waiting-rows";
import type { BlockPosition } from "./written-blocks";

/**
 * Limits of a block, which is read whole: events and deliveries, and bytes of payload. The last event of a block brings all its
 * deliveries, and the last payload may exceed the bytes.
 */
export const BLOCK_LIMITS = { items: 1_000, bytes: 8 * 1_048_576 };

/**
 * Chooses the next ids of a time range, of one account, in the order of accounts and ids. Resolves to null at the end. An event
 * stays together with its deliveries. Leaves out what waits: see `findWaiting`, to be called before.
 */
export async function nextSpan(
  sql: TransactionSql,
  { names }: RangeTables,
  after: BlockPosition,
  limits = BLOCK_LIMITS,
): Promise<BlockSpan | null> {
  const ahead = (table: string, bytes: string) => `(
    select account_id, id, ${bytes} as bytes from "${table}" t
    where (account_id, id) > ($1::uuid, $2::uuid) and ${isEnded("t.id")} order by account_id, id limit $3
  )`;
  const [row] = await sql.unsafe<{ accountId: AccountId; firstId: EventId; lastId: EventId }[]>(
    `
    with ahead as materialized (
      select * from (
        ${ahead(names.events, "octet_length(data)")} union all ${ahead(names.deliveries, "coalesce(octet_length(data), 0)")}
      ) each order by account_id, id limit $3
    ),
    summed as (
      select id, account_id, sum(bytes) over (order by id) - bytes as before from ahead
      where account_id = (select account_id from ahead order by account_id, id limit 1)
    )
    select account_id as "accountId", min(id::text)::uuid as "firstId", max(id::text)::uuid as "lastId"
    from summed where before < $4 group by account_id
    `,
    [after.accountId, after.lastId, limits.items, limits.bytes],
  );
  return row ? { ...row, lastId: lastIdOf(eventIdFrom(row.lastId)) } : null;
}
