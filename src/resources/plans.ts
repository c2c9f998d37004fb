import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Authenticator } from "../accounts/authentication/authenticator";
import { PLAN_NAME, type Plan, type Plans } from "../accounts/plan";
import { answer } from "../api/answer";
import { badRequest } from "../api/errors";
import type { Guard } from "../api/guard";
import { operation } from "../api/openapi/operation";
import { named, nullable, request } from "../api/openapi/schema";

/** The largest value of the plans table's integer column. */
const MAX_REQUESTS = 2_147_483_647;
const NO_LIMIT = "Null means no limit.";

const PlanLimits = request(
  "PlanLimits",
  Type.Object({
    requests_per_minute: nullable(Type.Integer({ minimum: 1, maximum: MAX_REQUESTS, description: NO_LIMIT })),
    webhooks_per_month: nullable(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: NO_LIMIT }),
    ),
  }),
);

const PlanModel = named(
  "Plan",
  Type.Object({
    name: Type.String(),
    requests_per_minute: nullable(Type.Integer({ description: NO_LIMIT })),
    webhooks_per_month: nullable(Type.Integer({ description: NO_LIMIT })),
  }),
);

const PlanList = named("PlanList", Type.Object({ data: Type.Array(PlanModel) }));

const EXAMPLE = {
  name: "starter",
  requests_per_minute: 600,
  webhooks_per_month: 50_000,
} satisfies Static<typeof PlanModel>;

export type PlanOptions = { plans: Plans; authenticator: Pick<Authenticator, "forget"> };

/** /admin/plans */
export function planRoutes(guard: Guard, { plans, authenticator }: PlanOptions) {
  return new Elysia({ prefix: "/admin/plans" })
    .use(guard)
    .get(
      "",
      async ({ call }) => answer(call.allowance, 200, { data: (await plans.list()).map(viewOf) }),
      operation({
        id: "listPlans",
        permission: "admin",
        cells: "one",
        tag: "Administration",
        summary: "List plans",
        success: {
          status: 200,
          description: "All plans, by name.",
          schema: PlanList,
          example: { data: [EXAMPLE] },
        },
      }),
    )
    .put(
      "/:name",
      async ({ call, params: { name }, body }) => {
        if (!PLAN_NAME.test(name)) throw badRequest(WRONG_NAME);
        const plan = await plans.put(name, {
          requestsPerMinute: body.requests_per_minute,
          webhooksPerMonth: body.webhooks_per_month,
        });
        authenticator.forget();
        return answer(call.allowance, 200, viewOf(plan));
      },
      operation({
        id: "putPlan",
        permission: "admin",
        cells: "one",
        audit: {
          shows: ["requests_per_minute", "webhooks_per_month"],
          before: async (_, { name }) => {
            const plan = (await plans.list()).find((each) => each.name === name);
            return plan ? viewOf(plan) : null;
          },
        },
        tag: "Administration",
        summary: "Create or change a plan",
        description: "A new webhook limit applies at once, a new request limit within five seconds.",
        path: {
          name: {
            description: "The plan's name.",
            example: EXAMPLE.name,
            schema: { pattern: PLAN_NAME.source },
          },
        },
        body: {
          schema: PlanLimits,
          example: { requests_per_minute: 600, webhooks_per_month: 50_000 },
        },
        success: { status: 200, description: "The plan.", schema: PlanModel, example: EXAMPLE },
      }),
    );
}

const WRONG_NAME = "name must be 1 to 64 characters of a-z, 0-9, _ and -, the first a letter or a digit";

function viewOf(plan: Plan): Static<typeof PlanModel> {
  return {
    name: plan.name,
    requests_per_minute: plan.requestsPerMinute,
    webhooks_per_month: plan.webhooksPerMonth,
  };
}
