import { LOCKS, tryLock } from "../db/advisory-locks";
import type { Database } from "../db/database";
import type { TransactionSql } from "../db/pool";
import { isLockTimeout, isRetryable } from "../db/postgres-failure";
import { unixMs } from "../db/sql/time";
import { toText } from "../domain/ids";
import { type Clock, sleep } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Loop } from "../runtime/loop";
import { forgetSeries, rollHour } from "../series/upkeep";
import { findEmpty, findPending, forgetErasures, forgetJobs } from "./content";
import { countAgain, countNext, forgetCount, hasUncounted, subtractCount } from "./expired-count";
import { expirePending } from "./expiry";
import { warnOfExpiry } from "./expiry-warning";
import type { Freezing } from "./freezing";
import { dropOverdueSlots, isMoving } from "./overdue-moves";
import { extension, isExpired, type RangeContent, type Rebuild, removal, spanOf } from "./plan";
import { closeTimeRange, type RangeTables, readTimeRanges, rebuild } from "./range-tables";

const EVERY_MS = 3_600_000;
/** Wait after a failure. A long read, such as a backup, may have the tables locked. */
const AGAIN_MS = 60_000;
/** Limit for one transaction. The longest one moves the rows of a time range that was created too late. */
const TIMEOUT_MS = 60_000;
/** Most deliveries that one transaction counts, which takes 40 to 100 ms (measured). */
const MAX_COUNTED = 20_000;
/** Most erasures that one transaction deletes. */
const MAX_DELETED = 20_000;
/** Tries in a row while the tables are in use, and the pause between them: other transactions wait behind each try. */
const TRIES = 3;
const TRY_AGAIN_MS = 1_000;

export type RetentionOptions = {
  db: Database;
  clock: Clock;
  log: Log;
  /** How long deliveries are kept, in milliseconds. */
  retentionMs: number;
  /** Moves old time ranges to files; absent if they stay in Postgres. */
  freezing?: Freezing | null;
  /** Most deliveries that one transaction counts; 20,000 by default. */
  countedAtOnce?: number;
};

const OLD_TRANSACTION =
  "could not drop expired deliveries: an open transaction is older than they are; trying again in an hour: " +
  "end it (see pg_stat_activity and pg_prepared_xacts)";

const OVERDUE_MOVE =
  "the move of an account to another cell is past its deadline: dropped its replication slot; start the move again, or give it up";

/** Does a piece of work. A repeated piece resolves to false once nothing is left. */
type RetentionStep<T> = (sql: TransactionSql, now: number) => Promise<T>;

/** The starts of expired time ranges that had no pending delivery when the round began. */
type IdleRanges = ReadonlySet<number | null>;

/**
 * Creates time ranges ahead, ends deliveries that are pending for too long, and drops expired time ranges. Each step is a
 * short transaction that decides and acts under a lock. So two processes never do the same step, and one that dies loses
 * one step.
 */
export class Retention {
  /** Number of times that due work could not be done. */
  failures = 0;
  private readonly loop: Loop;

