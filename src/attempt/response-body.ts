/** What is read of a response body; the rest is dropped, with the connection when it has not arrived yet. */
export const BODY_LIMIT_BYTES = 1_024;

/**
 * The first KiB of the body as text, without NUL (Postgres' text can't hold it), invalid UTF-8 replaced.
 * Resolves as soon as that much is there. Rejects when the body breaks off before, or the fetch is aborted.
 */
export async function readBody(response: Response): Promise<string> {
  const text = endsWithinLimit(response.headers) ? await response.text() : await readStart(response.body);
  return text.includes("\0") ? text.replaceAll("\0", "") : text;
}

/** True when the head promises a body so short that it can be read whole: a stream would cost a tenth more. */
function endsWithinLimit(headers: Headers): boolean {
  const length = headers.get("content-length");
  // A Transfer-Encoding overrides Content-Length (RFC 9112, 6.3) and may go on for ever.
  return (
    length !== null &&
    /^\d{1,4}$/.test(length) &&
    Number(length) <= BODY_LIMIT_BYTES &&
    !headers.has("transfer-encoding")
  );
}

async function readStart(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const start = new Uint8Array(BODY_LIMIT_BYTES);
  let filled = 0;
  while (filled < BODY_LIMIT_BYTES) {
    const { done, value } = await reader.read();
    if (done) return new TextDecoder().decode(start.subarray(0, filled));
    const taken = value.subarray(0, BODY_LIMIT_BYTES - filled);
    start.set(taken, filled);
    filled += taken.length;
  }
  reader.cancel().catch(() => {});
  // As a stream: a character cut in two by the limit is left out rather than replaced.
  return new TextDecoder().decode(start, { stream: true });
}
