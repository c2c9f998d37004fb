import { rawField } from "../../client/raw-field";
import type { JsonObject } from "../../domain/json-schema";
import { parseExactly } from "../../runtime/text/exact-json";
import { badRequest, payloadTooLarge } from "../errors";
import { type Bounds, decodeText, EXACT, exceeded, isJsonObject } from "./json-text";

/**
 * The body of a request, or an item of a batch. Decodes and parses it once, for the route, the portal's rules and the audit log
 * alike.
 */
export class RequestBody {
  private decoded: string | null = null;
  private parsed: JsonObject | null = null;

  constructor(
    readonly bytes: Uint8Array,
    private readonly bounds: Bounds,
  ) {}

  /** Makes the body of a part of a text whose bounds were checked. */
  static part(text: string, bounds: Bounds): RequestBody {
    const body = new RequestBody(new Uint8Array(), bounds);
    body.decoded = text;
    return body;
  }

  get length(): number {
    return this.bytes.length;
  }

  /** The text. Throws 400 if it is not UTF-8. */
  get text(): string {
    this.decoded ??= decodeText(this.bytes);
    return this.decoded;
  }

  /** The object. Throws 400 if the text is none, or exceeds the bounds. */
  get object(): JsonObject {
    this.parsed ??= parseObject(this.text, this.bounds);
    return this.parsed;
  }

  /** Parses a field with its numbers as they were written. Returns undefined if there is none. Throws 400 if it is too large or deep. */
  exactly(field: string): unknown {
    const raw = Object.hasOwn(this.object, field) ? rawField(this.text, field) : null;
    if (raw === null) return undefined;
    const problem =
      raw.depth > EXACT.depth ? `is nested deeper than ${EXACT.depth} levels` : exceeded(raw.text, EXACT);
    if (problem !== null) throw badRequest(`${field} ${problem}`);
    return parseExactly(raw.text);
  }
}

function parseObject(text: string, bounds: Bounds): JsonObject {
  const problem = exceeded(text, bounds);
  if (problem !== null) throw badRequest(`The request body ${problem}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest(text === "" ? "The request body is empty" : "The request body is not valid JSON");
  }
  if (!isJsonObject(value)) throw badRequest("The request body must be a JSON object");
  return value;
}

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
