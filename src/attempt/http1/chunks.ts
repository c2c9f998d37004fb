import { UnreadableAnswer } from "../failure";

/** Most characters of a line between chunks: a size with its extensions, or a trailer field. */
const MAX_LINE = 8_192;
const MAX_TRAILERS = 256;
const SIZE = /^0*([0-9a-f]{1,12})[ \t]*(?:;.*)?$/i;
const LINE_FEED = 0x0a;

/** Decodes a chunked body as it arrives (RFC 9112, 7.1). */
export class Chunks {
  private expected: "size" | "data" | "end of data" | "trailer" = "size";
  /** Bytes of the current chunk that have not arrived. */
  private left = 0;
  private line = "";
  private trailers = 0;

  /**
   * Passes the data in `bytes` to `onData`. Returns the position after the end of the body, or null if it goes on. Throws
   * `UnreadableAnswer`.
   */
  take(bytes: Buffer, onData: (data: Buffer) => void): number | null {
    let at = 0;
    while (at < bytes.length) {
      if (this.expected === "data") {
        const data = bytes.subarray(at, at + this.left);
        onData(data);
        at += data.length;
        this.left -= data.length;
        if (this.left === 0) this.expected = "end of data";
        continue;
      }
      const end = bytes.indexOf(LINE_FEED, at);
      this.add(bytes.toString("latin1", at, end < 0 ? bytes.length : end));
      if (end < 0) return null;
      at = end + 1;
      if (this.endOfLine()) return at;
    }
    return null;
  }

  private add(text: string): void {
    this.line += text;
    if (this.line.length > MAX_LINE) throw new UnreadableAnswer("a line without end between chunks");
  }

  /** Returns true at the end of the body. */
  private endOfLine(): boolean {
    const line = this.line.endsWith("\r") ? this.line.slice(0, -1) : this.line;
    this.line = "";
    if (this.expected === "size") this.begin(line);
    else if (this.expected === "trailer") return this.endOfTrailer(line);
    else if (line !== "") throw new UnreadableAnswer("a chunk longer than its size");
    else this.expected = "size";
    return false;
  }

  private begin(line: string): void {
    const size = SIZE.exec(line)?.[1];
    if (size === undefined) throw new UnreadableAnswer("a chunk without a size");
    this.left = Number.parseInt(size, 16);
    this.expected = this.left === 0 ? "trailer" : "data";
  }

  private endOfTrailer(line: string): boolean {
    if (++this.trailers > MAX_TRAILERS) throw new UnreadableAnswer("trailers without end");
    return line === "";
  }
}
