/** What is read of a response body; the rest is dropped, with the connection when it has not arrived yet. */
export const BODY_LIMIT_BYTES = 1_024;

/** A part of a buffer larger than this is copied: the little that is wanted of it must not keep all of it in memory. */
const KEPT_AS_IT_IS_BYTES = 4_096;
const NOTHING = Buffer.alloc(0);

const DECODER = new TextDecoder();

/** The first KiB of a body. */
export class BodyStart {
  /** What came first as it is; or room for all of it, since each of many may be a byte of a buffer a thousand times as large. */
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

  /** As text without NUL (Postgres' text can't hold it), invalid UTF-8 replaced; `isWhole`: the body ended. */
  text(isWhole: boolean): string {
    if (this.length === 0) return "";
    const bytes = this.bytes.subarray(0, this.length);
    // As a stream: a character cut in two by the limit is left out rather than replaced.
    const text =
      isWhole && !this.isCut ? DECODER.decode(bytes) : new TextDecoder().decode(bytes, { stream: true });
    return text.includes("\0") ? text.replaceAll("\0", "") : text;
  }
}
