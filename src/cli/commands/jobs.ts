import type { Job } from "../../client";
import type { Columns } from "../output";
import { watchJob } from "../progress";
import type { Add } from "./command";
import { wholeNumber } from "./values";

const COLUMNS: Columns<Job> = [
  ["CREATED", 24, ({ created_at }) => created_at],
  ["ID", 30, ({ id }) => id],
  ["KIND", 14, ({ kind }) => kind],
  ["STATUS", 9, ({ status }) => status],
  ["EXAMINED", 8, ({ progress }) => progress.examined],
  ["DONE", 0, ({ progress }) => progress.done],
];

const LIMIT = 20;

export const addJobs: Add = (parent, session) => {
  const group = parent
    .command("jobs")
    .description("Follow replays and erasures, which run in the background.");
  group
    .command("list")
    .description("List the jobs, newest first.")
    .option("--limit <n>", "show at most this many", wholeNumber(1), LIMIT)
    .action(async ({ limit }) => {
      const hermod = await session.hermod();
      await session.output.list(hermod.jobs.all(), COLUMNS, limit);
    });
  group
    .command("get <id>")
    .description("Show a job.")
    .action(async (id) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.jobs.get(id));
    });
  group
    .command("watch <id>")
    .description("Show a job's progress until it ends. Ctrl-C ends the display, not the job.")
    .action(async (id) => watchJob(session, await session.hermod(), id));
  group
    .command("cancel <id>")
    .description("Cancel a running job. Its finished work stays.")
    .action(async (id) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.jobs.cancel(id));
    });
};
