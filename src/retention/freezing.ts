import { decodeBlock, encodeBlock } from "../cold/block-file";
import type { BlockSpan, ColdBlock } from "../cold/blocks";
import type { ColdStore } from "../cold/store";
import { LOCKS, waitForLock } from "../db/advisory-locks";
import type { Database } from "../db/database";
import type { TransactionSql } from "../db/pool";
import type { Log } from "../runtime/log";
import { readContents } from "./block-contents";
import { summaryOf } from "./block-summary";
import { findEmpty } from "./content";
import { type BLOCK_LIMITS, nextSpan } from "./next-block";
import { closeTimeRange, type RangeTables, readTimeRanges, rebuild } from "./range-tables";
import { findWaiting, MOST_PUT_BACK, putWaitingBack, saveWaiting } from "./waiting-rows";
import {
  countRows,
  doomWritten,
  expireBlocks,
  forgetBlocks,
  makeLive,
  NOTHING_YET,
  noteWriting,
  noteWritten,
  readUnwanted,
  sumWritten,
  writtenUpTo,
} from "./written-blocks";

export type FreezingOptions = Readonly<{
  db: Database;
  store: ColdStore;
  log: Log;
  /** Age at which a time range leaves Postgres, in milliseconds; null to write no more. */
  afterMs: number | null;
  limits?: typeof BLOCK_LIMITS;
}>;

/** Time ranges stay this much longer, since clocks differ. */
const MARGIN_MS = 3_600_000;
/** A time range with more deliveries than this moves once nothing in it is pending. */
export const MOST_BESIDE_WAITING = 1_000_000;
/** Most blocks that one step gives up, and most files that it deletes. */
const MOST_REMOVED = 100;

/**
 * Moves time ranges from Postgres to files, without what is pending. For each block in turn: note it, write its file, read the
 * file back, and note that it is whole. Once all blocks are, one transaction drops the time range and makes the blocks its only
 * place. A step that dies is repeated: until that transaction, Postgres has every row, and a file without a whole block is deleted.
 *
 * Each step is one transaction of `Retention`, under its lock, so that one process at a time freezes. Erasures wait for a step, and
 * a step for them, so that no file has a payload that is being erased.
 */
export class Freezing {
  constructor(private readonly options: FreezingOptions) {}

  /** Does the next step. Resolves to false if nothing is left to do. */
  async step(sql: TransactionSql, now: number, retentionMs: number): Promise<boolean> {
    if (await this.removeFiles(sql)) return true;
    if ((await expireBlocks(sql, now - retentionMs - MARGIN_MS, MOST_REMOVED)) > 0) return true;
    const ranges = await readTimeRanges(sql);
    for (const range of await this.oldRanges(sql, ranges, now))
      if (await this.stepOf(sql, ranges, range)) return true;
    return false;
  }

  /** Does the next step of a time range. Resolves to false if nothing of it can be moved now. */
  private async stepOf(
    sql: TransactionSql,
    ranges: readonly RangeTables[],
    range: RangeTables,
  ): Promise<boolean> {
    await waitForLock(sql, LOCKS.freezing);
    if ((await findWaiting(sql, range.range)) === null) return false;
    const written = await writtenUpTo(sql, range.range);
    const span = await nextSpan(sql, range, written, this.options.limits);
    if (span !== null) await this.write(sql, range, span);
    return span !== null || (written !== NOTHING_YET && (await this.finish(sql, ranges, range)));
  }

  /** Drops a time range if its blocks have everything but what is waiting, which is put back. */
  private async finish(
    sql: TransactionSql,
    ranges: readonly RangeTables[],
    range: RangeTables,
  ): Promise<boolean> {
    // From here to the end of the step no rows can arrive or end.
    await closeTimeRange(sql, range);
    const waiting = await findWaiting(sql, range.range);
    const { deliveries, rows } = await sumWritten(sql, range.range);
    // Outcomes of waiting deliveries can't be recorded while the rows are counted, so these must be few.
    if (waiting === null || (waiting > 0 && deliveries > MOST_BESIDE_WAITING)) return false;
    const saved = await saveWaiting(sql, range.names);
    if (saved > MOST_PUT_BACK) return false;
    if (rows + saved !== (await countRows(sql, range))) {
      // Rows have arrived or ended since they were written. The next round begins again.
      await doomWritten(sql, range.range);
      return false;
    }
    await makeLive(sql, range.range);
    await rebuild(sql, ranges, { replaced: [range.range], by: [range.range] }, "drop");
    await putWaitingBack(sql);
    const from = new Date(range.range.from ?? 0).toISOString();
    this.options.log.info({ from, deliveries }, "moved a time range of deliveries to files");
    return true;
  }

  private async removeFiles(sql: TransactionSql): Promise<boolean> {
    const unwanted = await readUnwanted(sql, MOST_REMOVED);
    if (unwanted.length === 0) return false;
    await Promise.all(unwanted.map(({ path }) => this.options.store.remove(path)));
    await forgetBlocks(
      sql,
      unwanted.map(({ id }) => id),
    );
    return true;
  }

  /** Returns the time ranges that are old enough and have rows, oldest first. */
  private async oldRanges(
    sql: TransactionSql,
    ranges: readonly RangeTables[],
    now: number,
  ): Promise<RangeTables[]> {
    const { afterMs } = this.options;
    if (afterMs === null) return [];
    const old = ranges.filter(({ range: { to } }) => to !== null && to + afterMs + MARGIN_MS <= now);
    const empty = await findEmpty(sql, old);
    return old.filter(({ range }) => !empty.has(range));
  }

  private async write(sql: TransactionSql, range: RangeTables, span: BlockSpan): Promise<void> {
    const { db, store } = this.options;
    const id = Bun.randomUUIDv7();
    const block: ColdBlock = { ...span, id, path: pathOf(id, span, range), digest: "" };
    // Commits first: a file exists only if its row exists.
    await db.run((other) => noteWriting(other, block));
    const contents = await readContents(sql, range, span);
    const { bytes, digest } = await encodeBlock(contents.rows);
    await store.put(block.path, bytes);
    await decodeBlock(await store.get(block.path), digest);
    await noteWritten(sql, { ...block, digest }, summaryOf(contents), bytes.length);
  }
}

/** Files lie by account and day, so that a tool reads one account, or one time, alone. */
function pathOf(id: string, { accountId }: BlockSpan, { range }: RangeTables): string {
  const day = new Date(range.from ?? 0).toISOString().slice(0, 10);
  return `account=${accountId}/day=${day}/${id}.jsonl.zst`;
}
