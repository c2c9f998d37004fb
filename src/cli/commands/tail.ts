import type { Add } from "./command";
import { searchOf, withSearch } from "./search";
import { wholeNumber } from "./values";
import { DELIVERY_COLUMNS } from "./webhooks";

export const addTail: Add = (parent, session) => {
  withSearch(parent.command("tail"))
    .summary("Follow deliveries as they are accepted.")
    .description(
      "Follow deliveries as they are accepted, oldest first, without gaps, until Ctrl-C. Shows each once, in the " +
        "status that it then has. Waits while the service can't be reached.",
    )
    .option("--from <place>", "`now`, `start`, or an iterator from the API", "now")
    .option("--interval <ms>", "the time between two requests", wholeNumber(10), 1_000)
    .action(async ({ from, interval, ...search }) => {
      // Fails at once with a wrong address or key.
      await (await session.hermod()).webhooks.list({ limit: 1 });
      const hermod = await session.patientHermod();
      const options = { from, intervalMs: interval, signal: session.surroundings.untilEnded() };
      await session.output.all(hermod.webhooks.follow(searchOf(search), options), DELIVERY_COLUMNS);
    });
};