  constructor(private readonly options: RetentionOptions) {
    this.loop = new Loop({
      clock: options.clock,
      round: async (stopped) => {
        await this.maintain(stopped);
        return EVERY_MS;
      },
      failed: (error) => {
        this.failures++;
        options.log.warn(describeError(error), "could not create or drop time ranges; trying again in 60 s");
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

  /** Does all due work. Throws if part of it could not be done. */
  async maintain(stopped?: AbortSignal): Promise<void> {
    await this.untilFree(() => this.extend(), stopped);
    await this.endOverdueMoves();
    await this.expire(stopped);
    while (!stopped?.aborted && (await this.alone(rollHour)));
    while (!stopped?.aborted && (await this.alone((sql, now) => this.forgetSeries(sql, now))));
    const idle = !stopped?.aborted && (await this.alone((sql, now) => this.findIdle(sql, now)));
    if (idle) await this.repeat(() => this.dropNext(idle), stopped);
    const { freezing, retentionMs } = this.options;
    if (freezing)
      await this.repeat(() => this.unlessMoving((sql, now) => freezing.step(sql, now, retentionMs)), stopped);
  }

  /** Repeats a step until it resolves to false. */
  private async repeat(step: () => Promise<boolean>, stopped?: AbortSignal): Promise<void> {
    const { clock } = this.options;
    for (;;) {
      const began = clock.monotonic();
      if (stopped?.aborted || !(await this.untilFree(step, stopped))) return;
      // Pauses for as long as the step took, so retention uses at most half a core of Postgres.
      await sleep(clock, clock.monotonic() - began, stopped);
    }
  }

  /**
   * Creates the time ranges of the present and the near future. Resolves to true if one was missing. Throws if the tables are in
   * use.
   */
  extend(): Promise<boolean> {
    return this.alone((sql, now) => this.extendStep(sql, now));
  }

  /** Fails deliveries that are pending for longer than the retention, and warns of the next ones. Processes share the work. */
  private async expire(stopped?: AbortSignal): Promise<void> {
    const { db, clock, log, retentionMs } = this.options;
    const [row] = await db.run(
      (sql) => sql<{ now: number }[]>`select ${unixMs(sql, "clock_timestamp()")} as now`,
    );
    // A fast local clock must not fail young deliveries.
    const now = Math.min(row?.now ?? 0, clock.now());
    let began = clock.monotonic();
    const rest = async () => {
      await sleep(clock, clock.monotonic() - began, stopped);
      began = clock.monotonic();
      return !stopped?.aborted;
    };
    const expired = await expirePending(db, now - retentionMs, rest);
    await warnOfExpiry(db, now, retentionMs, rest);
    if (expired > 0)
      log.warn(
        { deliveries: expired },
        "deliveries pending for longer than HERMOD_RETENTION ended as failed",
      );
  }

  private async endOverdueMoves(): Promise<void> {
    const { db, clock, log } = this.options;
    const accounts = await dropOverdueSlots(db, clock);
    if (accounts.length > 0) log.warn({ accounts: accounts.map((id) => toText("acc", id)) }, OVERDUE_MOVE);
  }

  private blocked(): void {
    this.failures++;
    this.options.log.warn(OLD_TRANSACTION);
  }

  private forgetSeries(sql: TransactionSql, now: number): Promise<boolean> {
    return forgetSeries(sql, now - this.options.retentionMs);
  }

  private dropNext(idle: IdleRanges): Promise<boolean> {
    return this.unlessMoving((sql, now) => this.dropStep(sql, now, idle));
  }

  private async extendStep(sql: TransactionSql, now: number): Promise<boolean> {
    const ranges = await readTimeRanges(sql);
    const last = ranges.at(-1);
    const plan = last ? extension(last.range, now, spanOf(this.options.retentionMs)) : null;
    if (plan === null) return false;
    // Rarely moves rows, since time ranges are created before they are needed.
    await rebuild(sql, ranges, plan, "move");
    return true;
  }

  private async dropStep(sql: TransactionSql, now: number, idle: IdleRanges): Promise<boolean> {
    const ranges = await readTimeRanges(sql);
    const contents = await this.contents(sql, ranges, now, idle);
    const plan = removal(contents);
    if (plan === null) return this.forgetErasuresOf(sql, contents);
    const isFull = ({ range }: RangeTables) => contents.some((each) => each.range === range && !each.isEmpty);
    const doomed = ranges.filter(({ range }) => plan.replaced.includes(range));
    const full = doomed.filter(isFull);
    for (const each of full) {
      const { isComplete } = await countNext(sql, each, this.options.countedAtOnce ?? MAX_COUNTED);
      if (!isComplete) return true;
    }
    return this.dropCounted(sql, ranges, { plan, doomed, full });
  }

  private async dropCounted(
    sql: TransactionSql,
    ranges: readonly RangeTables[],
    { plan, doomed, full }: { plan: Rebuild; doomed: readonly RangeTables[]; full: readonly RangeTables[] },
  ): Promise<boolean> {
    const end = plan.by.at(-1)?.to ?? 0;
    await forgetJobs(sql, end);
    for (const each of doomed) await closeTimeRange(sql, each);
    // Checks again, now that no new rows can arrive.
    const pending = await findPending(sql, plan.replaced);
    if (pending.size > 0) return false;
    for (const each of full) {
      if (!(await hasUncounted(sql, each))) continue;
      const isBegun = await countAgain(sql, each);
      if (!isBegun) this.blocked();
      return isBegun;
    }
    for (const each of full) {
      await subtractCount(sql, each);
      await forgetCount(sql, each);
    }
    // Comes last: every read and write of the tables waits from here to the commit.
    await rebuild(sql, ranges, plan, "drop");
    this.options.log.info(
      { upTo: new Date(end).toISOString() },
      "dropped deliveries older than HERMOD_RETENTION",
    );
    return true;
  }

  /** Deletes the erasures of deliveries that are gone. Their table has no time ranges. */
  private async forgetErasuresOf(sql: TransactionSql, contents: readonly RangeContent[]): Promise<boolean> {
    for (const { range, isEmpty } of contents) {
      if (isEmpty && (await forgetErasures(sql, range, MAX_DELETED)) > 0) return true;
    }
    return false;
  }

  private async contents(
    sql: TransactionSql,
    ranges: readonly RangeTables[],
    now: number,
    idle: IdleRanges,
  ): Promise<RangeContent[]> {
    const expired = this.expired(ranges, now);
    const empty = await findEmpty(sql, expired);
    return expired.map(({ range }) => ({ range, mayGo: idle.has(range.from), isEmpty: empty.has(range) }));
  }

  /** Scans the whole queue, so a round calls it once and not for each step of a count. `dropCounted` checks again. */
  private async findIdle(sql: TransactionSql, now: number): Promise<IdleRanges> {
    const ranges = this.expired(await readTimeRanges(sql), now).map(({ range }) => range);
    const pending = await findPending(sql, ranges);
    return new Set(ranges.filter((range) => !pending.has(range)).map(({ from }) => from));
  }

  private expired(ranges: readonly RangeTables[], now: number): RangeTables[] {
    return ranges.filter(({ range }) => isExpired(range, now, this.options.retentionMs));
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

  /** Like `alone`, but resolves to false while an account moves: some of its rows may be in two cells, and would count twice. */
  private unlessMoving(step: RetentionStep<boolean>): Promise<boolean> {
    return this.alone(async (sql, now) => {
      return !(await isMoving(sql)) && step(sql, now);
    });
  }

  /** Runs the step under a lock. Resolves to false if another process holds it. */
  private alone<T>(step: RetentionStep<T>): Promise<T | false> {
    return this.options.db.transaction(async (sql) => {
      if (!(await tryLock(sql, LOCKS.retention))) return false;
      const [row] = await sql<{ now: number }[]>`
        select ${unixMs(sql, "clock_timestamp()")} as now,
          set_config('statement_timeout', ${String(TIMEOUT_MS)}, true)
      `;
      if (!row) throw new Error("Postgres returned no time");
      // A fast local clock must not drop young deliveries.
      return step(sql, Math.min(row.now, this.options.clock.now()));
    }, TIMEOUT_MS);
  }
}
