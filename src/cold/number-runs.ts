import type { AnySql } from "../db/pool";
import type { EndpointId } from "../domain/ids";
import type { ColdBlock } from "./blocks";

/** Numbers of an endpoint without a gap, both ends included. */
export type NumberRun = Readonly<{ endpointId: EndpointId; first: number; last: number }>;

/** A live block with a run of an endpoint's numbers. */
export type RunInBlock = ColdBlock & Omit<NumberRun, "endpointId">;

/** Returns the numbers of some deliveries, as runs without a gap. */
export function numberRunsOf(
  deliveries: readonly Readonly<{ endpointId: EndpointId; sequence: number | null }>[],
): NumberRun[] {
  const byEndpoint = Map.groupBy(deliveries, ({ endpointId }) => endpointId);
  return [...byEndpoint].flatMap(([endpointId, all]) => {
    const numbers = all.flatMap(({ sequence }) => sequence ?? []).sort((a, b) => a - b);
    const firsts = numbers.filter((number, i) => numbers[i - 1] !== number - 1);
    const lasts = numbers.filter((number, i) => numbers[i + 1] !== number + 1);
    return firsts.map((first, i) => ({ endpointId, first, last: lasts[i] ?? first }));
  });
}

/** Returns the runs of an endpoint that end at a number or later, at most `most`, in the order of numbers. */
export function readRuns(
  sql: AnySql,
  endpointId: EndpointId,
  from: number,
  most: number,
): Promise<RunInBlock[]> {
  return sql<RunInBlock[]>`
    select b.id, b.account_id as "accountId", b.first_id as "firstId", b.last_id as "lastId", b.path, b.digest,
      n.first::float8 as first, n.last::float8 as last
    from cold_numbers n join cold_blocks b on b.id = n.block_id
    where n.endpoint_id = ${endpointId} and n.last >= ${from} and b.state = 'live'
    order by n.last limit ${most}
  `;
}

/** Returns the least number that an endpoint has in live blocks; null if it has none. */
export async function readLeast(sql: AnySql, endpointId: EndpointId): Promise<number | null> {
  const [least] = await readRuns(sql, endpointId, 0, 1);
  return least?.first ?? null;
}

/** Counts the numbers of a range that are in runs. */
export function countIn(
  runs: readonly RunInBlock[],
  { from, to }: Readonly<{ from: number; to: number }>,
): number {
  const counts = runs.map(({ first, last }) => Math.min(last, to) - Math.max(first, from) + 1);
  return counts.reduce((sum, count) => sum + Math.max(0, count), 0);
}

/** Returns the first blocks with numbers of a range, at most `most`, and the number up to which no further block has one. */
export function blocksWith(
  runs: readonly RunInBlock[],
  { from, to }: Readonly<{ from: number; to: number }>,
  most: number,
): { blocks: RunInBlock[]; to: number } {
  const blocks: RunInBlock[] = [];
  for (const run of runs) {
    if (run.last < from || run.first > to || blocks.some(({ id }) => id === run.id)) continue;
    if (blocks.length === most) return { blocks, to: run.first - 1 };
    blocks.push(run);
  }
  return { blocks, to };
}
