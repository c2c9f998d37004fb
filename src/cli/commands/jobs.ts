import { watchJob } from "../progress";
import type { Add } from "./command";
import { groupOf } from "./group";

export const addJobs: Add = (parent, session) => {
  groupOf(parent, "jobs")
    .command("watch <id>")
    .description("Show a job's progress until it ends. Ctrl-C ends the display, not the job.")
    .action(async (id) => watchJob(session, await session.hermod(), id));
};
