/** Most bytes of a webhook's body that a receiver reads by default: twice the largest payload, which is 1 MiB. */
export const RECEIVED_BODY_BYTES = 2 * 1_048_576;

/** A request's body is larger than a webhook's can be. Answer 413. */
export class BodyTooLarge extends Error {
  constructor(readonly maxBytes: number) {
    super(`the body is larger than ${maxBytes} bytes`);
    this.name = "BodyTooLarge";
  }
}

/**
 * Reads the body of a request to a receiver, up to a limit. Anybody can send to a receiver, and a body is verified only once it is
 * read. Throws a `BodyTooLarge`.
 */
export async function readBody(
  request: { readonly body: ReadableStream<Uint8Array> | null },
  maxBytes = RECEIVED_BODY_BYTES,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw new BodyTooLarge(maxBytes);
    chunks.push(chunk);
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}
