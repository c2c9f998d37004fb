import type { TimeRange } from "./time-range";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** At most so many for what is retained: each costs every list 10 µs (measured), whatever is in it. */
const PARTITIONS = 30;
/**
 * Partitions made ahead of the present one. When they are used up, since none could be made for so long, the last one,
 * without end, takes what comes; what it has taken is then moved while the tables are locked.
 */
const AHEAD = 7;
/**
 * How much longer than promised deliveries stay, milliseconds. An Idempotency-Key is young for a day from its commit,
 * which is a little later than its delivery's identifier; and clocks differ.
 */
const MARGIN_MS = HOUR_MS;

/** Neighbouring partitions, and those that are to be there instead. */
export type Rebuild = Readonly<{ replaced: readonly TimeRange[]; by: readonly TimeRange[] }>;

/** How long a partition lasts, milliseconds: whole days. */
export function spanOf(retentionMs: number): number {
  return Math.ceil(retentionMs / PARTITIONS / DAY_MS) * DAY_MS;
}

/**
 * Partitions leave no time out, from the first that there can be to the last: so whatever a clock says, an insert finds
 * its place. This splits the last one, which is without end, when it begins too soon; null when it does not.
 */
export function extension(last: TimeRange, now: number, spanMs: number): Rebuild | null {
  const present = startOf(now, spanMs);
  const end = present + (1 + AHEAD) * spanMs;
  if (last.from !== null && last.from >= end) return null;
  const by: TimeRange[] = [];
  // One for all of the time that nobody made partitions in.
  if (last.from === null || last.from < present) by.push({ from: last.from, to: present });
  let from = Math.max(last.from ?? present, present);
  while (from < end) {
    const to = startOf(from, spanMs) + spanMs;
    by.push({ from, to });
    from = to;
  }
  return { replaced: [last], by: [...by, { from, to: null }] };
}

function startOf(time: number, spanMs: number): number {
  return Math.floor(time / spanMs) * spanMs;
}

/** True when everything in the range is older than what is retained. */
export function isExpired({ to }: TimeRange, now: number, retentionMs: number): boolean {
  return to !== null && to + retentionMs + MARGIN_MS <= now;
}

/** A partition, and what is in it. */
export type Content = Readonly<{
  range: TimeRange;
  /** Expired, and nothing in it is pending. */
  mayGo: boolean;
  isEmpty: boolean;
}>;

/**
 * The next partition to drop, in whose place an empty one comes, that takes empty neighbours in as well. One at a
 * time, so that no transaction counts more than one. Null when there is nothing to gain.
 */
export function removal(partitions: readonly Content[]): Rebuild | null {
  let run: Content[] = [];
  for (const partition of partitions) {
    if (partition.mayGo) run.push(partition);
    if (partition.mayGo && partition.isEmpty) continue;
    if (isWorthwhile(run)) break;
    run = [];
  }
  return isWorthwhile(run) ? merged(run.map((each) => each.range)) : null;
}

function isWorthwhile(run: readonly Content[]): boolean {
  return run.length > 1 || run.some((each) => !each.isEmpty);
}

function merged(replaced: readonly TimeRange[]): Rebuild | null {
  const [first, last] = [replaced.at(0), replaced.at(-1)];
  return first && last ? { replaced, by: [{ from: first.from, to: last.to }] } : null;
}
