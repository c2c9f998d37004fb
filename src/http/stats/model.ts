import { type Static, Type } from "@sinclair/typebox";
import type { AccountStats } from "../../deliveries/stats";
import { named } from "../openapi/schema";

export const StatsModel = named(
  "Stats",
  Type.Object({
    total_deliveries: Type.Integer({
      description:
        "All stored deliveries, including cancelled ones. Ended deliveries are stored for HERMOD_RETENTION (30 days by default).",
    }),
    delivered: Type.Integer(),
    failed: Type.Integer(),
    pending: Type.Integer(),
    success_rate: Type.Number({
      description:
        "delivered / (delivered + failed) × 100, with two decimals; 0 if nothing was delivered or failed.",
    }),
    endpoints_count: Type.Integer(),
  }),
);

export type StatsView = Static<typeof StatsModel>;

/** Returns the API's form of an account's figures. */
export function viewOfStats(figures: AccountStats): StatsView {
  return {
    total_deliveries: figures.totalDeliveries,
    delivered: figures.delivered,
    failed: figures.failed,
    pending: figures.pending,
    success_rate: figures.successRate,
    endpoints_count: figures.endpointsCount,
  };
}

export const STATS_EXAMPLE = {
  total_deliveries: 1_250,
  delivered: 1_198,
  failed: 27,
  pending: 25,
  success_rate: 97.8,
  endpoints_count: 4,
} satisfies StatsView;
