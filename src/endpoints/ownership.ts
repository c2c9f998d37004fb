import type { TransactionSql } from "../db/pool";
import type { AccountId, EndpointId } from "../runtime/ids";

/** Whether an account has an endpoint, had it, or (null) never did. */
export async function findEndpoint(
  sql: TransactionSql,
  accountId: AccountId,
  id: EndpointId,
): Promise<"there" | "deleted" | null> {
  const [row] = await sql<{ isDeleted: boolean }[]>`
    select deleted_at is not null as "isDeleted" from endpoints where id = ${id} and account_id = ${accountId}
  `;
  if (!row) return null;
  return row.isDeleted ? "deleted" : "there";
}
