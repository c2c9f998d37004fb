import { styleText } from "node:util";
import stringWidth from "string-width";

/** A terminal for people. */
export type Terminal = Readonly<{ columns: number; rows: number; isColored: boolean }>;

type TextRow = readonly string[];
/** A column's name, and its width where the table does not fit a terminal; 0 for the last one. */
type NamedColumn = readonly [name: string, width: number, ...rest: unknown[]];

/** The space between two columns. */
const GAP = "  ";
/** Least width of a column that was made narrower. */
const NARROW = 12;
const CUT = "…";
const ID = /^[a-z]{2,5}_[0-9a-z]{26}$/;

const COLORS: Readonly<Record<string, "green" | "red" | "yellow">> = {
  ...Object.fromEntries(["delivered", "healthy", "completed"].map((word) => [word, "green"] as const)),
  ...Object.fromEntries(["failed", "failing", "disabled"].map((word) => [word, "red"] as const)),
  ...Object.fromEntries(["pending", "paused", "running"].map((word) => [word, "yellow"] as const)),
};

/** Writes rows as lines. Without a terminal, the columns have their declared widths, and nothing is cut. */
export class TextTable {
  private readonly widths: readonly number[];

  /** `sample`: the first rows, or those that are known so far. */
  constructor(
    private readonly columns: readonly NamedColumn[],
    sample: readonly TextRow[],
    private readonly terminal: Terminal | null,
  ) {
    const declared = columns.map(([, width]) => width);
    this.widths =
      terminal === null ? declared : fittingWidths([this.names, ...sample], declared, terminal.columns);
  }

  get head(): string {
    return this.written(this.names, (text) => this.styled("bold", text));
  }

  /** The columns for which the terminal is too narrow. */
  get leftOut(): readonly string[] {
    return this.terminal === null ? [] : this.names.filter((_, i) => this.widths[i] === 0);
  }

  line(row: TextRow): string {
    return this.written(row, (text) => {
      const color = COLORS[text];
      return color === undefined ? text : this.styled(color, text);
    });
  }

  private get names(): TextRow {
    return this.columns.map(([name]) => name);
  }

  private written(row: TextRow, style: (text: string) => string): string {
    const cells = row.flatMap((text, i) => {
      const width = this.widths[i] ?? 0;
      if (this.terminal === null) return [padded(text, width)];
      if (width === 0) return [];
      const shown = fitted(text, width);
      return [style(shown) + padded("", width - stringWidth(shown))];
    });
    return `${cells.join(GAP).trimEnd()}\n`;
  }

  private styled(format: "bold" | "green" | "red" | "yellow", text: string): string {
    return this.terminal?.isColored ? styleText(format, text, { validateStream: false }) : text;
  }
}

/**
 * Returns the widths with which rows fit a terminal. Texts are cut, but never ids. If that is not enough, columns get the width 0:
 * first those with ids, from the last one on, but never the first column with ids. The last one takes the rest.
 */
export function fittingWidths(rows: readonly TextRow[], declared: readonly number[], room: number): number[] {
  const cellsOf = (i: number) => rows.map((row) => row[i] ?? "");
  const hasIds = declared.map((_, i) => cellsOf(i).some((text) => ID.test(text)));
  // A single row says little about those that follow.
  const least = rows.length > 2 ? declared.map(() => 0) : declared;
  const widths = least.map((width, i) => Math.max(width, ...cellsOf(i).map((text) => stringWidth(text))));
  for (let over = excess(widths, room); over > 0; over = excess(widths, room)) {
    const widest = widths.reduce(
      (most, width, i) => (!hasIds[i] && width > (widths[most] ?? 0) ? i : most),
      -1,
    );
    const width = widths[widest] ?? 0;
    if (width <= NARROW) break;
    widths[widest] = Math.max(NARROW, width - over);
  }
  for (const i of expendable(hasIds)) if (excess(widths, room) > 0) widths[i] = 0;
  const last = widths.findLastIndex((width) => width > 0);
  return widths.with(last, (widths[last] ?? 0) + Math.max(0, -excess(widths, room)));
}

/** Returns the columns that may be left out, the least important one first. */
function expendable(hasIds: readonly boolean[]): number[] {
  const first = Math.max(0, hasIds.indexOf(true));
  const all = hasIds.map((isId, i) => ({ i, isId })).reverse();
  const others = all.filter(({ i }) => i !== first);
  return [...others.filter(({ isId }) => isId), ...others.filter(({ isId }) => !isId)].map(({ i }) => i);
}

function excess(widths: readonly number[], room: number): number {
  const shown = widths.filter((width) => width > 0);
  return shown.reduce((sum, width) => sum + width, GAP.length * (shown.length - 1)) - room;
}

/** Pads a text to a width in the terminal's columns; a character may take two columns, or none. */
export function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - stringWidth(text)));
}

/** Cuts a text to a width. */
export function fitted(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return kept + CUT;
}
