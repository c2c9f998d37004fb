import { and, desc, eq, sql as expression, gt, lte, or, type SQL } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { StoreUnavailable } from "../cold/store";
import { type Database, isTemporary } from "../db/database";
import type { TransactionSql } from "../db/pool";
import { jobs } from "../db/schema";
import { typed } from "../db/typed";
import { type AccountId, type JobId, toText } from "../domain/ids";
import { RulesSuspended } from "../event-types/rules-threads";
import type { Clock } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Loop } from "../runtime/loop";
import { QueueFull } from "../runtime/queues/batcher";
import type { Erasure, JobProgress, MissingReplay, Replay, Resend, RunningJob, Task } from "./job";
import { RUNNING_JOB_COLUMNS } from "./jobs";

/** Does a bounded piece of a job's work, in the transaction that stores its progress. */
export type JobStep<T extends Task> = (sql: TransactionSql, job: RunningJob<T>) => Promise<JobProgress>;

export type JobSteps = {
  replay: JobStep<Replay>;
  missing_replay: JobStep<MissingReplay>;
  resend: JobStep<Resend>;
  erasure: JobStep<Erasure>;
};

export type JobRunnerOptions = {
  db: Database;
  clock: Clock;
  log: Log;
  steps: JobSteps;
};

/**
 * Interval between polls for work: starts at `first`, doubles up to `most`. A job that this process created starts at once.
 */
const CHECK_EVERY_MS = { first: 100, most: 1_000 };
/** Pause before a step that Postgres could not run is retried. Other jobs go first. */
const POSTPONED_MS = 200;
/**
 * Pause before the next step of a job that did not move: starts at `first`, doubles up to `most`.
 */
const STALLED_MS = { first: 100, most: 10_000 };
/** Largest share of time in which jobs run, which leaves Postgres to live traffic. */
const SHARE = 0.25;

/**
 * Runs jobs, one step at a time. Accounts take turns, and an account's longest-waiting job goes first. A step is a transaction
 * that locks the job's row, does its piece and stores the progress. So a crash neither repeats nor skips anything, any process
 * may run the next step, and no two processes run the same step.
 */
export class JobRunner {
  private readonly loop: Loop;
  private idleMs = CHECK_EVERY_MS.first;
  /** The last account that had its turn. */
  private served: AccountId | null = null;

  constructor(private readonly options: JobRunnerOptions) {
    this.loop = new Loop({
      clock: options.clock,
      round: () => this.round(),
      failed: (error) => {
        options.log.debug(describeError(error), "could not run a step of a job; retrying");
        return this.idle();
      },
    });
  }

  start(): void {
    this.loop.start();
  }

  /** Resolves once the running step is over. */
  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** Looks for work at once: there is a new job. */
  wake(): void {
    this.loop.wake();
  }

  private async round(): Promise<number> {
    const { clock } = this.options;
    const startedAt = clock.monotonic();
    const progress = await this.step();
    if (progress === null) return this.idle();
    progress.afterCommit();
    this.idleMs = CHECK_EVERY_MS.first;
    const took = clock.monotonic() - startedAt;
    return took / SHARE - took;
  }

  /** Returns the pause after a round without work. */
  private idle(): number {
    const ms = this.idleMs;
    this.idleMs = Math.min(ms * 2, CHECK_EVERY_MS.most);
    return ms;
  }

  /** Runs one step. Returns null if there is nothing to do now. */
  private async step(): Promise<JobProgress | null> {
    let taken: JobId | null = null;
    try {
      return await this.options.db.transaction(async (sql) => {
        const job = await nextJob(sql, this.served);
        if (job === null) return null;
        taken = job.id;
        this.served = job.accountId;
        const progress = await makeStep(this.options.steps, sql, job);
        await saveProgress(sql, job, progress);
        return progress;
      });
    } catch (error) {
      // A job that fails, or can't continue now, must not block the others.
      if (taken !== null) await (isTransient(error) ? this.postpone(taken) : this.fail(taken, error));
      throw error;
    }
  }

  private async postpone(id: JobId): Promise<void> {
    await this.change(id, { nextStepAt: inMs(POSTPONED_MS) });
  }

  private async fail(id: JobId, error: unknown): Promise<void> {
    this.options.log.error(
      { job_id: toText("job", id), ...describeError(error) },
      "a job failed for good; its account sees the state failed",
    );
    const failure = "Internal error. The service's log has the cause under this job's id.";
    await this.change(id, { state: "failed", failure, completedAt: expression`now()` });
  }

  private async change(id: JobId, set: PgUpdateSetSource<typeof jobs>): Promise<void> {
    const isRunning = and(eq(jobs.id, id), eq(jobs.state, "running"));
    await this.options.db.run((sql) => typed(sql).update(jobs).set(set).where(isRunning));
  }
}

function makeStep(steps: JobSteps, sql: TransactionSql, job: RunningJob): Promise<JobProgress> {
  switch (job.kind) {
    case "replay":
      return steps.replay(sql, job);
    case "missing_replay":
      return steps.missing_replay(sql, job);
    case "resend":
      return steps.resend(sql, job);
    case "erasure":
      return steps.erasure(sql, job);
  }
}

function isTransient(error: unknown): boolean {
  return (
    [QueueFull, RulesSuspended, StoreUnavailable].some((kind) => error instanceof kind) || isTemporary(error)
  );
}

/** Selects the next job. A job with an impossibly long wait is due too: Postgres' clock was set back. */
async function nextJob(sql: TransactionSql, served: AccountId | null): Promise<RunningJob | null> {
  const { accountId, nextStepAt } = jobs;
  const isDue = or(lte(nextStepAt, expression`now()`), gt(nextStepAt, inMs(2 * STALLED_MS.most)));
  const turn = served === null ? [] : [desc(gt(accountId, served))];
  const [job] = await typed(sql)
    .select(RUNNING_JOB_COLUMNS)
    .from(jobs)
    .where(and(eq(jobs.state, "running"), isDue))
    .orderBy(...turn, accountId, nextStepAt)
    .limit(1)
    .for("update", { skipLocked: true });
  return (job as RunningJob | undefined) ?? null;
}

/** Returns the next wait of a job that a step did not move. */
export function waitAfter(waitedMs: number): number {
  return Math.min(Math.max(waitedMs * 2, STALLED_MS.first), STALLED_MS.most);
}

async function saveProgress(
  sql: TransactionSql,
  { id, waitedMs }: RunningJob,
  progress: JobProgress,
): Promise<void> {
  const { position, remaining, examined, done, next } = progress;
  const failure = typeof next === "object" ? next.failure : null;
  const state = failure !== null ? "failed" : next === "completed" ? "completed" : "running";
  const afterMs = next === "stalled" ? waitAfter(waitedMs) : 0;
  const completedAt = state === "running" ? null : expression`now()`;
  await typed(sql)
    .update(jobs)
    .set({
      position,
      ...(remaining !== undefined && { remaining: [...remaining] }),
      examined,
      done,
      failure,
      state,
      completedAt,
      waitedMs: afterMs,
      nextStepAt: inMs(afterMs),
    })
    .where(eq(jobs.id, id));
}

/** SQL: the time `ms` milliseconds from now, on Postgres' clock. */
function inMs(ms: number): SQL {
  return expression`clock_timestamp() + ${ms}::float8 * interval '1 millisecond'`;
}
