import type { BufferBudget } from "../admission/buffer-budget";

/** Parts of larger buffers are copied: the few bytes that are kept must not keep the whole buffer in memory. */
const KEPT_AS_IT_IS_BYTES = 4_096;
/** Bytes of a body that are kept while the buffer budget is used up. */
export const SMALL_BODY_START_BYTES = 4_096;
const NOTHING = Buffer.alloc(0);

const DECODER = new TextDecoder();

/** Collects the beginning of a body. The rest is dropped, and the connection with it if it has not arrived yet. */
export class BodyStart {
  /** The first piece as it came, or a buffer that grows: each of many pieces may be a byte of a much larger buffer. */
  private bytes: Buffer = NOTHING;
  private length = 0;
  private isCut = false;
  private ownBytes = 0;

  constructor(
    private limit: number,
    private readonly room: BufferBudget,
  ) {}

  get isFull(): boolean {
    return this.length >= this.limit;
  }

  add(bytes: Buffer): void {
    if (this.room.isFull) this.limit = Math.min(this.limit, Math.max(this.length, SMALL_BODY_START_BYTES));
    const taken = bytes.subarray(0, this.limit - this.length);
    this.isCut ||= taken.length < bytes.length;
    if (taken.length === 0) return;
    if (this.length === 0 && taken.buffer.byteLength <= KEPT_AS_IT_IS_BYTES) this.bytes = taken;
    else taken.copy(this.bufferFor(this.length + taken.length), this.length);
    this.length += taken.length;
  }

  /** Frees the memory in the budget. Nothing is added after this. */
  release(): void {
    this.room.change(-this.ownBytes);
    this.ownBytes = 0;
  }

  /** Returns the text without NUL, which Postgres can't store, invalid UTF-8 replaced. `isWhole`: the body ended. */
  text(isWhole: boolean): string {
    if (this.length === 0) return "";
    const bytes = this.bytes.subarray(0, this.length);
    // As a stream, which leaves out a character that the limit cuts in two.
    const text =
      isWhole && !this.isCut ? DECODER.decode(bytes) : new TextDecoder().decode(bytes, { stream: true });
    return text.includes("\0") ? text.replaceAll("\0", "") : text;
  }

  private bufferFor(length: number): Buffer {
    if (length <= this.ownBytes) return this.bytes;
    const larger = Buffer.allocUnsafe(Math.min(this.limit, Math.max(length, 2 * this.ownBytes, 1_024)));
    this.bytes.copy(larger, 0, 0, this.length);
    this.room.change(larger.length - this.ownBytes);
    this.ownBytes = larger.length;
    this.bytes = larger;
    return larger;
  }
}
