import type { Database } from "../db/database";
import { plans } from "../db/schema";
import { typed } from "../db/typed";

/** The limits of an account in a minute and in a calendar month; null for no limit. */
export type Limits = { requestsPerMinute: number | null; webhooksPerMonth: number | null };

export type Plan = Limits & { name: string };

/** The plan of new accounts unless HERMOD_DEFAULT_PLAN names another. Without limits, as suits an operator's own service. */
export const DEFAULT_PLAN = "unlimited";

export const PLAN_NAME_MAX_LENGTH = 64;
/** The form of a plan's name. */
export const PLAN_NAME = new RegExp(`^[a-z0-9][a-z0-9_-]{0,${PLAN_NAME_MAX_LENGTH - 1}}$`);

/** Throws if the default plan does not exist, since no account could be created then. */
export async function checkDefaultPlan(plans: Plans, name: string): Promise<void> {
  const names = (await plans.list()).map((plan) => plan.name);
  if (names.includes(name)) return;
  throw new Error(
    `HERMOD_DEFAULT_PLAN names ${name}, which is no plan of this installation; it must be one of ${names.join(", ")}`,
  );
}

/** The table of plans. Every method throws `DatabaseUnavailable`. */
export class Plans {
  constructor(private readonly db: Database) {}

  /** Lists all plans by name. */
  list(): Promise<Plan[]> {
    return this.db.run((sql) => typed(sql).select().from(plans).orderBy(plans.name));
  }

  /** Creates the plan, or changes its limits. They apply to sends at once and to requests within 5 s. */
  async put(name: string, { requestsPerMinute, webhooksPerMonth }: Limits): Promise<Plan> {
    const plan = { name, requestsPerMinute, webhooksPerMonth };
    await this.db.run((sql) =>
      typed(sql).insert(plans).values(plan).onConflictDoUpdate({ target: plans.name, set: plan }),
    );
    return plan;
  }
}
