import { type Add, wholeNumber } from "./command";
import { readStatus } from "./status";
import { DELIVERY_COLUMNS } from "./webhooks";

export const addTail: Add = (parent, session) => {
  parent
    .command("tail")
    .summary("Follow deliveries as they are accepted.")
    .description(
      "Follow deliveries as they are accepted, oldest first, none left out, until Ctrl-C. Each is shown once, in the " +
        "status that it has when it is read.",
    )
    .option("--status <status>", "only pending, delivered, failed or cancelled ones", readStatus)
    .option("--event <type>", "only this event type")
    .option("--endpoint <id>", "only to this endpoint")
    .option("--from <place>", "`now`, `start`, or an iterator that the API gave", "now")
    .option("--interval <ms>", "between two looks", wholeNumber(10), 1_000)
    .action(async ({ status, event, endpoint, from, interval }) => {
      const hermod = await session.hermod();
      const query = { status, event_type: event, endpoint_id: endpoint };
      const options = { from, intervalMs: interval, signal: session.surroundings.untilEnded() };
      await session.output.all(hermod.webhooks.follow(query, options), DELIVERY_COLUMNS);
    });
};
