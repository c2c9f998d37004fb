import { detailOf } from "./detail";
import { plain, plainJson } from "./plain";
import { fitted, type Terminal, TextTable } from "./table";
import { timeWords } from "./time-words";

/** The output streams: results on standard output, everything else on standard error. */
export type Streams = {
  out(text: string): void;
  /** Resolves once standard output has been read, so that a long list waits for a slow reader. */
  drained(): Promise<void>;
  err(text: string): void;
  /** True if standard error is a terminal, so that progress can overwrite its line. */
  isWatched: boolean;
  /** Standard output's terminal, with its present size; null if it is none. */
  readonly terminal: Terminal | null;
};

export type Cell = string | number | boolean | null | undefined;

/** The columns of a list: name, width, and the text for an item. */
export type Columns<Item> = readonly (readonly [name: string, width: number, cell: (item: Item) => Cell])[];

/** Items of a list by which a terminal's columns are as wide as needed. */
const SAMPLE = 100;

/** Writes results: lines for people, or one JSON object a line. */
export class Output {
  private table: TextTable | null = null;
  private lastProgress: string | null = null;
  /** What a frame has so far; null outside of one. */
  private framed: string[] | null = null;

  constructor(
    private readonly streams: Streams,
    readonly isJson: boolean,
  ) {}

  /** Writes one object, a field per line. */
  one(value: object): void {
    if (this.isJson) this.json(value);
    else this.write(detailOf(value, this.streams.terminal === null ? null : Date.now()));
  }

  /** Writes an item of a list or stream in a line. The first item comes below the columns' names. */
  item<Item extends object>(item: Item, columns: Columns<Item>): void {
    if (this.isJson) this.json(item);
    else this.rows([textsOf(item, columns, null)], columns);
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
    const isFitted = this.streams.terminal !== null && !this.isJson;
    const count = isFitted ? await this.fit(shown, columns) : await this.all(shown, columns);
    if (count === 0) this.note("There is none.");
    if (!hasMore) return;
    if (this.isJson) this.streams.err(`${plainJson({ shown: count, has_more: true })}\n`);
    else this.note(`These are the first ${count}; --limit <n> shows more.`);
  }

  /** Writes a text for people among the results; nothing in JSON mode. */
  say(text: string): void {
    if (!this.isJson) this.write(`${plain(text)}\n`);
  }

  /** Says what a command has done: a text for people, or an object. */
  done(text: string, value: object): void {
    if (this.isJson) this.json(value);
    else this.note(text);
  }

  /** Writes one JSON object, in both modes. */
  json(value: object): void {
    this.write(`${plainJson(value)}\n`);
  }

  /** Writes a note to standard error; nothing in JSON mode. */
  note(text: string): void {
    if (this.isJson) return;
    if (this.framed) this.framed.push(`${plain(text)}\n`);
    else this.streams.err(`${plain(text)}\n`);
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

  /** Returns what `show` writes for people and as results, in place of writing it. */
  async frame(show: () => Promise<void>): Promise<string> {
    const framed: string[] = [];
    this.framed = framed;
    this.table = null;
    try {
      await show();
    } finally {
      this.framed = null;
    }
    return framed.join("");
  }

  /** Draws a frame over the terminal's screen, as far as it has room. Without a terminal writes it below the others. */
  draw(head: string, frame: string): void {
    const { terminal, out } = this.streams;
    if (terminal === null || this.isJson) {
      out(frame);
      return;
    }
    const lines = shortened([plain(head), "", ...frame.trimEnd().split("\n")], terminal.rows - 1);
    out(`\u001b[H${lines.map((line) => `${fitted(line, terminal.columns)}\u001b[K\n`).join("")}\u001b[J`);
  }

  private write(text: string): void {
    if (this.framed) this.framed.push(text);
    else this.streams.out(text);
  }

  /** Writes a list for a terminal: reads some items first, so that the columns are as wide as these need. */
  private async fit<Item extends object>(
    items: AsyncIterable<Item> | Iterable<Item>,
    columns: Columns<Item>,
  ): Promise<number> {
    const now = Date.now();
    const waiting: (readonly string[])[] = [];
    let count = 0;
    for await (const item of items) {
      waiting.push(textsOf(item, columns, now));
      if (++count < SAMPLE) continue;
      this.rows(waiting.splice(0), columns);
      await this.streams.drained();
    }
    this.rows(waiting, columns);
    return count;
  }

  private rows(rows: readonly (readonly string[])[], columns: Columns<never>): void {
    if (rows.length === 0) return;
    this.table ??= this.begin(rows, columns);
    for (const row of rows) this.write(this.table.line(row));
  }

  private begin(rows: readonly (readonly string[])[], columns: Columns<never>): TextTable {
    const table = new TextTable(columns, rows, this.streams.terminal);
    const { leftOut } = table;
    if (leftOut.length > 0)
      this.note(`The terminal is too narrow for ${leftOut.join(", ")}; --json has them.`);
    this.write(table.head);
    return table;
  }
}

/** Returns the lines that fit. The last one says how many do not. */
function shortened(lines: readonly string[], most: number): readonly string[] {
  const left = lines.length - most;
  return left <= 0 ? lines : [...lines.slice(0, most - 1), `… ${left + 1} more lines`];
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

/** Returns the texts of an item's cells. `now`: says times as people do; null: as they are. */
function textsOf<Item>(item: Item, columns: Columns<Item>, now: number | null): string[] {
  return columns.map(([, , cell]) => {
    const value = cell(item);
    if (value === null || value === undefined) return "-";
    const text = String(value);
    return (now === null ? null : timeWords(text, now)) ?? plain(text);
  });
}
