import { type Static, Type } from "@sinclair/typebox";
import type { MonthlyUsage } from "../../accounts/usage";
import { formatInstant } from "../lists/instant";
import { named, nullable, timestamp } from "../openapi/schema";

const period = named(
  "UsagePeriod",
  Type.Object(
    { start: timestamp(), end: timestamp("Exclusive.") },
    { description: "The calendar month in UTC." },
  ),
);
const webhooks = named(
  "UsedWebhooks",
  Type.Object({
    used: Type.Integer(),
    limit: nullable(Type.Integer({ description: "Null means no limit." })),
    remaining: nullable(Type.Integer({ description: "Null means no limit." })),
  }),
);

export const UsageModel = named(
  "Usage",
  Type.Object({
    plan: Type.String(),
    period,
    webhooks,
    requests_per_minute: nullable(Type.Integer({ description: "Null means no limit." })),
  }),
);

export type UsageView = Static<typeof UsageModel>;

/** Returns the API's form of an account's month. */
export function viewOfUsage(usage: MonthlyUsage, requestsPerMinute: number | null): UsageView {
  const { plan, period, used, limit } = usage;
  return {
    plan,
    period: { start: formatInstant(period.start), end: formatInstant(period.end) },
    webhooks: { used, limit, remaining: limit === null ? null : Math.max(0, limit - used) },
    requests_per_minute: requestsPerMinute,
  };
}

export const USAGE_EXAMPLE = {
  plan: "starter",
  period: { start: "2026-01-01T00:00:00.000Z", end: "2026-02-01T00:00:00.000Z" },
  webhooks: { used: 1_250, limit: 50_000, remaining: 48_750 },
  requests_per_minute: 600,
} satisfies UsageView;
