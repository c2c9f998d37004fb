import type { Results } from "./bench";
import { median } from "./figures";
import type { Run } from "./run";

/** A figure of a scenario over all rounds. */
export type Line = {
  scenario: string;
  figure: string;
  hermod: number | null;
  /** The figure of the rival. */
  rival: number | null;
  ratio: number | null;
  /** How reliable it is. */
  range: [number, number] | null;
};

/** From this many rounds or turns on, the extremes of the ratios say nothing. */
const MANY = 10;

/** Returns the medians of all figures, and their ratios of hermod to its rival. */
export function summarize(runs: readonly Run[]): Line[] {
  const lines: Line[] = [];
  for (const scenario of unique(runs.map((run) => run.scenario))) {
    const own = runs.filter((run) => run.scenario === scenario);
    for (const figure of unique(own.flatMap((run) => Object.keys(run.figures ?? {})))) {
      lines.push(lineOf(own, scenario, figure));
    }
  }
  return lines;
}

function lineOf(runs: readonly Run[], scenario: string, figure: string): Line {
  const hermod = medianOf(runs.filter(isHermod), figure);
  const rival = medianOf(runs.filter(isRival), figure);
  const ratios = ratiosByRound(runs, figure);
  if (ratios.length >= MANY) return { scenario, figure, hermod, rival, ...middleOf(ratios) };
  const ratio = hermod === null || rival === null || rival === 0 ? null : hermod / rival;
  const range: Line["range"] = ratios.length === 0 ? null : [Math.min(...ratios), Math.max(...ratios)];
  return { scenario, figure, hermod, rival, ratio, range };
}

/**
 * Returns the median of the ratios, and the two of them between which the true median lies with 95 % certainty (order
 * statistics). A turn in which the disk stalled counts as one, however long it took.
 */
export function middleOf(ratios: readonly number[]): { ratio: number; range: [number, number] } {
  const sorted = ratios.toSorted((a, b) => a - b);
  const reach = 1.96 * Math.sqrt(sorted.length);
  const place = (at: number) => sorted[Math.min(sorted.length - 1, Math.max(0, at))] ?? Number.NaN;
  const [low, high] = [Math.floor((sorted.length - reach) / 2), Math.ceil((sorted.length + reach) / 2) - 1];
  return { ratio: median(sorted), range: [place(low), place(high)] };
}

function medianOf(runs: readonly Run[], figure: string): number | null {
  const values = valuesOf(runs, figure);
  return values.size === 0 ? null : median([...values.values()]);
}

function ratiosByRound(runs: readonly Run[], figure: string): number[] {
  const rivals = valuesOf(runs.filter(isRival), figure);
  return [...valuesOf(runs.filter(isHermod), figure)].flatMap(([round, value]) => {
    const other = rivals.get(round);
    return other === undefined || other === 0 || value === 0 ? [] : [value / other];
  });
}

function isHermod({ system }: Run): boolean {
  return system === "hermod";
}

function isRival(run: Run): boolean {
  return !isHermod(run);
}

function valuesOf(runs: readonly Run[], figure: string): Map<number, number> {
  const values = new Map<number, number>();
  for (const run of runs) {
    const value = run.figures?.[figure];
    if (value !== undefined && Number.isFinite(value)) values.set(run.round, value);
  }
  return values;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** Figures about the bench itself, which are only in the JSON. */
const ASIDE = "cpu of";

/** Returns the summary as a table, below a line about the machine. */
export function renderTable({ machine, rounds, seconds, runs }: Results): string {
  const { cpu, cores, memoryGiB, system, bun, postgres, nats } = machine;
  const lines = summarize(runs).filter((line) => !line.figure.includes(ASIDE));
  const rows = lines.map((line) => [
    line.scenario,
    line.figure,
    number(line.hermod),
    number(line.rival),
    line.ratio === null ? "" : line.ratio.toFixed(2),
    line.range === null ? "" : line.range.map((ratio) => ratio.toFixed(2)).join("–"),
  ]);
  const rival = runs.find(isRival)?.system ?? "bare";
  const head = ["scenario", "figure", "hermod", rival, `hermod/${rival}`, "between"];
  return [
    `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}`,
    `Bun ${bun}, Postgres ${postgres}, NATS ${nats}`,
    `medians of ${rounds} rounds of ${seconds} s, or of ${rounds * seconds} turns; only ratios carry over to other machines`,
    "between: the ratios of the rounds; of turns, where their median would be in 19 of 20 such runs",
    "",
    ...aligned([head, ...rows]),
    "",
  ].join("\n");
}

function number(value: number | null): string {
  if (value === null) return "";
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Aligns texts left, numbers right. */
function aligned(rows: readonly string[][]): string[] {
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, i) => (i < 2 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
