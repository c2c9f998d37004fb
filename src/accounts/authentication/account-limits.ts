import { desc, eq, or, sql } from "drizzle-orm";
import type { Database } from "../../db/database";
import { accounts, plans } from "../../db/schema";
import { typed } from "../../db/typed";
import { fromText } from "../../domain/ids";
import { withoutMark } from "../external-id";
import { LOOKUP_TIMEOUT_MS } from "./key-lookup";
import type { Principal } from "./principal";

/** SQL: true for an account whose requests are answered 503. */
export const IS_MOVING = sql<boolean>`${accounts.departure} is not null`;

/** The facts about an account that decide about its requests. */
export type AccountLimits = Pick<Principal, "accountId" | "plan" | "requestsPerMinute" | "isMoving">;

/**
 * Reads an account by its public id, or by its external id, which never looks like a public id. Ignores a `~` at the start only if
 * no account has the external id as written. Null if there is none.
 */
export async function readAccountLimits(db: Database, reference: string): Promise<AccountLimits | null> {
  const id = fromText("acc", reference);
  const isExact = eq(accounts.externalId, reference);
  const [row] = await db.run(
    (each) =>
      typed(each)
        .select({
          accountId: accounts.id,
          plan: accounts.plan,
          requestsPerMinute: plans.requestsPerMinute,
          isMoving: IS_MOVING,
        })
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
