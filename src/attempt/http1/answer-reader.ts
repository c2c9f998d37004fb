import { Budget } from "../../runtime/budget";
import { HeadTooLarge, UnreadableAnswer } from "../failure";
import { AnswerBody } from "./answer-body";
import { type AnswerHead, checkStatusLine, parseAnswerHead } from "./answer-head";

/**
 * Most bytes of input that can't be used yet: unfinished heads and waiting handshakes of all exchanges. Otherwise thousands of
 * receivers that send large heads without an end would fill the memory.
 */
export const MAX_INPUT_BYTES = 64 * 1_048_576;
/** Most bytes of heads of one answer, interim answers included. */
export const MAX_HEAD_BYTES = 262_144;
/** Most bytes of heads while the buffer budget is used up. */
const SMALL_HEAD_BYTES = 16_384;
/** Most interim answers. A receiver that sends them without end would take time from other receivers. */
export const MAX_INTERIM = 100;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const NOTHING = Buffer.alloc(0);
const PROTOCOL = Buffer.from("HTTP/");

/** Bytes of a body that are read unless the reader is given another limit. */
const BODY_BYTES = 1_024;

/**
 * Reads one answer (RFC 9112) as its bytes arrive, until it is complete or all that Hermod keeps of its body arrived. Skips
 * interim answers (RFC 9110, 15.2).
 */
export class AnswerReader {
  private finalHead: AnswerHead | null = null;
  /** The first bytes of an unfinished head, in a buffer that may be larger. */
  private early = NOTHING;
  private earlyLength = 0;
  private hasStatusLine = false;
  private begun = false;
  /** Interim answers so far, and the bytes of their heads. */
  private interim = 0;
  private interimLength = 0;
  private readonly body: AnswerBody;

  /** `onBegun` is called with the first bytes of the answer. */
  constructor(
    private readonly buffers = new Budget(MAX_INPUT_BYTES),
    bodyBytes = BODY_BYTES,
    private readonly onBegun?: () => void,
  ) {
    this.body = new AnswerBody(bodyBytes, buffers);
  }

  /** The head of the final answer; null before it is whole. */
  get head(): AnswerHead | null {
    return this.finalHead;
  }

  /** Status of the final answer; 0 before its head is whole. */
  get status(): number {
    return this.head?.status ?? 0;
  }

  /** True once the first bytes of an answer arrived. */
  get hasBegun(): boolean {
    return this.begun;
  }

  /** True if the status is 2xx. */
  get isSuccess(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** True if the connection may carry another exchange after this answer. */
  get keepsConnection(): boolean {
    return this.body.isWhole && !this.body.hasSurplus && this.head?.keepsConnection === true;
  }

  /** The beginning of the body, see `AnswerBody`. */
  get bodyText(): string {
    return this.body.text;
  }

  /** Reads the next bytes. Returns true when no more are needed. Throws `UnreadableAnswer`, `HeadTooLarge`. */
  read(bytes: Buffer): boolean {
    let rest = bytes;
    while (this.finalHead === null) {
      if (this.earlyLength === 0) rest = this.withoutEmptyLines(rest);
      if (rest.length === 0) return false;
      const end = this.readHead(rest);
      if (end === null) return false;
      rest = rest.subarray(end);
    }
    return this.body.read(this.finalHead.framing, rest);
  }

  /** Frees the buffer. Nothing is read after this. */
  release(): void {
    this.hold(NOTHING);
    this.body.release();
  }

  /** Call it when the connection ended. Returns true if the answer is complete. */
  end(): boolean {
    return this.body.end(this.head?.framing);
  }

  /** Skips empty lines before an answer: some receivers send one after the answer before (RFC 9112, 2.2). */
  private withoutEmptyLines(bytes: Buffer): Buffer {
    let at = 0;
    while (bytes[at] === RETURN || bytes[at] === LINE_FEED) at++;
    this.interimLength += at;
    if (this.interimLength > MAX_HEAD_BYTES) throw new HeadTooLarge();
    return bytes.subarray(at);
  }

  /** Returns where in `bytes` the head ends; null if it does not. */
  private readHead(bytes: Buffer): number | null {
    const before = this.earlyLength;
    const all = before === 0 ? bytes : this.keep(bytes);
    if (before < PROTOCOL.length) checkBeginning(all);
    if (!this.begun) this.onBegun?.();
    this.begun = true;
    const end = endOfHead(all, Math.max(before - 3, 0));
    if (this.interimLength + (end ?? all.length) > MAX_HEAD_BYTES) throw new HeadTooLarge();
    if (end === null) {
      this.checkStart(all, before);
      if (before === 0) this.keep(bytes);
      return null;
    }
    const head = parseAnswerHead(all.toString("latin1", 0, end));
    this.hold(NOTHING);
    this.earlyLength = 0;
    this.hasStatusLine = false;
    if (head.status === 101) throw new UnreadableAnswer("switched_protocol");
    if (head.status >= 200) this.finalHead = head;
    else this.passOver(end);
    return end - before;
  }

  private passOver(length: number): void {
    this.interimLength += length;
    if (++this.interim > MAX_INTERIM) throw new HeadTooLarge();
  }

  private keep(bytes: Buffer): Buffer {
    const length = this.earlyLength + bytes.length;
    if (length > this.early.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.early.length));
      this.early.copy(larger, 0, 0, this.earlyLength);
      this.hold(larger);
    }
    bytes.copy(this.early, this.earlyLength);
    this.earlyLength = length;
    return this.early.subarray(0, length);
  }

  private hold(early: Buffer<ArrayBuffer>): void {
    this.buffers.change(early.length - this.early.length);
    this.early = early;
  }

  /** Checks the first line before the head ends, because bytes that are not HTTP may have no end. */
  private checkStart(all: Buffer, from: number): void {
    if (this.buffers.isFull && all.length > SMALL_HEAD_BYTES) throw new HeadTooLarge();
    const end = this.hasStatusLine ? -1 : all.indexOf(LINE_FEED, from);
    if (end < 0) return;
    checkStatusLine(all.toString("latin1", 0, all[end - 1] === RETURN ? end - 1 : end));
    this.hasStatusLine = true;
  }
}

function checkBeginning(bytes: Buffer): void {
  const length = Math.min(bytes.length, PROTOCOL.length);
  if (bytes.compare(PROTOCOL, 0, length, 0, length) !== 0) throw new UnreadableAnswer("not_http");
}

/** Returns the position after the empty line that ends a head; null if there is none. */
function endOfHead(bytes: Buffer, from: number): number | null {
  for (let at = bytes.indexOf(LINE_FEED, from); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) {
    if (bytes[at + 1] === LINE_FEED) return at + 2;
    if (bytes[at + 1] === RETURN && bytes[at + 2] === LINE_FEED) return at + 3;
  }
  return null;
}
