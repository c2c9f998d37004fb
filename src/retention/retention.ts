import { LOCKS } from "../db/advisory-locks";
import type { Database } from "../db/database";
import { isLockTimeout, isRetryable, type TransactionSql } from "../db/pool";
import { unixMs } from "../db/unix-ms";
import { type Clock, sleep } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Loop } from "../runtime/loop";
import { findEmpty, findPending, forgetErasures, forgetJobs, uncount } from "./content";
import { closePartition, type Partition, readPartitions, rebuild } from "./partitions";
import { type Content, extension, isExpired, removal, spanOf } from "./plan";

const EVERY_MS = 3_600_000;
/** After what could not be done, milliseconds: a long reader, such as a backup, may have the tables. */
const AGAIN_MS = 60_000;
/** To count the deliveries of a partition before it is dropped, milliseconds. */
const TIMEOUT_MS = 600_000;
/** When the tables are in use: how often it is tried at once, as each time others wait, and how far apart, milliseconds. */
const TRIES = 3;
const TRY_AGAIN_MS = 1_000;

export type RetentionOptions = {
  db: Database;
  clock: Clock;
  log: Log;
  /** How long deliveries are kept, milliseconds. */
  retentionMs: number;
};

type Step = (sql: TransactionSql, now: number) => Promise<boolean>;

/**
 * Makes time partitions ahead and drops those that are too old, in one process at a time. Each step is a transaction
 * that decides and acts under a lock, so two processes do it once, and one that dies leaves nothing half done.
 */
export class Retention {
  private readonly loop: Loop;

  constructor(private readonly options: RetentionOptions) {
    this.loop = new Loop({
      clock: options.clock,
      round: async (stopped) => {
        await this.maintain(stopped);
        return EVERY_MS;
      },
      failed: (error) => {
        options.log.warn(describeError(error), "time partitions stay as they are for now");
        return AGAIN_MS;
      },
    });
  }

  start(): void {
    this.loop.start();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** Everything that is to be done now. Throws when it could not be. */
  async maintain(stopped?: AbortSignal): Promise<void> {
    await this.untilFree(() => this.extend(), stopped);
    while (!stopped?.aborted && (await this.untilFree(() => this.dropOne(), stopped)));
  }

  /** Makes the partitions of now and of the time to come, if the tables are free. True when there was something to do. */
  extend(): Promise<boolean> {
    return this.alone((sql, now) => this.extendStep(sql, now));
  }

  private dropOne(): Promise<boolean> {
    return this.alone((sql, now) => this.dropStep(sql, now));
  }

  private async extendStep(sql: TransactionSql, now: number): Promise<boolean> {
    const partitions = await readPartitions(sql);
    const last = partitions.at(-1);
    const plan = last ? extension(last.range, now, spanOf(this.options.retentionMs)) : null;
    if (plan === null) return false;
    // Hardly ever holds anything: the partitions before it are made in time.
    await rebuild(sql, partitions, plan, "move");
    return true;
  }

  private async dropStep(sql: TransactionSql, now: number): Promise<boolean> {
    const partitions = await readPartitions(sql);
    const plan = removal(await this.contents(sql, partitions, now));
    if (plan === null) return false;
    const doomed = partitions.filter(({ range }) => plan.replaced.includes(range));
    for (const partition of doomed) await closePartition(sql, partition);
    // Looked at again, now that nothing can come any more.
    const pending = await findPending(sql, plan.replaced);
    if (pending.size > 0) return false;
    for (const partition of doomed) await uncount(sql, partition);
    const [emptied] = plan.by;
    const end = emptied?.to ?? 0;
    await forgetErasures(sql, emptied?.from ?? 0, end);
    await forgetJobs(sql, end);
    // Last, for everybody waits from here on.
    await rebuild(sql, partitions, plan, "drop");
    const upTo = new Date(end).toISOString();
    this.options.log.info({ upTo }, "what is older than the retention is dropped");
    return true;
  }

  private async contents(
    sql: TransactionSql,
    partitions: readonly Partition[],
    now: number,
  ): Promise<Content[]> {
    const expired = partitions.filter(({ range }) => isExpired(range, now, this.options.retentionMs));
    const pending = await findPending(
      sql,
      expired.map(({ range }) => range),
    );
    const empty = await findEmpty(sql, expired);
    return expired.map(({ range }) => ({ range, mayGo: !pending.has(range), isEmpty: empty.has(range) }));
  }

  private async untilFree(step: () => Promise<boolean>, stopped?: AbortSignal): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        return await step();
      } catch (error) {
        const isInUse = isLockTimeout(error) || isRetryable(error);
        if (!isInUse || tries >= TRIES || stopped?.aborted) throw error;
        await sleep(this.options.clock, TRY_AGAIN_MS, stopped);
      }
    }
  }

  /** False when another process is at it. */
  private alone(step: Step): Promise<boolean> {
    return this.options.db.transaction(async (sql) => {
      // A partition is counted as a whole, which the settings of our other statements forbid.
      const [row] = await sql<{ isMine: boolean; now: number }[]>`
        select pg_try_advisory_xact_lock(${LOCKS.retention}) as "isMine",
          ${unixMs(sql, "clock_timestamp()")} as now,
          set_config('statement_timeout', '0', true), set_config('enable_seqscan', 'on', true),
          set_config('enable_hashjoin', 'on', true), set_config('enable_mergejoin', 'on', true)
      `;
      if (!row?.isMine) return false;
      // A clock that is ahead must not drop what is young.
      return step(sql, Math.min(row.now, this.options.clock.now()));
    }, TIMEOUT_MS);
  }
}
