import type { Authenticator } from "../../accounts/authentication/authenticator";
import { PLAN_NAME, type Plans } from "../../accounts/plan";
import { answer } from "../answer";
import type { Call } from "../call";
import { badRequest } from "../errors";
import { bodyReader } from "../json/json-body";
import { PutPlan, viewOfPlan } from "./model";

export type PlanOptions = { plans: Plans; authenticator: Pick<Authenticator, "forget"> };

const readPut = bodyReader(PutPlan);

/** Answers the requests of administrators about plans. */
export class PlanHandlers {
  constructor(private readonly options: PlanOptions) {}

  async list({ allowance }: Call): Promise<Response> {
    const plans = await this.options.plans.list();
    return answer(allowance, 200, { data: plans.map(viewOfPlan) });
  }

  async put({ allowance, body }: Call, name: string): Promise<Response> {
    const { requests_per_minute, webhooks_per_month } = readPut(body);
    if (!PLAN_NAME.test(name)) {
      throw badRequest("name must be 1 to 64 characters of a-z, 0-9, _ and -, the first a letter or a digit");
    }
    const limits = { requestsPerMinute: requests_per_minute, webhooksPerMonth: webhooks_per_month };
    const plan = await this.options.plans.put(name, limits);
    this.options.authenticator.forget();
    return answer(allowance, 200, viewOfPlan(plan));
  }
}
