import type { TransactionSql } from "../db/pool";
import type { AccountId, DeliveryId } from "../domain/ids";

/** Facts that decide whether a delivery can be sent again. */
export type Resendable = { isPending: boolean; isErased: boolean };

/** Null when the account has no delivery with this id. */
export async function findResendable(
  sql: TransactionSql,
  accountId: AccountId,
  id: DeliveryId,
): Promise<Resendable | null> {
  const [row] = await sql<Resendable[]>`
    select d.data is not distinct from '' as "isErased",
      exists (select from queue q where q.account_id = d.account_id and q.delivery_id = d.id) as "isPending"
    from deliveries d
    where d.id = ${id} and d.account_id = ${accountId}
  `;
  return row ?? null;
}
