import { and, asc, desc, eq, sql as expression, getTableColumns, lt, type SQL } from "drizzle-orm";
import { ensureBelowLimit } from "../accounts/limit";
import { readFirst } from "../cold/blocks";
import type { Database } from "../db/database";
import type { PageRequest } from "../db/page";
import type { AnySql, Fragment, TransactionSql } from "../db/pool";
import { jobs } from "../db/schema";
import { typed } from "../db/typed";
import { BEFORE_ALL_IDS } from "../deliveries/lists/cursor";
import { type AccountId, type DeliveryId, type JobId, leastIdAt, newId } from "../domain/ids";
import type { JobState } from "../domain/job";
import type { Job, Resend, Task } from "./job";
import { type JobRange, rangeOf, selectEvents, selectRange } from "./range";

/** Most deliveries of a range that are counted. */
export const MAX_TOTAL = 100_000;
/** Most running jobs of an account. They take turns at their steps. */
export const RUNNING_JOBS = { most: 100, kind: "running jobs" };

/** The columns of a `RunningJob`, and of a `Job`. */
const { nextStepAt: _, ...columns } = getTableColumns(jobs);
export const RUNNING_JOB_COLUMNS = columns;
const {
  position: _position,
  waitedMs: _waitedMs,
  remaining: _remaining,
  atOriginOnly: _atOriginOnly,
  ...JOB_COLUMNS
} = columns;

/** Number of ended jobs that `current` lists. */
export const LATEST_JOBS = 20;

/** An account's jobs. Every method throws `DatabaseUnavailable`. */
export class Jobs {
  constructor(
    private readonly db: Database,
    /** To be called after the commit of a new job. */
    readonly onCreated: () => void = () => {},
    /** True if old deliveries may be in files. */
    private readonly hasFiles = false,
  ) {}

  /**
   * Creates a job in the caller's transaction. The caller calls `onCreated` after its commit. `hops` counts the deliveries that
   * led to the job. Throws `LimitReached`.
   */
  async create(sql: TransactionSql, accountId: AccountId, task: Task, hops = 0): Promise<Job> {
    const isRunning = and(eq(jobs.accountId, accountId), eq(jobs.state, "running"));
    const running = typed(sql).select({ id: jobs.id }).from(jobs).where(isRunning);
    await ensureBelowLimit(sql, accountId, RUNNING_JOBS, running);
    const position = startOf(task);
    const total = await this.totalOf(sql, accountId, task);
    const row = { ...task, id: newId("job", hops), accountId, position, total };
    const [job] = await typed(sql).insert(jobs).values(row).returning(JOB_COLUMNS);
    if (!job) throw new Error("the insert of a job returned no row");
    return job as Job;
  }

  /** Counts the items of a task; null if they are too many, or partly in files. */
  private async totalOf(sql: TransactionSql, accountId: AccountId, task: Task): Promise<number | null> {
    if (task.kind === "resend") return task.remaining.length;
    const position = startOf(task);
    const span = { first: position, last: leastIdAt(task.createdBefore) };
    if (this.hasFiles && (await readFirst(sql, accountId, span)) !== null) return null;
    const total = await countIn(sql, { ...task, accountId, position });
    return total > MAX_TOTAL ? null : total;
  }

  /** Lists a page of jobs, newest first; only those in a state if one is given. */
  async page(
    accountId: AccountId,
    { limit, beyond }: PageRequest<JobId>,
    state: JobState | undefined,
  ): Promise<Job[]> {
    const those = and(
      eq(jobs.accountId, accountId),
      state && eq(jobs.state, state),
      beyond && lt(jobs.id, beyond),
    );
    const found = await this.db.run((sql) =>
      typed(sql).select(JOB_COLUMNS).from(jobs).where(those).orderBy(desc(jobs.id)).limit(limit),
    );
    return found as Job[];
  }

  /** Lists the running jobs and the latest ended ones, oldest first. */
  async current(accountId: AccountId): Promise<Job[]> {
    const isOwn = eq(jobs.accountId, accountId);
    const found = await this.db.run((sql) => {
      const select = () => typed(sql).select(JOB_COLUMNS).from(jobs);
      const latest = select().where(isOwn).orderBy(desc(jobs.id)).limit(LATEST_JOBS);
      return latest.union(select().where(and(isOwn, eq(jobs.state, "running")))).orderBy(asc(jobs.id));
    });
    return found as Job[];
  }

  get(accountId: AccountId, id: JobId): Promise<Job | null> {
    return this.db.run((sql) => this.find(sql, accountId, id));
  }

  async find(sql: AnySql, accountId: AccountId, id: JobId): Promise<Job | null> {
    const [job] = await typed(sql).select(JOB_COLUMNS).from(jobs).where(isJob(accountId, id));
    return (job as Job | undefined) ?? null;
  }

  /** Cancels a running job, after its current step if there is one. Returns null if it is not running. */
  async cancel(sql: TransactionSql, accountId: AccountId, id: JobId): Promise<Job | null> {
    const [job] = await typed(sql)
      .update(jobs)
      .set({ state: "cancelled", completedAt: expression`now()` })
      .where(and(isJob(accountId, id), eq(jobs.state, "running")))
      .returning(JOB_COLUMNS);
    return (job as Job | undefined) ?? null;
  }
}

/** Counts the items in a job's range, each kind up to `MAX_TOTAL` + 1. */
async function countIn(
  sql: TransactionSql,
  scope: Exclude<Task, Resend> & Pick<JobRange, "accountId" | "position">,
) {
  const range = await rangeOf(sql, scope);
  const parts = itemsOf(scope).map(
    (select): Fragment => sql`(${select(sql, range, sql`i.id`, MAX_TOTAL + 1)})`,
  );
  const counts = parts.map((part): Fragment => sql`(select count(*) from ${part} as part)`);
  const [{ total } = { total: 0 }] = await sql<{ total: number }[]>`
    select ${counts.reduce((sum, count): Fragment => sql`${sum} + ${count}`)} as total
  `;
  return total;
}

/** Returns the selections that a job reads. An event may have no delivery, so an erasure of all endpoints reads both. */
function itemsOf({ kind, endpointId }: Exclude<Task, Resend>): (typeof selectRange | typeof selectEvents)[] {
  if (kind === "missing_replay") return [selectEvents];
  return kind === "erasure" && endpointId === null ? [selectRange, selectEvents] : [selectRange];
}

/** The position before all deliveries of the task. */
function startOf({ createdFrom }: Task): DeliveryId {
  return createdFrom === null ? BEFORE_ALL_IDS : (leastIdAt(createdFrom) as DeliveryId);
}

function isJob(accountId: AccountId, id: JobId): SQL | undefined {
  return and(eq(jobs.id, id), eq(jobs.accountId, accountId));
}
