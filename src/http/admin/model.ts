import { type Static, Type } from "@sinclair/typebox";
import type { Account } from "../../accounts/account";
import { PLAN_NAME, PLAN_NAME_MAX_LENGTH, type Plan } from "../../accounts/plan";
import { toText } from "../../domain/ids";
import { externalId } from "../external-ids";
import { cursorPageOf } from "../lists/cursor-model";
import { formatInstant } from "../lists/instant";
import { named, nullable, optional, ref, request, text, timestamp } from "../openapi/schema";

const name = text({ minLength: 1, maxLength: 256 });

const plan = text({
  minLength: 1,
  maxLength: PLAN_NAME_MAX_LENGTH,
  pattern: PLAN_NAME.source,
  description: "The name of a plan.",
});

/** The largest value of the plans table's integer column. */
const MAX_REQUESTS = 2_147_483_647;

export const CreateAccount = request(
  "NewAccount",
  Type.Object({ name, plan: optional(plan), external_id: optional(externalId) }),
);

/** Has no external id: the path has it. */
export const PutAccount = request(
  "AccountUpsert",
  Type.Object({ name: Type.Optional(name), plan: Type.Optional(plan) }),
);

export const UpdateAccount = request(
  "AccountChanges",
  Type.Object({
    name: Type.Optional(name),
    plan: Type.Optional(plan),
    external_id: Type.Optional(nullable(externalId)),
  }),
);

export const AccountModel = named(
  "Account",
  Type.Object({
    id: Type.String({ description: "Begins with `acc_`." }),
    name: Type.String(),
    plan: Type.String(),
    external_id: nullable(Type.String()),
    created_at: timestamp(),
  }),
);

export const AccountPage = named("AccountPage", cursorPageOf("Account"));

export const PutPlan = request(
  "PlanLimits",
  Type.Object({
    requests_per_minute: nullable(
      Type.Integer({ minimum: 1, maximum: MAX_REQUESTS, description: "Null means no limit." }),
    ),
    webhooks_per_month: nullable(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "Null means no limit." }),
    ),
  }),
);

export const PlanModel = named(
  "Plan",
  Type.Object({
    name: Type.String(),
    requests_per_minute: nullable(Type.Integer({ description: "Null means no limit." })),
    webhooks_per_month: nullable(Type.Integer({ description: "Null means no limit." })),
  }),
);

export const PlanList = named("PlanList", Type.Object({ data: Type.Array(ref("Plan")) }));

export type AccountView = Static<typeof AccountModel>;
export type PlanView = Static<typeof PlanModel>;

export function viewOfAccount(account: Account): AccountView {
  return {
    id: toText("acc", account.id),
    name: account.name,
    plan: account.plan,
    external_id: account.externalId,
    created_at: formatInstant(account.createdAt),
  };
}

export function viewOfPlan(plan: Plan): PlanView {
  return {
    name: plan.name,
    requests_per_minute: plan.requestsPerMinute,
    webhooks_per_month: plan.webhooksPerMonth,
  };
}

export const ACCOUNT_EXAMPLE = {
  id: "acc_01k9x3s0k2c4bt6m8n1p3r5s7x",
  name: "Example shop",
  plan: "starter",
  external_id: "shop-42",
  created_at: "2026-01-31T12:00:00.000Z",
} satisfies AccountView;

export const PLAN_EXAMPLE = {
  name: "starter",
  requests_per_minute: 600,
  webhooks_per_month: 50_000,
} satisfies PlanView;
