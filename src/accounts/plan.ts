import type { Database } from "../db/database";
import { plans } from "../db/schema";
import { typed } from "../db/typed";

/** What an account may do in a minute and in a calendar month; null is no limit. */
export type Limits = { requestsPerMinute: number | null; webhooksPerMonth: number | null };

export type Plan = Limits & { name: string };

/** The plan of new accounts unless HERMOD_DEFAULT_PLAN names another. Operators of their own service need no limits. */
export const DEFAULT_PLAN = "unlimited";

export const PLAN_NAME_MAX_LENGTH = 64;
/** What a plan may be called. */
export const PLAN_NAME = new RegExp(`^[a-z0-9][a-z0-9_-]{0,${PLAN_NAME_MAX_LENGTH - 1}}$`);

/** Refuses to start with a default plan that does not exist, since no account could be made then. */
export async function checkDefaultPlan(plans: Plans, name: string): Promise<void> {
  const names = (await plans.list()).map((plan) => plan.name);
  if (names.includes(name)) return;
  throw new Error(`HERMOD_DEFAULT_PLAN is ${name}, which is not a plan: there are ${names.join(", ")}`);
}

/** The table of plans. Every method throws `DatabaseUnavailable`. */
export class Plans {
  constructor(private readonly db: Database) {}

  /** All of them, by name. */
  list(): Promise<Plan[]> {
    return this.db.run((sql) => typed(sql).select().from(plans).orderBy(plans.name));
  }

  /** Makes the plan, or gives it these limits; requests feel them within 5 s, sends at once. */
  async put(name: string, { requestsPerMinute, webhooksPerMonth }: Limits): Promise<Plan> {
    const plan = { name, requestsPerMinute, webhooksPerMonth };
    await this.db.run((sql) =>
      typed(sql).insert(plans).values(plan).onConflictDoUpdate({ target: plans.name, set: plan }),
    );
    return plan;
  }
}
