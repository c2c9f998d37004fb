import { leastIdAt, timeOf } from "../domain/ids";

/** From a time (inclusive) to another (exclusive), in Unix milliseconds; null is unbounded. */
export type TimeRange = Readonly<{ from: number | null; to: number | null }>;

const BOUNDS = /^FOR VALUES FROM \(([^()]+)\) TO \(([^()]+)\)$/;

/** SQL bounds that hold the ids made in this range. */
export function boundsOf({ from, to }: TimeRange): string {
  const least = from === null ? "MINVALUE" : `'${leastIdAt(from)}'`;
  const end = to === null ? "MAXVALUE" : `'${leastIdAt(to)}'`;
  return `FOR VALUES FROM (${least}) TO (${end})`;
}

/** Parses bounds as Postgres writes them. Throws for a default partition, which has none. */
export function rangeOf(bounds: string): TimeRange {
  const [, from, to] = BOUNDS.exec(bounds) ?? [];
  if (from === undefined || to === undefined)
    throw new Error(`expected the bounds of a time range, but found ${bounds}`);
  return { from: from === "MINVALUE" ? null : timeIn(from), to: to === "MAXVALUE" ? null : timeIn(to) };
}

function timeIn(quoted: string): number {
  return timeOf(quoted.slice(1, -1));
}

/** Names a time range's table after its parent's name: `20261121t06` by its first hour (UTC), `earlier` or `later`. */
export function nameOf({ from, to }: TimeRange): string {
  if (from === null) return "earlier";
  if (to === null) return "later";
  return new Date(from).toISOString().slice(0, 13).replaceAll("-", "").toLowerCase();
}
