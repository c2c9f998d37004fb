import stringWidth from "string-width";
import { plain, plainJson } from "./plain";

/** The output streams: results on standard output, everything else on standard error. */
export type Streams = {
  out(text: string): void;
  /** Resolves once standard output has been read, so that a long list waits for a slow reader. */
  drained(): Promise<void>;
  err(text: string): void;
  /** True if standard error is a terminal, so that progress can overwrite its line. */
  isWatched: boolean;
};

export type Cell = string | number | boolean | null | undefined;

/** The columns of a list: name, width, and the text for an item. */
export type Columns<Item> = readonly (readonly [name: string, width: number, cell: (item: Item) => Cell])[];

/** Writes results: lines for people, or one JSON object a line. */
export class Output {
  private hasHead = false;
  private lastProgress: string | null = null;

  constructor(
    private readonly streams: Streams,
    readonly isJson: boolean,
  ) {}

  /** Writes one object, a field per line. */
  one(value: object): void {
    if (this.isJson) this.json(value);
    else this.streams.out(fieldsOf(value));
  }

  /** Writes an item of a list or stream in a line. The first item comes below the columns' names. */
  item<Item extends object>(item: Item, columns: Columns<Item>): void {
    if (this.isJson) this.json(item);
    else this.row(item, columns);
  }

  /** Writes every item as it is read, at the speed of the output. Returns the number of items. */
  async all<Item extends object>(
    items: AsyncIterable<Item> | Iterable<Item>,
    columns: Columns<Item>,
  ): Promise<number> {
    let count = 0;
    for await (const item of items) {
      this.item(item, columns);
      await this.streams.drained();
      count++;
    }
    return count;
  }

  /** Writes a list, or its first `limit` items. Writes a note if it is empty, or has more: the latter in JSON mode too. */
  async list<Item extends object>(
    items: AsyncIterable<Item> | Iterable<Item>,
    columns: Columns<Item>,
    limit?: number,
  ): Promise<void> {
    let hasMore = false;
    const shown = limit === undefined ? items : firstOf(items, limit, () => (hasMore = true));
    const count = await this.all(shown, columns);
    if (count === 0) this.note("There is none.");
    if (!hasMore) return;
    if (this.isJson) this.streams.err(`${plainJson({ shown: count, has_more: true })}\n`);
    else this.note(`These are the first ${count}; --limit <n> shows more.`);
  }

  /** Writes a text for people among the results; nothing in JSON mode. */
  say(text: string): void {
    if (!this.isJson) this.streams.out(`${plain(text)}\n`);
  }

  /** Writes one JSON object, in both modes. */
  json(value: object): void {
    this.streams.out(`${plainJson(value)}\n`);
  }

  /** Writes a note to standard error; nothing in JSON mode. */
  note(text: string): void {
    if (!this.isJson) this.streams.err(`${plain(text)}\n`);
  }

  /** Shows progress; on a terminal it overwrites the last line. Null ends it. */
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

/** Yields the first `limit` items. Calls `onMore` if there is another one. */
async function* firstOf<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  limit: number,
  onMore: () => void,
): AsyncGenerator<Item> {
  let count = 0;
  for await (const item of items) {
    if (count++ >= limit) return onMore();
    yield item;
  }
}

function fieldsOf(value: object): string {
  const fields = Object.entries(value);
  const width = Math.max(...fields.map(([name]) => stringWidth(plain(name))));
  return fields.map(([name, field]) => `${padded(plain(name), width)}  ${textOf(field)}\n`).join("");
}

/** Pads a text to a width in terminal columns; a character may take two columns, or none. */
function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - stringWidth(text)));
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "-";
  return typeof value === "string" ? plain(value) : plainJson(value);
}
