import type { TimeRange } from "../retention/time-range";
import type { MovedTable } from "./tables";

/*
 * An export is a gzipped text of JSON lines: the manifest; for each table its head and its rows; the end. A row is an array of
 * its columns' values, each as Postgres writes it as text, or null. Every other line is an object.
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
export type ExportEnd = Readonly<{ rows: number }>;

const LINE_FEED = 10;
const BEGIN_OF_ROW = "[".charCodeAt(0);
/** A batch of rows ends with the row that reaches this size. */
export const BATCH_BYTES = 1_048_576;

export function lineOf(value: Manifest | MovedTable | ExportEnd): string {
  return `${JSON.stringify(value)}\n`;
}

/** Reads the lines of an export. */
export class LineReader {
  private rest: Buffer = Buffer.alloc(0);
  private readonly chunks: AsyncIterator<Uint8Array>;

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.chunks = stream[Symbol.asyncIterator]();
  }

  /** Returns the next line, parsed; null at the end of the stream. Throws if it is not JSON. */
  async json(): Promise<unknown> {
    const line = await this.peek();
    if (line === null) return null;
    this.skip(line);
    return JSON.parse(line.toString());
  }

  /** Yields the rows up to the next line that is no row, in batches of JSON texts. */
  async *rows(): AsyncGenerator<string[]> {
    let batch: string[] = [];
    let bytes = 0;
    for (let line = await this.peek(); line?.[0] === BEGIN_OF_ROW; line = await this.peek()) {
      this.skip(line);
      batch.push(line.toString());
      bytes += line.length;
      if (bytes < BATCH_BYTES) continue;
      yield batch;
      batch = [];
      bytes = 0;
    }
    if (batch.length > 0) yield batch;
  }

  /** Returns the next line; null if the stream ends before it does. */
  private async peek(): Promise<Buffer | null> {
    let end = this.rest.indexOf(LINE_FEED);
    for (; end < 0; end = this.rest.indexOf(LINE_FEED)) if (!(await this.more())) return null;
    return this.rest.subarray(0, end);
  }

  private skip(line: Buffer): void {
    this.rest = this.rest.subarray(line.length + 1);
  }

  private async more(): Promise<boolean> {
    const { value, done } = await this.chunks.next();
    if (done) return false;
    this.rest = this.rest.length === 0 ? Buffer.from(value) : Buffer.concat([this.rest, value]);
    return true;
  }
}
