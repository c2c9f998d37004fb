/** The body of a request. */
export type Body = string | StoredBody;

/** A large body, which is read only when it may be sent, because thousands may wait. */
export type StoredBody = Readonly<{
  bytes: number;
  /** Resolves to null if the body was erased or can't be read now. Never rejects. */
  read(): Promise<string | null>;
}>;

/** Most bytes of bodies that the kernel has not taken. Small bodies don't count, since the kernel takes them at once. */
export const MAX_BODY_BYTES = 64 * 1_048_576;
export const SMALL_BODY_BYTES = 16_384;

/** Returns the bytes of a body that count towards `MAX_BODY_BYTES`. */
export function weightOf(body: Body): number {
  if (typeof body !== "string") return body.bytes;
  return body.length > SMALL_BODY_BYTES ? Buffer.byteLength(body) : 0;
}

/**
 * Most bytes of input that can't be used yet: unfinished heads and waiting handshakes of all exchanges. Otherwise thousands of
 * receivers that send large heads without an end would fill the memory.
 */
export const MAX_INPUT_BYTES = 64 * 1_048_576;
