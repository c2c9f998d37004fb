import { and, eq } from "drizzle-orm";
import type { TransactionSql } from "../db/pool";
import { endpoints } from "../db/schema";
import { typed } from "../db/typed";
import type { AccountId, EndpointId } from "../domain/ids";

/** The state of an endpoint for an account: it has the endpoint, had deleted it, or never had it. */
export type Presence = "there" | "deleted" | "unknown";

export async function presenceOf(
  sql: TransactionSql,
  accountId: AccountId,
  id: EndpointId,
): Promise<Presence> {
  const isIt = and(eq(endpoints.id, id), eq(endpoints.accountId, accountId));
  const [row] = await typed(sql).select({ deletedAt: endpoints.deletedAt }).from(endpoints).where(isIt);
  if (!row) return "unknown";
  return row.deletedAt === null ? "there" : "deleted";
}
