import { confirm } from "../confirm";
import { UsageError } from "../failure";
import { watchJob } from "../progress";
import type { Add } from "./command";

export const addErase: Add = (parent, session) => {
  parent
    .command("erase")
    .summary("Erase the payloads of many deliveries for good.")
    .description(
      "Erase the payloads of many deliveries for good, and show the progress. At least one condition must be given; " +
        "`webhooks erase` is for a single one.",
    )
    .option("--event <type>", "only of this event type")
    .option("--endpoint <id>", "only of deliveries to this endpoint, which may be deleted")
    .option("--after <time>", "only from this time on (ISO 8601; UTC unless it says otherwise)")
    .option("--before <time>", "only from before this time (default: now)")
    .option("--no-wait", "start it, but don't wait for its end")
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
