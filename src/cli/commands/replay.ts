import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { Job, Replay } from "../../client";
import { CommandFailed } from "../failure";
import { progressLine } from "../progress";
import type { Session } from "../session";
import type { Add } from "./command";
import { readStatus } from "./status";

export const addReplay: Add = (parent, session) => {
  parent
    .command("replay <endpoint>")
    .summary("Send an endpoint's deliveries again.")
    .description("Send an endpoint's deliveries again, in their order, and show how it goes.")
    .option("--after <time>", "only from this time on, ISO 8601")
    .option("--before <time>", "only from before this time; now unless given")
    .option(
      "--status <status>",
      "only delivered, failed or cancelled ones; unless given, the first two",
      ended,
    )
    .option("--event <type>", "only this event type")
    .option("--no-wait", "begin it, and leave it to itself")
    .action(async (endpoint, { wait, ...range }) => {
      const hermod = await session.hermod();
      const job = await hermod.jobs.replay(endpoint, range);
      if (!wait) return session.output.one(job);
      const signal = session.surroundings.untilEnded();
      await show(session, hermod.jobs.watch(job.id, { signal }), job);
    });
};

/** Shows a job up to its end. */
async function show(session: Session, jobs: AsyncIterable<Job>, begun: Job): Promise<void> {
  const { output } = session;
  let last = begun;
  for await (const job of jobs) {
    if (output.isJson) output.json(job);
    else output.progress(progressLine(job));
    last = job;
  }
  output.progress(null);
  if (last.status === "running") throw new CommandFailed(`${last.id} goes on without being watched`);
  if (last.status !== "completed") throw new CommandFailed(`${last.id} ${last.failure ?? "was cancelled"}`);
}

function ended(text: string): NonNullable<Replay["status"]> {
  const status = readStatus(text);
  if (status === "pending") throw new InvalidArgumentError("What is pending is still to be sent.");
  return status;
}
