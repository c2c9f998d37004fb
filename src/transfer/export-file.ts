import type { TimeRange } from "../retention/time-range";
import type { MovedTable } from "./tables";

/*
 * An export is a gzipped text: the manifest; for each table its head, its rows as COPY writes them, and a line `\.`; the end.
 * COPY escapes line feeds and backslashes, so that no row contains the line `\.`.
 */

export const FORMAT = "hermod-export-1";

/** The first line of an export. */
export type Manifest = Readonly<{
  format: string;
  /** The version of Hermod that wrote the file. */
  version: string;
  createdAt: string;
  /** The hash of the last migration. The rows fit only this schema. */
  migration: string;
  ranges: readonly TimeRange[];
}>;

/** The last line of an export. Without it the file is not whole. */
export type End = Readonly<{ rows: number }>;

export const END_OF_TABLE = "\\.";
const LINE_FEED = 10;

export function lineOf(value: Manifest | MovedTable | End): string {
  return `${JSON.stringify(value)}\n`;
}

/** Reads lines of JSON from a stream, and the rows between them without copying them. */
export class LineReader {
  private rest: Buffer = Buffer.alloc(0);
  private readonly chunks: AsyncIterator<Uint8Array>;

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.chunks = stream[Symbol.asyncIterator]();
  }

  /** Returns the next line, parsed; null at the end of the stream. Throws if it is not JSON. */
  async json(): Promise<unknown> {
    let end = this.rest.indexOf(LINE_FEED);
    for (; end < 0; end = this.rest.indexOf(LINE_FEED)) if (!(await this.more())) return null;
    const line = this.rest.toString("utf8", 0, end);
    this.rest = this.rest.subarray(end + 1);
    return JSON.parse(line);
  }

  /** Yields the rows of a table in pieces of whole lines, up to its end. Throws if the stream ends before it. */
  async *rows(): AsyncGenerator<Buffer> {
    const mark = Buffer.from(`${END_OF_TABLE}\n`);
    for (;;) {
      const end = this.startOf(mark);
      const whole = end < 0 ? this.rest.lastIndexOf(LINE_FEED) + 1 : end;
      if (whole > 0) yield this.rest.subarray(0, whole);
      this.rest = this.rest.subarray(end < 0 ? whole : end + mark.length);
      if (end >= 0) return;
      if (!(await this.more()))
        throw new Error("the file is incomplete: it ends within a table; export again");
    }
  }

  /** Returns the offset of the line that equals this mark; negative if it has not arrived yet. */
  private startOf(mark: Buffer): number {
    if (this.rest.subarray(0, mark.length).equals(mark)) return 0;
    const before = this.rest.indexOf(Buffer.concat([Buffer.from("\n"), mark]));
    return before < 0 ? -1 : before + 1;
  }

  private async more(): Promise<boolean> {
    const { value, done } = await this.chunks.next();
    if (done) return false;
    this.rest = this.rest.length === 0 ? Buffer.from(value) : Buffer.concat([this.rest, value]);
    return true;
  }
}
