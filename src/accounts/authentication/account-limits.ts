import { eq } from "drizzle-orm";
import type { Database } from "../../db/database";
import { accounts, plans } from "../../db/schema";
import { typed } from "../../db/typed";
import { fromText } from "../../domain/ids";
import { LOOKUP_TIMEOUT_MS } from "./key-lookup";
import type { Principal } from "./principal";

/** An account as requests are judged by it. */
export type AccountLimits = Pick<Principal, "accountId" | "plan" | "requestsPerMinute">;

/** Reads an account by its public id, or by its external id, which never looks like one. Null: there is none. */
export async function readAccountLimits(db: Database, reference: string): Promise<AccountLimits | null> {
  const id = fromText("acc", reference);
  const [row] = await db.run(
    (sql) =>
      typed(sql)
        .select({ accountId: accounts.id, plan: accounts.plan, requestsPerMinute: plans.requestsPerMinute })
        .from(accounts)
        .innerJoin(plans, eq(plans.name, accounts.plan))
        .where(id === null ? eq(accounts.externalId, reference) : eq(accounts.id, id)),
    LOOKUP_TIMEOUT_MS,
  );
  return row ?? null;
}
