import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { MonthlyUsage, Usage } from "../accounts/usage";
import { answer } from "../api/answer";
import type { Guard } from "../api/guard";
import { formatInstant } from "../api/lists/instant";
import { operation } from "../api/openapi/operation";
import { named, nullable, timestamp } from "../api/openapi/schema";
import type { Clock } from "../runtime/clock";

const UsagePeriod = named(
  "UsagePeriod",
  Type.Object(
    { start: timestamp(), end: timestamp("Exclusive.") },
    { description: "The calendar month in UTC." },
  ),
);
const UsedWebhooks = named(
  "UsedWebhooks",
  Type.Object({
    used: Type.Integer(),
    limit: nullable(Type.Integer({ description: "Null means no limit." })),
    remaining: nullable(Type.Integer({ description: "Null means no limit." })),
  }),
);
const UsageModel = named(
  "Usage",
  Type.Object({
    plan: Type.String(),
    period: UsagePeriod,
    webhooks: UsedWebhooks,
    requests_per_minute: nullable(Type.Integer({ description: "Null means no limit." })),
  }),
);

const EXAMPLE = {
  plan: "starter",
  period: { start: "2026-01-01T00:00:00.000Z", end: "2026-02-01T00:00:00.000Z" },
  webhooks: { used: 1_250, limit: 50_000, remaining: 48_750 },
  requests_per_minute: 600,
} satisfies Static<typeof UsageModel>;

/** /billing/usage */
export function usageRoutes(guard: Guard, { usage, clock }: { usage: Usage; clock: Clock }) {
  return new Elysia({ prefix: "/billing" }).use(guard).get(
    "/usage",
    async ({ call: { principal, allowance } }) => {
      const month = await usage.current(principal.accountId, clock.now());
      return answer(allowance, 200, viewOf(month, principal.requestsPerMinute));
    },
    operation({
      id: "getUsage",
      permission: "stats:read",
      tag: "Account",
      summary: "Get the current month's usage",
      success: { status: 200, description: "The current month.", schema: UsageModel, example: EXAMPLE },
    }),
  );
}

function viewOf(month: MonthlyUsage, requestsPerMinute: number | null): Static<typeof UsageModel> {
  const { plan, period, used, limit } = month;
  return {
    plan,
    period: { start: formatInstant(period.start), end: formatInstant(period.end) },
    webhooks: { used, limit, remaining: limit === null ? null : Math.max(0, limit - used) },
    requests_per_minute: requestsPerMinute,
  };
}
