import { desc, eq, or } from "drizzle-orm";
import type { Database } from "../../db/database";
import { accounts, plans } from "../../db/schema";
import { typed } from "../../db/typed";
import { fromText } from "../../domain/ids";
import { withoutMark } from "../external-id";
import { LOOKUP_TIMEOUT_MS } from "./key-lookup";
import type { Principal } from "./principal";

/** The facts about an account that decide about its requests. */
export type AccountLimits = Pick<Principal, "accountId" | "plan" | "requestsPerMinute">;

/**
 * Reads an account by its public id, or by its external id, which never looks like a public id. Ignores a `~` at the start only if
 * no account has the external id as written. Null if there is none.
 */
export async function readAccountLimits(db: Database, reference: string): Promise<AccountLimits | null> {
  const id = fromText("acc", reference);
  const isExact = eq(accounts.externalId, reference);
  const [row] = await db.run(
    (sql) =>
      typed(sql)
        .select({ accountId: accounts.id, plan: accounts.plan, requestsPerMinute: plans.requestsPerMinute })
        .from(accounts)
        .innerJoin(plans, eq(plans.name, accounts.plan))
        .where(
          id === null ? or(isExact, eq(accounts.externalId, withoutMark(reference))) : eq(accounts.id, id),
        )
        .orderBy(desc(isExact))
        .limit(1),
    LOOKUP_TIMEOUT_MS,
  );
  return row ?? null;
}
