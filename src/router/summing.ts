import { type Static, Type } from "@sinclair/typebox";
import { answer } from "../api/answer";
import { readFromAll, readFromCell } from "./cell-reading";
import type { Forwardable } from "./forwarding";
import type { RemoteCell } from "./remote-cell";

const Percentiles = Type.Union([
  Type.Object({ p50: Type.Integer(), p95: Type.Integer(), p99: Type.Integer() }),
  Type.Null(),
]);
const Counts = Type.Record(Type.String(), Type.Integer());
const Point = Type.Object({
  at: Type.String(),
  accepted: Type.Integer(),
  delivered: Type.Integer(),
  delivered_first: Type.Integer(),
  failed: Type.Integer(),
  cancelled: Type.Integer(),
  backlog: Type.Integer(),
  attempts: Counts,
  delivery_ms: Percentiles,
  receiver_ms: Percentiles,
});
/** The figures over time of one cell. */
const CellSeries = Type.Object({
  from: Type.String(),
  to: Type.String(),
  step_seconds: Type.Integer(),
  points: Type.Array(Point),
});
type CellPoint = Static<typeof Point>;
type CellCounts = Readonly<Record<string, number>>;

/** Answers the figures over time of all cells together. Throws `CellAway` and `CellRefusal`: no cell is left out unseen. */
export async function summedSeries(asked: Forwardable, cells: readonly RemoteCell[]): Promise<Response> {
  const [first, ...others] = cells;
  if (first === undefined) throw new Error("there is no cell");
  const series = await readFromCell(asked, first, asked.target, CellSeries);
  // The first cell has chosen the times that the request left open.
  const target = targetOf(asked, series);
  const rest = await readFromAll(others, (cell) => readFromCell(asked, cell, target, CellSeries));
  const points = addSeries([series, ...rest].map((each) => each.points));
  return answer(null, 200, { ...series, points });
}

/** Adds the figures of cells, step by step. All have the same steps. */
export function addSeries(cells: readonly (readonly CellPoint[])[]): CellPoint[] {
  const [first = []] = cells;
  return first.map((_, step) => addPoints(cells.flatMap((points) => points[step] ?? [])));
}

function addPoints(points: readonly CellPoint[]): CellPoint {
  return points.reduce((sum, point) => ({
    at: point.at,
    ...addCounts(countsOf(point), countsOf(sum)),
    attempts: addCounts(point.attempts, sum.attempts),
    delivery_ms: onlyOne(points.map((each) => each.delivery_ms)),
    receiver_ms: onlyOne(points.map((each) => each.receiver_ms)),
  }));
}

function countsOf({ at, attempts, delivery_ms, receiver_ms, ...counts }: CellPoint) {
  return counts;
}

function addCounts<Names extends CellCounts>(counts: Names, others: CellCounts): Names {
  const added = Object.entries(counts).map(([name, count]) => [name, count + (others[name] ?? 0)]);
  return { ...counts, ...Object.fromEntries(added) };
}

/** Returns the percentiles if one cell alone has some: those of several can't be added. */
function onlyOne(percentiles: readonly CellPoint["delivery_ms"][]): CellPoint["delivery_ms"] {
  const given = percentiles.filter((each) => each !== null);
  return given.length === 1 ? (given[0] ?? null) : null;
}

function targetOf({ target }: Forwardable, { from, to, step_seconds }: Static<typeof CellSeries>): string {
  const { pathname, searchParams } = new URL(target, "http://router");
  const step = `${step_seconds / 60}m`;
  for (const [name, value] of Object.entries({ from, to, step })) searchParams.set(name, value);
  return `${pathname}?${searchParams}`;
}
