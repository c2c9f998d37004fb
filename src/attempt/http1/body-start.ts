/** Bytes of a response body that are read. The rest is dropped, and the connection with it if it has not arrived yet. */
export const BODY_LIMIT_BYTES = 1_024;

/** Parts of larger buffers are copied: the few bytes that are kept must not keep the whole buffer in memory. */
const KEPT_AS_IT_IS_BYTES = 4_096;
const NOTHING = Buffer.alloc(0);

const DECODER = new TextDecoder();

/** Collects the first KiB of a body. */
export class BodyStart {
  /** The first piece as it came, or a buffer of 1 KiB: each of many pieces may be a byte of a much larger buffer. */
  private bytes: Buffer = NOTHING;
  private length = 0;
  private isCut = false;

  get isFull(): boolean {
    return this.length === BODY_LIMIT_BYTES;
  }

  add(bytes: Buffer): void {
    const taken = bytes.subarray(0, BODY_LIMIT_BYTES - this.length);
    this.isCut ||= taken.length < bytes.length;
    if (taken.length === 0) return;
    if (this.length === 0 && taken.buffer.byteLength <= KEPT_AS_IT_IS_BYTES) this.bytes = taken;
    else taken.copy(this.room(), this.length);
    this.length += taken.length;
  }

  private room(): Buffer {
    if (this.bytes.length === BODY_LIMIT_BYTES) return this.bytes;
    const room = Buffer.alloc(BODY_LIMIT_BYTES);
    this.bytes.copy(room);
    this.bytes = room;
    return room;
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
}
