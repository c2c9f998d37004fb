import { badRequest, payloadTooLarge } from "../errors";

/** Most bytes that a request body may hold, 1 MiB. */
export const BODY_LIMIT = 1_048_576;

/** True if Content-Length exceeds the limit. Then the body is never read. */
export function declaresTooMuch(request: Request): boolean {
  const declared = request.headers.get("content-length");
  return declared !== null && Number(declared) > BODY_LIMIT;
}

/** Reads the body. Throws 413 as soon as it exceeds the limit, and 400 if the client aborts. */
export async function readBody(request: Request): Promise<Uint8Array> {
  try {
    // With a Content-Length the server passes on exactly that number of bytes, which the guard has checked.
    if (request.headers.get("content-length") !== null) return await request.bytes();
    if (request.body === null) return new Uint8Array(0);
    return await readCounted(request.body);
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError")
      throw badRequest("The request body ended too early");
    throw error;
  }
}

async function readCounted(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > BODY_LIMIT) throw payloadTooLarge(BODY_LIMIT);
    chunks.push(chunk);
  }
  return concatenate(chunks, size);
}

function concatenate(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks;
  if (first && chunks.length === 1) return first;
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
