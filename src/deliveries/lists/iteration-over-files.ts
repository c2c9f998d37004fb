import type { BlockBehind, PlaceInOrder } from "../../cold/blocks";
import type { Database, Reads } from "../../db/database";
import { type AccountId, type DeliveryId, idBefore } from "../../domain/ids";
import { type ColdReads, MOST_BLOCKS, MOST_OVERLAPPING } from "./cold-reads";
import { comparePositions, type IteratorPosition } from "./cursor";
import { type IteratorQuery, type IteratorStep, readNext, readNow, START } from "./iteration";
import type { SearchPaces } from "./search-pace";

/** What an iterator reads from. */
type Sources = Readonly<{ db: Database; cold: ColdReads; paces: SearchPaces }>;
type FixedQuery = Omit<IteratorQuery, "from" | "until"> & Readonly<{ from: IteratorPosition; until: string }>;

/**
 * Reads the next deliveries like `readNext`, from Postgres and from files. Both have deliveries of the same time, so it merges them
 * by their order. It ends in front of the first delivery that a block may have which it does not open.
 */
export async function readNextAnywhere(
  places: Sources,
  accountId: AccountId,
  query: IteratorQuery,
): Promise<IteratorStep> {
  const { db, cold, paces } = places;
  if (query.from === "now" || query.status === "pending") return readNext(db, paces, accountId, query);
  const from = query.from === "start" ? START : query.from;
  // One limit for all reads: a transaction that ends between two of them would let a delivery through behind a missing one.
  const { transaction: until } = await readNow(db, accountId);
  return cold.behind({ ...query, accountId }, from, (blocks) =>
    stepOver(places, accountId, { ...query, from, until }, blocks),
  );
}

async function stepOver(
  { db, cold, paces }: Sources,
  accountId: AccountId,
  query: FixedQuery,
  blocks: readonly BlockBehind[],
): Promise<IteratorStep> {
  const read = (reads: Reads) => readNext(reads, paces, accountId, query);
  const steps = [await readNext(db, paces, accountId, { ...query, until: untilOf(query, blocks) })];
  for (const [i, block] of blocks.entries()) {
    const step = mergeSteps(query, steps, block);
    const isOver = i >= MOST_OVERLAPPING || (i >= MOST_BLOCKS && passesAny(query, steps, step));
    const isFull = step.data.length === query.limit;
    if (isOver || isFull || comparePositions(step.position, placeBefore(block)) < 0) return step;
    steps.push(await cold.within(accountId, [block], read));
  }
  return mergeSteps(query, steps, undefined);
}

/** An answer never goes beyond the last of so many blocks, so Postgres is not searched behind it. */
function untilOf({ until }: FixedQuery, blocks: readonly BlockBehind[]): string {
  const last = blocks[MOST_OVERLAPPING];
  if (!last || BigInt(last.next) >= BigInt(until)) return until;
  return String(BigInt(last.next) + 1n);
}

/** True if there is a delivery between the position of the query and that of the merged step, whether it matches or not. */
function passesAny({ from }: FixedQuery, steps: readonly IteratorStep[], merged: IteratorStep): boolean {
  return steps.some(
    ({ position }) =>
      comparePositions(from, position) < 0 && comparePositions(position, merged.position) <= 0,
  );
}

/** Merges steps of different deliveries from one position. They end in front of what the unread block may have. */
function mergeSteps(
  { from, limit }: FixedQuery,
  steps: readonly IteratorStep[],
  unread: BlockBehind | undefined,
): IteratorStep {
  const ends = steps.filter(({ more }) => more).map(({ position }) => position);
  if (unread) ends.push({ ...from, ...placeBefore(unread) });
  const [end] = ends.sort(comparePositions);
  const found = steps
    .flatMap(({ data, positions }) =>
      data.map((delivery, i) => ({ delivery, position: positions[i] ?? from })),
    )
    .filter(({ position }) => end === undefined || comparePositions(position, end) <= 0)
    .sort((a, b) => comparePositions(a.position, b.position));
  const given = found.slice(0, limit);
  const positions = given.map(({ position }) => position);
  const reached = steps.map(({ position }) => position).sort(comparePositions);
  const last = found.length > limit ? positions.at(-1) : end;
  return {
    data: given.map(({ delivery }) => delivery),
    positions,
    position: last ?? reached.at(-1) ?? from,
    more: last !== undefined,
  };
}

/** Returns the place in front of all deliveries that a block may have next. */
function placeBefore({ next, firstId }: BlockBehind): PlaceInOrder {
  return { transaction: next, id: idBefore(firstId) as DeliveryId };
}
