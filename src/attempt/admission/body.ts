/** What goes over the wire. */
export type Body = string | StoredBody;

/** One so large that it is read only when it may go: thousands may wait. */
export type StoredBody = Readonly<{
  bytes: number;
  /** Null: it is not to go any more, or can't be read now. Never rejects. */
  read(): Promise<string | null>;
}>;

/** What bodies may take together until the kernel has taken them over, bytes; but for small ones, which it takes at once. */
export const MAX_BODY_BYTES = 64 * 1_048_576;
export const SMALL_BODY_BYTES = 16_384;

/** What a body takes of it. */
export function weightOf(body: Body): number {
  if (typeof body !== "string") return body.bytes;
  return body.length > SMALL_BODY_BYTES ? Buffer.byteLength(body) : 0;
}
