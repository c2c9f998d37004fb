import { type DeliveryId, leastIdAt, timeOf } from "../../domain/ids";
import { AFTER_ALL_IDS } from "./cursor";
import type { IdRange } from "./id-range";
import type { SearchPace } from "./search-pace";

/** The matching rows among the next candidates of a range, newest first. */
export type SearchedPiece<Row> = {
  rows: Row[];
  /** The oldest candidate that was read; null if the range has no more. */
  scannedTo: string | null;
};

/** Before `searchedTo` there may be more rows; null if the rows are complete, or more than the limit. */
export type FoundRows<Row> = { rows: Row[]; searchedTo: string | null };

/**
 * Searches ranges piece by piece, newest first, until more than `limit` rows are found, nothing is left, or the time is over.
 */
export async function searchBack<Row>(
  pace: SearchPace,
  ranges: readonly IdRange[],
  limit: number,
  read: (range: IdRange, scan: number) => Promise<SearchedPiece<Row>>,
): Promise<FoundRows<Row>> {
  const rows: Row[] = [];
  for (const [i, range] of ranges.entries()) {
    const isLast = i === ranges.length - 1;
    for (let before: string | null = range.before ?? AFTER_ALL_IDS; before !== null; ) {
      const end: string = before;
      const piece = await pace.piece((scan) => read({ ...range, before: end }, scan));
      if (piece === null) return { rows, searchedTo: end };
      rows.push(...piece.rows);
      if (rows.length > limit) return { rows, searchedTo: null };
      before = piece.scannedTo;
      const searchedTo: string | null = before ?? (isLast ? null : (range.from ?? null));
      if (pace.isOver && searchedTo !== null) return { rows, searchedTo };
    }
  }
  return { rows, searchedTo: null };
}

const HOUR_MS = 3_600_000;
const WINDOWS_MS = [HOUR_MS, 24 * HOUR_MS, 8 * 24 * HOUR_MS];

/**
 * Splits a range into the last hour, the day and the week before it, and the rest, newest first. So a list of all accounts looks
 * each account up in one or two time ranges of the tables, and in all of them only for rare deliveries.
 */
export function windowsOf({ from, before = AFTER_ALL_IDS }: IdRange, now: number): IdRange[] {
  const newest = before === AFTER_ALL_IDS ? now : Math.min(timeOf(before as DeliveryId), now);
  const bounds = WINDOWS_MS.map((ms) => leastIdAt(Math.max(newest - ms, 0))).filter(
    (bound) => from === undefined || bound > from,
  );
  const ends = [before, ...bounds];
  return ends.map((end, i) => ({ from: bounds[i] ?? from, before: end }));
}
