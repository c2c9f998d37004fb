import { plain, plainJson } from "./plain";

/** Where output goes: standard output for what was asked for, standard error for the rest. */
export type Streams = {
  out(text: string): void;
  /** Resolves once whoever reads standard output has taken it, so that a long list waits for a slow reader. */
  drained(): Promise<void>;
  err(text: string): void;
  /** Whether a person watches standard error, so that a line may be written over. */
  isWatched: boolean;
};

export type Cell = string | number | boolean | null | undefined;

/** A list's columns: a name, how wide, and what of an item stands there. */
export type Columns<Item> = readonly (readonly [name: string, width: number, cell: (item: Item) => Cell])[];

/** Writes results: lines for people, or one JSON object a line. */
export class Output {
  private hasHead = false;
  private lastProgress: string | null = null;

  constructor(
    private readonly streams: Streams,
    readonly isJson: boolean,
  ) {}

  /** One thing, a field a line. */
  one(value: object): void {
    if (this.isJson) this.json(value);
    else this.streams.out(fieldsOf(value));
  }

  /** One of a list or stream, a line each below the columns' names. */
  item<Item extends object>(item: Item, columns: Columns<Item>): void {
    if (this.isJson) this.json(item);
    else this.row(item, columns);
  }

  /** Every item as it is read, as fast as the output is; tells how many there were. */
  async all<Item extends object>(
    items: AsyncIterable<Item> | Iterable<Item>,
    columns: Columns<Item>,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<number> {
    let count = 0;
    for await (const item of items) {
      this.item(item, columns);
      await this.streams.drained();
      if (++count >= limit) break;
    }
    return count;
  }

  /** A list, or the first items of it; says so when there is none. */
  async list<Item extends object>(
    items: AsyncIterable<Item> | Iterable<Item>,
    columns: Columns<Item>,
    limit?: number,
  ): Promise<void> {
    if ((await this.all(items, columns, limit)) === 0) this.note("There is none.");
  }

  /** A text for people alone, among the results. */
  say(text: string): void {
    if (!this.isJson) this.streams.out(`${plain(text)}\n`);
  }

  /** One JSON object, in either mode. */
  json(value: object): void {
    this.streams.out(`${plainJson(value)}\n`);
  }

  /** A sentence beside the results. */
  note(text: string): void {
    if (!this.isJson) this.streams.err(`${plain(text)}\n`);
  }

  /** How something goes on, over the line before where a person watches; null ends it. */
  progress(text: string | null): void {
    const { isWatched, err } = this.streams;
    if (this.isJson) return;
    if (text === null) {
      if (isWatched && this.lastProgress !== null) err("\n");
    } else if (isWatched) err(`\r\u001b[K${plain(text)}`);
    else if (text !== this.lastProgress) err(`${plain(text)}\n`);
    this.lastProgress = text;
  }

  private row<Item>(item: Item, columns: Columns<Item>): void {
    if (!this.hasHead) this.line(columns.map(([name, width]) => padded(name, width)));
    this.hasHead = true;
    this.line(columns.map(([, width, cell]) => padded(textOf(cell(item)), width)));
  }

  private line(cells: readonly string[]): void {
    this.streams.out(`${cells.join("  ").trimEnd()}\n`);
  }
}

function fieldsOf(value: object): string {
  const fields = Object.entries(value);
  const width = Math.max(...fields.map(([name]) => Bun.stringWidth(plain(name))));
  return fields.map(([name, field]) => `${padded(plain(name), width)}  ${textOf(field)}\n`).join("");
}

/** As wide on a terminal, where a character may take two columns, or none. */
function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - Bun.stringWidth(text)));
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "-";
  return typeof value === "string" ? plain(value) : plainJson(value);
}
