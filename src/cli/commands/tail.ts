import type { Add } from "./command";
import { filtersOf, withFilters } from "./search";
import { DELIVERY_COLUMNS } from "./webhooks";

export const addTail: Add = (parent, session) => {
  withFilters(parent.command("tail"))
    .summary("Follow deliveries as they are accepted.")
    .description(
      "Follow deliveries as they are accepted, oldest first, without gaps, until Ctrl-C. Shows each once, and " +
        "with --status once it has that status. Waits while the service can't be reached.",
    )
    .option("--from <place>", "`now`, `start`, or an iterator from the API", "now")
    .option("--changes", "show a delivery again when its status changes")
    .action(async ({ from, changes, ...filters }) => {
      // Fails at once with a wrong address or key.
      await (await session.hermod()).webhooks.list({ limit: 1 });
      const { webhooks } = await session.patientHermod();
      const query = filtersOf(filters);
      const options = { from, signal: session.context.untilEnded() };
      const found = changes ? webhooks.followChanges(query, options) : webhooks.follow(query, options);
      await session.output.all(found, DELIVERY_COLUMNS);
    });
};
