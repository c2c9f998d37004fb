import { confirm } from "../confirm";
import { UsageError } from "../failure";
import { watchJob } from "../progress";
import type { Add } from "./command";

export const addErase: Add = (parent, session) => {
  parent
    .command("erase")
    .summary("Erase the payloads of many deliveries for good.")
    .description(
      "Erase the payloads of many deliveries for good, and show the progress. At least one condition is required. " +
        "For a single delivery use `webhooks erase`.",
    )
    .option("--event <type>", "only deliveries of this event type")
    .option("--endpoint <id>", "only deliveries to this endpoint, which may be deleted already")
    .option("--after <time>", "only deliveries created at or after this time (ISO 8601; UTC by default)")
    .option("--before <time>", "only deliveries created before this time (default: now)")
    .option("--no-wait", "start the job without waiting for its end")
    .option("--yes", "don't ask for confirmation")
    .action(async ({ event, endpoint, after, before, wait, yes }) => {
      const erasure = { event, endpoint_id: endpoint, after, before };
      const conditions = Object.entries(erasure).filter(([, value]) => value !== undefined);
      if (conditions.length === 0) {
        throw new UsageError("Give --event, --endpoint, --after or --before, or several of them");
      }
      const which = conditions.map(([name, value]) => `${name} ${value}`).join(", ");
      await confirm(session, `Erase the payloads of all deliveries with ${which} for good?`, yes);
      const hermod = await session.hermod();
      const job = await hermod.jobs.erase(erasure);
      if (wait) await watchJob(session, hermod, job.id);
      else session.output.one(job);
    });
};
