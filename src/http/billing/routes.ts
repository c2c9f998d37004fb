import { Elysia } from "elysia";
import type { Usage } from "../../accounts/usage";
import type { Clock } from "../../runtime/clock";
import { answer } from "../answer";
import type { Guard } from "../guard";
import { operation } from "../openapi/operation";
import { ref } from "../openapi/schema";
import { USAGE_EXAMPLE, viewOfUsage } from "./model";

const usageOfMonth = operation("GET", {
  id: "getUsage",
  permission: "stats:read",
  tag: "Account",
  summary: "Get the current month's usage",
  success: { status: 200, description: "The current month.", schema: ref("Usage"), example: USAGE_EXAMPLE },
});

/** /billing */
export function billingRoutes(guard: Guard, { usage, clock }: { usage: Usage; clock: Clock }) {
  return new Elysia({ prefix: "/billing" }).use(guard).get(
    "/usage",
    async ({ call: { principal, allowance } }) => {
      const month = await usage.current(principal.accountId, clock.now());
      return answer(allowance, 200, viewOfUsage(month, principal.requestsPerMinute));
    },
    { operation: usageOfMonth },
  );
}
