import type { Database } from "../../db/database";
import { fromText } from "../../domain/ids";
import { LOOKUP_TIMEOUT_MS } from "./key-lookup";
import type { Principal } from "./principal";

/** An account as requests are judged by it. */
export type AccountLimits = Pick<Principal, "accountId" | "plan" | "requestsPerMinute">;

/** Reads an account by its public id, or by its external id, which never looks like one. Null: there is none. */
export async function readAccountLimits(db: Database, reference: string): Promise<AccountLimits | null> {
  const id = fromText("acc", reference);
  const [row] = await db.run(
    (sql) => sql<AccountLimits[]>`
      select a.id as "accountId", a.plan, p.requests_per_minute as "requestsPerMinute"
      from accounts a join plans p on p.name = a.plan
      where ${id === null ? sql`a.external_id = ${reference}` : sql`a.id = ${id}`}
    `,
    LOOKUP_TIMEOUT_MS,
  );
  return row ?? null;
}
