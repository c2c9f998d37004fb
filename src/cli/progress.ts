import type { Hermod, Job } from "../client";
import { CommandFailed, EXIT } from "./failure";
import type { CommandSession } from "./session";

const WIDTH = 30;
const DONE: Record<Job["kind"], string> = {
  replay: "sent again",
  missing_replay: "sent",
  resend: "sent again",
  erasure: "erased",
};

/** Shows a job until it ends. A signal stops watching; the job continues. */
export async function watchJob(session: CommandSession, hermod: Hermod, id: string): Promise<void> {
  const signal = session.context.untilEnded();
  const last = await show(session, hermod.jobs.watch(id, { signal }));
  if (last === null || last.status === "running")
    throw new CommandFailed(
      `${id} is still running; it is no longer watched`,
      EXIT.failed,
      `hermod jobs watch ${id}`,
    );
  if (last.status !== "completed") throw new CommandFailed(`${id} ${last.failure ?? "was cancelled"}`);
}

async function show({ output }: CommandSession, jobs: AsyncIterable<Job>): Promise<Job | null> {
  let last: Job | null = null;
  try {
    for await (const job of jobs) {
      if (output.isJson) output.json(job);
      else output.progress(progressLine(job));
      last = job;
    }
  } finally {
    output.progress(null);
  }
  return last;
}

/** Writes a job's progress in one line, with a bar if the total is known. */
function progressLine({ kind, progress, status }: Job): string {
  const { total, examined: seen, done } = progress;
  const counts = `${seen}${total === null ? "" : `/${total}`} examined, ${done} ${DONE[kind]}, ${status}`;
  if (total === null) return counts;
  const share = total === 0 ? 1 : Math.min(1, seen / total);
  const full = Math.round(share * WIDTH);
  return `[${"#".repeat(full)}${".".repeat(WIDTH - full)}] ${Math.floor(share * 100)} %  ${counts}`;
}
