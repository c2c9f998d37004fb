import { eq } from "drizzle-orm";
import type { Database } from "../../db/database";
import { accounts, plans } from "../../db/schema";
import { typed } from "../../db/typed";
import { fromText } from "../../domain/ids";
import { LOOKUP_TIMEOUT_MS } from "./key-lookup";
import type { Principal } from "./principal";

/** The facts about an account that decide about its requests. */
export type AccountLimits = Pick<Principal, "accountId" | "plan" | "requestsPerMinute">;

/** Reads an account by its public id, or by its external id, which never looks like a public id. Null if there is none. */
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
