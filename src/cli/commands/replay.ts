import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { Replay } from "../../client";
import { watchJob } from "../progress";
import type { Add } from "./command";
import { readStatus } from "./values";

export const addReplay: Add = (parent, session) => {
  parent
    .command("replay <endpoint>")
    .summary("Send an endpoint's deliveries again.")
    .description("Send an endpoint's deliveries again, in their order, and show the progress.")
    .option("--after <time>", "only deliveries created at or after this time (ISO 8601; UTC by default)")
    .option("--before <time>", "only deliveries created before this time (default: now)")
    .option(
      "--status <status>",
      "only delivered, failed or cancelled deliveries (default: delivered and failed)",
      ended,
    )
    .option("--missing", "the events that the endpoint wants and never got, instead of its deliveries")
    .option("--event <type>", "only deliveries of this event type")
    .option("--no-wait", "start the job without waiting for its end")
    .action(async (endpoint, { wait, ...range }) => {
      const hermod = await session.hermod();
      const job = await hermod.jobs.replay(endpoint, range);
      if (wait) await watchJob(session, hermod, job.id);
      else session.output.one(job);
    });
};

function ended(text: string): NonNullable<Replay["status"]> {
  const status = readStatus(text);
  if (status === "pending")
    throw new InvalidArgumentError(
      "Pending deliveries are still to be sent: give delivered, failed or cancelled.",
    );
  return status;
}
