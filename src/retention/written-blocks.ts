import { eq } from "drizzle-orm";
import type { BlockSpan, ColdBlock } from "../cold/blocks";
import type { NumberRun } from "../cold/number-runs";
import type { AnySql, TransactionSql } from "../db/pool";
import { coldBlocks } from "../db/schema";
import { arrayOf } from "../db/sql/arrays";
import { typed } from "../db/typed";
import { type AccountId, type DeliveryId, leastIdAt } from "../domain/ids";
import type { BlockSummary } from "./block-summary";
import type { RangeTables } from "./range-tables";
import type { TimeRange } from "./time-range";

/** The last id that the blocks of a time range cover. */
export type BlockPosition = Pick<BlockSpan, "accountId" | "lastId">;

/** The position before the first block. */
export const NOTHING_YET: BlockPosition = {
  accountId: "00000000-0000-0000-0000-000000000000" as AccountId,
  lastId: "00000000-0000-0000-0000-000000000000" as DeliveryId,
};

/** SQL: continues a condition: a block lies in the time range. */
function liesIn(sql: AnySql, { from, to }: TimeRange) {
  return sql`and first_id >= ${leastIdAt(from ?? 0)} and first_id < ${leastIdAt(to ?? Number.POSITIVE_INFINITY)}`;
}

/** Returns where the written blocks of a time range end. */
export async function writtenUpTo(sql: TransactionSql, range: TimeRange): Promise<BlockPosition> {
  const [row] = await sql<BlockPosition[]>`
    select account_id as "accountId", last_id as "lastId" from cold_blocks
    where state = 'written' ${liesIn(sql, range)} order by account_id desc, last_id desc limit 1
  `;
  return row ?? NOTHING_YET;
}

/** Notes a block before its file is written. */
export async function noteWriting(
  sql: AnySql,
  { id, path, accountId, firstId, lastId }: ColdBlock,
): Promise<void> {
  await sql`
    insert into cold_blocks (id, account_id, first_id, last_id, path)
    values (${id}, ${accountId}, ${firstId}, ${lastId}, ${path})
  `;
}

/** Notes that a block's file is whole, with what it has. */
export async function noteWritten(
  sql: TransactionSql,
  { id, digest }: ColdBlock,
  { numbers, ...summary }: BlockSummary,
  byteCount: number,
): Promise<void> {
  await typed(sql)
    .update(coldBlocks)
    .set({ ...summary, state: "written", digest, byteCount })
    .where(eq(coldBlocks.id, id));
  await noteNumbers(sql, id, numbers);
}

async function noteNumbers(
  sql: TransactionSql,
  blockId: string,
  numbers: readonly NumberRun[],
): Promise<void> {
  await sql`
    insert into cold_numbers (block_id, endpoint_id, first, last)
    select ${blockId}, n.* from unnest(
      ${arrayOf(numbers.map(({ endpointId }) => endpointId))}::uuid[],
      ${arrayOf(numbers.map(({ first }) => first))}::bigint[], ${arrayOf(numbers.map(({ last }) => last))}::bigint[]
    ) n
  `;
}

/** What the written blocks of a time range have. */
export async function sumWritten(
  sql: AnySql,
  range: TimeRange,
): Promise<{ deliveries: number; rows: number }> {
  const [sum] = await sql<{ deliveries: number; rows: number }[]>`
    select coalesce(sum(deliveries), 0)::float8 as deliveries, coalesce(sum(row_count), 0)::float8 as rows
    from cold_blocks where state = 'written' ${liesIn(sql, range)}
  `;
  return sum ?? { deliveries: 0, rows: 0 };
}

/** Counts the rows of a time range. */
export async function countRows(sql: AnySql, { names }: RangeTables): Promise<number> {
  const counts = Object.values(names).map((name) => `(select count(*) from "${name}")`);
  const [row] = await sql.unsafe<{ rows: number }[]>(`select (${counts.join(" + ")})::float8 as rows`);
  return row?.rows ?? 0;
}

/** Makes the written blocks of a time range the only place of their rows. Call it in the transaction that drops the rows. */
export async function makeLive(sql: TransactionSql, range: TimeRange): Promise<void> {
  await sql`update cold_blocks set state = 'live' where state = 'written' ${liesIn(sql, range)}`;
}

/** Gives up the written blocks of a time range. */
export async function doomWritten(sql: TransactionSql, range: TimeRange): Promise<void> {
  await sql`update cold_blocks set state = 'doomed' where state = 'written' ${liesIn(sql, range)}`;
}

/** Gives up at most `most` live blocks of the time before, and takes them out of their accounts' figures. Returns how many. */
export async function expireBlocks(sql: TransactionSql, before: number, most: number): Promise<number> {
  const expired = await sql`
    with expired as (
      update cold_blocks set state = 'doomed'
      where id = any(array(
        select id from cold_blocks where state = 'live' and last_id < ${leastIdAt(before)} order by last_id limit ${most}
      ))
      returning account_id, counts
    ),
    subtracted as (
      insert into counter_deltas (account_id, event, accepted, delivered, failed, cancelled)
      select account_id, c.event, -sum(c.accepted), -sum(c.delivered), -sum(c.failed), -sum(c.cancelled)
      from expired cross join lateral jsonb_to_recordset(counts)
        as c(event text, accepted int, delivered int, failed int, cancelled int)
      group by account_id, c.event
    )
    select from expired
  `;
  return expired.count;
}

/** Returns blocks whose files are to be deleted: doomed ones, and ones whose writer died. */
export function readUnwanted(sql: AnySql, most: number): Promise<Pick<ColdBlock, "id" | "path">[]> {
  return sql<Pick<ColdBlock, "id" | "path">[]>`
    select id, path from cold_blocks where state in ('doomed', 'writing') limit ${most}
  `;
}

export async function forgetBlocks(sql: AnySql, ids: readonly string[]): Promise<void> {
  await sql`delete from cold_blocks where id = any(${arrayOf(ids)}::uuid[])`;
}
