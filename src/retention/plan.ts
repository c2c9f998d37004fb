import type { TimeRange } from "./time-range";

const HOUR_MS = 3_600_000;

/** Most time ranges of the retained time. Each costs every list 10 µs, even if it is empty (measured). */
const TIME_RANGES = 30;
/**
 * Number of time ranges created ahead of the present one. If creating more fails until all are used up, the last and unbounded
 * one takes new rows. They are moved later, while the tables are locked.
 */
const AHEAD = 7;
/** Shortest time range, so that those ahead last for most of a day. */
const LEAST_HOURS = 3;
/**
 * Deliveries stay this much longer than promised. An Idempotency-Key is valid for a day from its commit, which is a little later
 * than the time in its delivery's id; and clocks differ.
 */
const MARGIN_MS = HOUR_MS;

/** Adjacent time ranges, and the ones that replace them. */
export type Rebuild = Readonly<{ replaced: readonly TimeRange[]; by: readonly TimeRange[] }>;

/**
 * Length of a time range, in milliseconds: whole hours. The shorter it is, the less is kept beyond the retention, and the less
 * a vacuum or a dropping takes at once.
 */
export function spanOf(retentionMs: number): number {
  return Math.max(LEAST_HOURS, Math.ceil(retentionMs / TIME_RANGES / HOUR_MS)) * HOUR_MS;
}

/**
 * Splits the last time range, which is unbounded, if it starts too soon; returns null otherwise. Time ranges have no gaps, so
 * an insert always finds one, whatever a clock says.
 */
export function extension(last: TimeRange, now: number, spanMs: number): Rebuild | null {
  const present = startOf(now, spanMs);
  const end = present + (1 + AHEAD) * spanMs;
  if (last.from !== null && last.from >= end) return null;
  const by: TimeRange[] = [];
  // One time range covers all the time in which none was created.
  if (last.from === null || last.from < present) by.push({ from: last.from, to: present });
  let from = Math.max(last.from ?? present, present);
  while (from < end) {
    const to = startOf(from, spanMs) + spanMs;
    by.push({ from, to });
    from = to;
  }
  return { replaced: [last], by: [...by, { from, to: null }] };
}

/**
 * Splits the first time range, which is unbounded, where another database has time ranges, so that its rows find theirs here. Returns
 * null if it has none there.
 */
export function adoption(first: TimeRange, others: readonly TimeRange[]): Rebuild | null {
  const starts = others.flatMap(({ from }) =>
    from !== null && from < (first.to ?? Number.POSITIVE_INFINITY) ? [from] : [],
  );
  if (starts.length === 0) return null;
  const by = [null, ...starts].map((from, i) => ({ from, to: starts[i] ?? first.to }));
  return { replaced: [first], by };
}

function startOf(time: number, spanMs: number): number {
  return Math.floor(time / spanMs) * spanMs;
}

/** True when everything in the range is older than the retention. */
export function isExpired({ to }: TimeRange, now: number, retentionMs: number): boolean {
  return to !== null && to + retentionMs + MARGIN_MS <= now;
}

/** A time range and its contents. */
export type RangeContent = Readonly<{
  range: TimeRange;
  /** True if the range is expired and has no pending delivery. */
  mayGo: boolean;
  isEmpty: boolean;
}>;

/**
 * Chooses the next time range to drop, merged with its empty neighbours into one empty range. Chooses one at a time, so no
 * transaction counts more than one. Returns null if dropping would gain nothing.
 */
export function removal(ranges: readonly RangeContent[]): Rebuild | null {
  let run: RangeContent[] = [];
  for (const each of ranges) {
    if (each.mayGo) run.push(each);
    if (each.mayGo && each.isEmpty) continue;
    if (isWorthwhile(run)) break;
    run = [];
  }
  return isWorthwhile(run) ? merged(run.map((each) => each.range)) : null;
}

function isWorthwhile(run: readonly RangeContent[]): boolean {
  return run.length > 1 || run.some((each) => !each.isEmpty);
}

function merged(replaced: readonly TimeRange[]): Rebuild | null {
  const [first, last] = [replaced.at(0), replaced.at(-1)];
  return first && last ? { replaced, by: [{ from: first.from, to: last.to }] } : null;
}
