import { Elysia } from "elysia";
import type { Stats } from "../../deliveries/stats";
import { answer } from "../answer";
import type { Guard } from "../guard";
import { operation } from "../openapi/operation";
import { ref } from "../openapi/schema";
import { STATS_EXAMPLE, viewOfStats } from "./model";

const statistics = operation("GET", {
  id: "getStats",
  permission: "stats:read",
  tag: "Account",
  summary: "Get the account's statistics",
  success: {
    status: 200,
    description: "The exact figures at this moment.",
    schema: ref("Stats"),
    example: STATS_EXAMPLE,
  },
});

/** /stats */
export function statsRoutes(guard: Guard, { stats }: { stats: Stats }) {
  return new Elysia({ prefix: "/stats" }).use(guard).get(
    "",
    async ({ call }) => {
      const figures = await stats.of(call.principal.accountId);
      return answer(call.allowance, 200, viewOfStats(figures));
    },
    { operation: statistics },
  );
}
