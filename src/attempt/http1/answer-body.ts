import type { Budget } from "../../runtime/budget";
import { UnreadableAnswer } from "../failure";
import type { Framing } from "./answer-head";

/** Parts of larger buffers are copied. Otherwise a few kept bytes would hold the whole buffer in memory. */
const KEPT_AS_IT_IS_BYTES = 4_096;
/** Bytes of a body that are kept while the buffer budget is used up. */
const SMALL_BODY_START_BYTES = 4_096;
const NOTHING = Buffer.alloc(0);

const DECODER = new TextDecoder();

/**
 * Reads the body of an answer, and keeps its beginning. The rest is dropped, and the connection with it if it has not
 * arrived yet.
 */
export class AnswerBody {
  /** True once the end of the body arrived. */
  isWhole = false;
  /** True if bytes arrived after the end. */
  hasSurplus = false;
  /** Bytes read so far of a body that is not chunked. */
  private readBytes = 0;
  private chunks: Chunks | null = null;
  /** The first piece as it arrived, or a buffer that grows: many pieces may each be one byte of a much larger buffer. */
  private kept: Buffer = NOTHING;
  private keptBytes = 0;
  private isCut = false;
  private ownBytes = 0;

  constructor(
    private limit: number,
    private readonly buffers: Budget,
  ) {}

  /** Reads the next bytes. Returns true when no more are needed. Throws `UnreadableAnswer`. */
  read(framing: Framing, bytes: Buffer): boolean {
    if (framing.by === "chunks") this.readChunks(bytes);
    else {
      const wanted = framing.by === "length" ? framing.length - this.readBytes : bytes.length;
      this.keep(bytes.subarray(0, wanted));
      this.readBytes += Math.min(bytes.length, wanted);
      this.isWhole = framing.by === "length" && this.readBytes === framing.length;
      this.hasSurplus = bytes.length > wanted;
    }
    return this.isWhole || this.keptBytes >= this.limit;
  }

  /** Call it when the connection ended. Returns true if the body is complete. */
  end(framing: Framing | undefined): boolean {
    this.isWhole ||= framing?.by === "close";
    return this.isWhole;
  }

  /** Frees the memory in the budget. Nothing is read after this. */
  release(): void {
    this.buffers.change(-this.ownBytes);
    this.ownBytes = 0;
  }

  /** Returns the beginning as text without NUL, which Postgres can't store, invalid UTF-8 replaced. */
  get text(): string {
    if (this.keptBytes === 0) return "";
    const bytes = this.kept.subarray(0, this.keptBytes);
    // As a stream, which leaves out a character that the limit cuts in two.
    const text =
      this.isWhole && !this.isCut ? DECODER.decode(bytes) : new TextDecoder().decode(bytes, { stream: true });
    return text.includes("\0") ? text.replaceAll("\0", "") : text;
  }

  private readChunks(bytes: Buffer): void {
    this.chunks ??= new Chunks();
    const end = this.chunks.read(bytes, (data) => this.keep(data));
    this.isWhole = end !== null;
    this.hasSurplus = end !== null && end < bytes.length;
  }

  private keep(bytes: Buffer): void {
    if (this.buffers.isFull)
      this.limit = Math.min(this.limit, Math.max(this.keptBytes, SMALL_BODY_START_BYTES));
    const taken = bytes.subarray(0, this.limit - this.keptBytes);
    this.isCut ||= taken.length < bytes.length;
    if (taken.length === 0) return;
    if (this.keptBytes === 0 && taken.buffer.byteLength <= KEPT_AS_IT_IS_BYTES) this.kept = taken;
    else taken.copy(this.bufferFor(this.keptBytes + taken.length), this.keptBytes);
    this.keptBytes += taken.length;
  }

  private bufferFor(length: number): Buffer {
    if (length <= this.ownBytes) return this.kept;
    const larger = Buffer.allocUnsafe(Math.min(this.limit, Math.max(length, 2 * this.ownBytes, 1_024)));
    this.kept.copy(larger, 0, 0, this.keptBytes);
    this.buffers.change(larger.length - this.ownBytes);
    this.ownBytes = larger.length;
    this.kept = larger;
    return larger;
  }
}

/** Most characters of a line between chunks: a size with its extensions, or a trailer field. */
const MAX_LINE = 8_192;
const MAX_TRAILERS = 256;
const SIZE = /^(0+|0*[1-9a-f][0-9a-f]{0,11})[ \t]*(?:;.*)?$/i;
const LINE_FEED = 0x0a;

/** Decodes a chunked body as it arrives (RFC 9112, 7.1). */
class Chunks {
  private expected: "size" | "data" | "end of data" | "trailer" = "size";
  /** Bytes of the current chunk that have not arrived. */
  private left = 0;
  private line = "";
  private trailers = 0;

  /**
   * Passes the data in `bytes` to `onData`. Returns the position after the end of the body, or null if it goes on. Throws
   * `UnreadableAnswer`.
   */
  read(bytes: Buffer, onData: (data: Buffer) => void): number | null {
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
    if (this.line.length > MAX_LINE) throw new UnreadableAnswer("chunks_invalid");
  }

  /** Returns true at the end of the body. */
  private endOfLine(): boolean {
    const line = this.line.endsWith("\r") ? this.line.slice(0, -1) : this.line;
    this.line = "";
    if (this.expected === "size") this.begin(line);
    else if (this.expected === "trailer") return this.endOfTrailer(line);
    else if (line !== "") throw new UnreadableAnswer("chunks_invalid");
    else this.expected = "size";
    return false;
  }

  private begin(line: string): void {
    const size = SIZE.exec(line)?.[1];
    if (size === undefined) throw new UnreadableAnswer("chunks_invalid");
    this.left = Number.parseInt(size, 16);
    this.expected = this.left === 0 ? "trailer" : "data";
  }

  private endOfTrailer(line: string): boolean {
    if (++this.trailers > MAX_TRAILERS) throw new UnreadableAnswer("too_many_fields");
    return line === "";
  }
}
