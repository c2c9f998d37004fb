import { type Database, DatabaseUnavailable } from "../db/database";
import { isRetryable, type TransactionSql } from "../db/pool";
import type { Clock } from "../runtime/clock";
import { type AccountId, type JobId, toText } from "../runtime/ids";
import { describeError, type Log } from "../runtime/log";
import { Loop } from "../runtime/loop";
import type { Erasure, Progress, Replay, RunningJob, Task } from "./job";
import { jobColumns } from "./jobs";

/** One bounded piece of a job's work, in the transaction that keeps its progress. */
export type Step<T extends Task> = (sql: TransactionSql, job: RunningJob<T>) => Promise<Progress>;

export type Steps = { replay: Step<Replay>; erasure: Step<Erasure> };

export type JobRunnerOptions = {
  db: Database;
  clock: Clock;
  log: Log;
  steps: Steps;
};

/** How often it is looked whether there is work: at first, doubling to the second; a job of this process begins at once. */
const LOOK_EVERY_MS = { first: 100, most: 1_000 };
/** A step that Postgres did not do is tried again after this long, milliseconds: behind those whose turn it is by then. */
const POSTPONED_MS = 200;
/** A job that a step did not move is looked at again after so long, milliseconds: at first, doubling to the second. */
const STALLED_MS = { first: 100, most: 10_000 };
/** Jobs may take this share of the time at most, so that they leave Postgres to what is live. */
const SHARE = 0.25;

/**
 * Works on jobs, a step at a time: accounts in turns, and of an account the job that has waited longest. A step is a
 * transaction that holds the job's row, does its piece and keeps the progress: so a crash neither repeats nor skips
 * anything, any process may do the next step, and no two do one at the same time.
 */
export class JobRunner {
  private readonly loop: Loop;
  private idleMs = LOOK_EVERY_MS.first;
  /** The last account whose turn it was. */
  private served: AccountId | null = null;

  constructor(private readonly options: JobRunnerOptions) {
    this.loop = new Loop({
      clock: options.clock,
      round: () => this.round(),
      failed: (error) => {
        options.log.debug(describeError(error), "a step of a job is tried again");
        return this.idle();
      },
    });
  }

  start(): void {
    this.loop.start();
  }

  /** Resolves once the step under way is over. */
  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** There is a new job. */
  wake(): void {
    this.loop.wake();
  }

  private async round(): Promise<number> {
    const { clock } = this.options;
    const startedAt = clock.monotonic();
    const progress = await this.step();
    if (progress === null) return this.idle();
    progress.announce();
    this.idleMs = LOOK_EVERY_MS.first;
    const took = clock.monotonic() - startedAt;
    return took / SHARE - took;
  }

  /** How long to rest when there was nothing to do. */
  private idle(): number {
    const ms = this.idleMs;
    this.idleMs = Math.min(ms * 2, LOOK_EVERY_MS.most);
    return ms;
  }

  /** Null when there is nothing to do now. */
  private async step(): Promise<Progress | null> {
    let taken: JobId | null = null;
    try {
      return await this.options.db.transaction(async (sql) => {
        const job = await nextJob(sql, this.served);
        if (job === null) return null;
        taken = job.id;
        this.served = job.accountId;
        const progress = await makeStep(this.options.steps, sql, job);
        await keep(sql, job, progress);
        return progress;
      });
    } catch (error) {
      // A job that can't go on, or not now, must not keep the others from it.
      if (taken !== null) await (isTransient(error) ? this.postpone(taken) : this.fail(taken, error));
      throw error;
    }
  }

  private async postpone(id: JobId): Promise<void> {
    await this.options.db.run(
      (sql) => sql`
        update jobs set next_step_at = clock_timestamp() + ${POSTPONED_MS} * interval '1 millisecond'
        where id = ${id} and state = 'running'`,
    );
  }

  private async fail(id: JobId, error: unknown): Promise<void> {
    this.options.log.error({ job_id: toText("job", id), ...describeError(error) }, "a job failed");
    await this.options.db.run(
      (sql) => sql`
        update jobs set state = 'failed', failure = 'Something went wrong on our side', completed_at = now()
        where id = ${id} and state = 'running'`,
    );
  }
}

function makeStep(steps: Steps, sql: TransactionSql, job: RunningJob): Promise<Progress> {
  return job.kind === "replay" ? steps.replay(sql, job) : steps.erasure(sql, job);
}

function isTransient(error: unknown): boolean {
  return error instanceof DatabaseUnavailable || isRetryable(error);
}

/** One that waits for far longer than any does has its turn: Postgres' clock has been set back since. */
async function nextJob(sql: TransactionSql, served: AccountId | null): Promise<RunningJob | null> {
  const [job] = await sql<RunningJob[]>`
    select ${jobColumns(sql)}, j.position, j.waited_ms as "waitedMs" from jobs j
    where j.state = 'running' and (j.next_step_at <= now()
      or j.next_step_at > now() + ${2 * STALLED_MS.most} * interval '1 millisecond')
    order by ${served === null ? sql`` : sql`j.account_id > ${served} desc,`} j.account_id, j.next_step_at
    limit 1
    for update skip locked
  `;
  return job ?? null;
}

/** How long a job waits that waited so long for a step that did not move it. */
export function waitAfter(waitedMs: number): number {
  return Math.min(Math.max(waitedMs * 2, STALLED_MS.first), STALLED_MS.most);
}

async function keep(sql: TransactionSql, { id, waitedMs }: RunningJob, progress: Progress): Promise<void> {
  const { position, lookedAt, done, next } = progress;
  const failure = typeof next === "object" ? next.failure : null;
  const state = failure !== null ? "failed" : next === "completed" ? "completed" : "running";
  const afterMs = next === "stalled" ? waitAfter(waitedMs) : 0;
  await sql`
    update jobs set position = ${position}, looked_at = ${lookedAt}, done = ${done}, failure = ${failure},
      state = ${state}::job_state, completed_at = case when ${state !== "running"} then now() end,
      waited_ms = ${afterMs}, next_step_at = clock_timestamp() + ${afterMs} * interval '1 millisecond'
    where id = ${id}
  `;
}
