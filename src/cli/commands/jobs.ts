import type { Job } from "../../client";
import type { Columns } from "../output";
import { watchJob } from "../progress";
import { type Add, wholeNumber } from "./command";

const COLUMNS: Columns<Job> = [
  ["CREATED", 24, ({ created_at }) => created_at],
  ["ID", 30, ({ id }) => id],
  ["KIND", 7, ({ kind }) => kind],
  ["STATUS", 9, ({ status }) => status],
  ["LOOKED AT", 9, ({ progress }) => progress.looked_at],
  ["DONE", 0, ({ progress }) => progress.done],
];

const LIMIT = 20;

export const addJobs: Add = (parent, session) => {
  const group = parent
    .command("jobs")
    .description("Follow replays and erasures, which run in the background.");
  group
    .command("list")
    .description("List them, newest first.")
    .option("--limit <n>", "at most this many", wholeNumber(1), LIMIT)
    .action(async ({ limit }) => {
      const hermod = await session.hermod();
      await session.output.list(hermod.jobs.all(), COLUMNS, limit);
    });
  group
    .command("get <id>")
    .description("Show one.")
    .action(async (id) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.jobs.get(id));
    });
  group
    .command("watch <id>")
    .description("Show one's progress until it ends; Ctrl-C stops watching only.")
    .action(async (id) => watchJob(session, await session.hermod(), id));
  group
    .command("cancel <id>")
    .description("Cancel one that is running; what it has done stays done.")
    .action(async (id) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.jobs.cancel(id));
    });
};
