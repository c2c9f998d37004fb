import { createHash } from "node:crypto";
import type { HeaderFields } from "../answer";

type PlainContent = string | Uint8Array<ArrayBuffer>;
type Encoded = Readonly<{ bytes: Uint8Array<ArrayBuffer>; etag: string }>;
type EncodedAnswer = Readonly<{ plain: Encoded; gzipped: Encoded }>;

/** Sets headers of the current answer. */
type AnswerSettings = { headers: Record<string, string | number | string[] | undefined> };

/**
 * Answers with a constant body. Hashes and compresses it once, at the first request. A request must cost very little, because it
 * needs no key.
 */
export class StoredAnswer {
  private stored: Promise<EncodedAnswer> | null = null;

  constructor(
    private readonly make: () => PlainContent | Promise<PlainContent>,
    private readonly headers: HeaderFields,
  ) {}

  async answer({ headers: asked }: Request, set: AnswerSettings): Promise<Response> {
    this.stored ??= store(this.make);
    const { plain, gzipped } = await this.stored;
    const { bytes, etag } = acceptsGzip(asked.get("accept-encoding")) ? gzipped : plain;
    // Keeps a `vary` that CORS has set.
    set.headers.vary = [set.headers.vary, "accept-encoding"].filter(Boolean).join(", ");
    const headers = { ...this.headers, etag, "x-content-type-options": "nosniff" };
    if (matches(asked.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
    return new Response(bytes, {
      headers: bytes === plain.bytes ? headers : { ...headers, "content-encoding": "gzip" },
    });
  }
}

async function store(make: () => PlainContent | Promise<PlainContent>): Promise<EncodedAnswer> {
  const made = await make();
  const bytes = typeof made === "string" ? new TextEncoder().encode(made) : made;
  const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  return {
    plain: { bytes, etag: `"${hash}"` },
    gzipped: { bytes: Bun.gzipSync(bytes), etag: `"${hash}-gzip"` },
  };
}

const GZIP = /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i;

function acceptsGzip(header: string | null): boolean {
  return header?.split(",").some((coding) => GZIP.test(coding)) ?? false;
}

/** Compares ETags (RFC 9110, 13.1.2). */
function matches(header: string | null, etag: string): boolean {
  if (header === null) return false;
  const tags = header.split(",").map((each) => each.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}
