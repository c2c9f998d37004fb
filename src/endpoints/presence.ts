import type { TransactionSql } from "../db/pool";
import type { AccountId, EndpointId } from "../domain/ids";

/** Tells if an account has an endpoint, had it until it was deleted, or never did. */
export type Presence = "there" | "deleted" | "unknown";

export async function presenceOf(
  sql: TransactionSql,
  accountId: AccountId,
  id: EndpointId,
): Promise<Presence> {
  const [row] = await sql<{ isDeleted: boolean }[]>`
    select deleted_at is not null as "isDeleted" from endpoints where id = ${id} and account_id = ${accountId}
  `;
  if (!row) return "unknown";
  return row.isDeleted ? "deleted" : "there";
}
