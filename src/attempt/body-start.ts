/** What is read of a response body; the rest is dropped, with the connection when it has not arrived yet. */
export const BODY_LIMIT_BYTES = 1_024;

const DECODER = new TextDecoder();

/** The first KiB of a body. */
export class BodyStart {
  private readonly parts: Buffer[] = [];
  private length = 0;
  private isCut = false;

  get isFull(): boolean {
    return this.length === BODY_LIMIT_BYTES;
  }

  add(bytes: Buffer): void {
    const taken = bytes.subarray(0, BODY_LIMIT_BYTES - this.length);
    this.isCut ||= taken.length < bytes.length;
    if (taken.length === 0) return;
    this.parts.push(taken);
    this.length += taken.length;
  }

  /** As text without NUL (Postgres' text can't hold it), invalid UTF-8 replaced; `isWhole`: the body ended. */
  text(isWhole: boolean): string {
    const [only] = this.parts;
    if (only === undefined) return "";
    const bytes = this.parts.length === 1 ? only : Buffer.concat(this.parts);
    // As a stream: a character cut in two by the limit is left out rather than replaced.
    const text =
      isWhole && !this.isCut ? DECODER.decode(bytes) : new TextDecoder().decode(bytes, { stream: true });
    return text.includes("\0") ? text.replaceAll("\0", "") : text;
  }
}
