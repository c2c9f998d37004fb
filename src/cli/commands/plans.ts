import type { Plan } from "../../client";
import type { Columns } from "../output";
import type { Add } from "./command";
import { numberOrNone, orNull } from "./values";

const COLUMNS: Columns<Plan> = [
  ["NAME", 20, ({ name }) => name],
  ["REQUESTS/MINUTE", 15, ({ requests_per_minute }) => requests_per_minute],
  ["WEBHOOKS/MONTH", 14, ({ webhooks_per_month }) => webhooks_per_month],
];

export const addPlans: Add = (parent, session) => {
  const group = parent.command("plans").description("Manage accounts' limits; needs the permission admin.");
  group
    .command("list")
    .description("List the plans by name.")
    .action(async () => {
      const hermod = await session.hermod();
      const { data } = await hermod.admin.listPlans();
      await session.output.list(data, COLUMNS);
    });
  group
    .command("set <name>")
    .description("Create a plan, or change it for all its accounts.")
    .requiredOption("--requests-per-minute <n>", "the limit, or `none`", numberOrNone(1))
    .requiredOption("--webhooks-per-month <n>", "the limit, or `none`", numberOrNone(0))
    .action(async (name, { requestsPerMinute, webhooksPerMonth }) => {
      const limits = {
        requests_per_minute: orNull(requestsPerMinute),
        webhooks_per_month: orNull(webhooksPerMonth),
      };
      const hermod = await session.hermod();
      session.output.one(await hermod.admin.putPlan(name, limits));
    });
};
