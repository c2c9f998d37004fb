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
  const group = parent.command("jobs").description("Replays and erasures, which go on by themselves.");
  group
    .command("list")
    .description("Jobs, newest first.")
    .option("--limit <n>", "how many at most", wholeNumber(1), LIMIT)
    .action(async ({ limit }) => {
      const hermod = await session.hermod();
      await session.output.list(hermod.jobs.all(), COLUMNS, limit);
    });
  group
    .command("get <id>")
    .description("Look at one.")
    .action(async (id) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.jobs.get(id));
    });
  group
    .command("watch <id>")
    .description("Show how one goes, up to its end; Ctrl-C leaves it to itself.")
    .action(async (id) => watchJob(session, await session.hermod(), id));
  group
    .command("cancel <id>")
    .description("End one that is running; what it has done stays.")
    .action(async (id) => {
      const hermod = await session.hermod();
      session.output.one(await hermod.jobs.cancel(id));
    });
};
