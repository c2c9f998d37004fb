import { ensureRoom } from "../accounts/limit";
import type { Database } from "../db/database";
import type { PageRequest } from "../db/page";
import type { AnySql, Fragment, TransactionSql } from "../db/pool";
import { unixMs } from "../db/sql/time";
import { BEFORE_ALL_IDS } from "../deliveries/lists/cursor";
import { type AccountId, type DeliveryId, type JobId, leastIdAt, newId } from "../domain/ids";
import type { Job, Task } from "./job";
import { rangeOf, selectEvents, selectRange } from "./range";

/** Largest range whose deliveries are counted. */
export const MAX_TOTAL = 100_000;
/** Most running jobs of an account. Each waits in the account's line for its steps. */
export const RUNNING_JOBS = { most: 100, what: "running jobs" };

/** An account's jobs. Every method throws `DatabaseUnavailable`. */
export class Jobs {
  constructor(
    private readonly db: Database,
    /** Called when there is work. */
    private readonly onCreated: () => void = () => {},
  ) {}

  /**
   * Creates a job in the caller's transaction; the caller calls `announce` after its commit. `hops`: deliveries that
   * led to the job. Throws `LimitReached`.
   */
  async create(sql: TransactionSql, accountId: AccountId, task: Task, hops = 0): Promise<Job> {
    const { kind, endpointId, event, status, createdFrom, createdBefore } = task;
    const running: Fragment = sql`select from jobs where account_id = ${accountId} and state = 'running'`;
    await ensureRoom(sql, accountId, RUNNING_JOBS, running);
    const position = startOf(task);
    const range = await rangeOf(sql, { ...task, accountId, position });
    const columns: Fragment = sql`i.id`;
    const ofEvents: Fragment =
      kind === "erasure" && endpointId === null
        ? sql`union all (${selectEvents(sql, range, columns, MAX_TOTAL + 1)})`
        : sql``;
    const [{ total } = { total: 0 }] = await sql<{ total: number }[]>`
      select count(*) as total from (
        (${selectRange(sql, range, columns, MAX_TOTAL + 1)}) ${ofEvents}
      ) as counted
    `;
    const [job] = await sql<Job[]>`
      insert into jobs as j
        (id, account_id, kind, endpoint_id, event, status, created_from, created_before, position, total)
      values (${newId("job", hops)}, ${accountId}, ${kind}, ${endpointId}, ${event}, ${status},
        ${createdFrom === null ? null : new Date(createdFrom)}, ${new Date(createdBefore)}, ${position},
        ${total > MAX_TOTAL ? null : total})
      returning ${jobColumns(sql)}
    `;
    if (!job) throw new Error("the insert of a job returned no row");
    return job;
  }

  announce(): void {
    this.onCreated();
  }

  /** Lists a page of jobs, newest first. */
  page(accountId: AccountId, { limit, beyond }: PageRequest<JobId>): Promise<Job[]> {
    return this.db.run(
      (sql) => sql<Job[]>`
        select ${jobColumns(sql)} from jobs j
        where account_id = ${accountId} and ${beyond === undefined ? sql`true` : sql`id < ${beyond}`}
        order by id desc
        limit ${limit}
      `,
    );
  }

  get(accountId: AccountId, id: JobId): Promise<Job | null> {
    return this.db.run((sql) => this.find(sql, accountId, id));
  }

  async find(sql: AnySql, accountId: AccountId, id: JobId): Promise<Job | null> {
    const [job] = await sql<Job[]>`
      select ${jobColumns(sql)} from jobs j where id = ${id} and account_id = ${accountId}
    `;
    return job ?? null;
  }

  /** Ends a running job, after its current step if there is one. Null when it is not running. */
  async cancel(sql: TransactionSql, accountId: AccountId, id: JobId): Promise<Job | null> {
    const [job] = await sql<Job[]>`
      update jobs j set state = 'cancelled', completed_at = now()
      where id = ${id} and account_id = ${accountId} and state = 'running'
      returning ${jobColumns(sql)}
    `;
    return job ?? null;
  }
}

/** The position before all deliveries of the task. */
function startOf({ createdFrom }: Task): DeliveryId {
  return createdFrom === null ? BEFORE_ALL_IDS : (leastIdAt(createdFrom) as DeliveryId);
}

/** The columns of a `Job`, over `j` of jobs. */
export function jobColumns(sql: AnySql) {
  const ms = (column: string) => unixMs(sql, column);
  return sql`
    j.id, j.account_id as "accountId", j.kind::text, j.state::text, j.endpoint_id as "endpointId", j.event,
    j.status::text, ${ms("j.created_from")} as "createdFrom", ${ms("j.created_before")} as "createdBefore",
    j.total, j.looked_at as "lookedAt", j.done, j.failure,
    ${ms("j.created_at")} as "createdAt", ${ms("j.completed_at")} as "completedAt"
  `;
}
