import type { IdempotencyClaim } from "../../intake/send";
import { badRequest } from "../errors";

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** The Idempotency-Key of a request, or null when it carries none. */
export function idempotencyKeyOf(request: Request): string | null {
  const key = request.headers.get("idempotency-key");
  if (key === null || PRINTABLE.test(key)) return key;
  throw badRequest("Idempotency-Key must be 1 to 255 printable ASCII characters");
}

/** What tells one request from another that carries the same key: SHA-256 over method, path and body. */
export function fingerprintOf(method: string, path: string, body: Uint8Array): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(`${method} ${path}\n`).update(body).digest();
}

/** The claim that a request makes with its key; null when it carries none. */
export function claimOf(request: Request, path: string, body: Uint8Array): IdempotencyClaim | null {
  const key = idempotencyKeyOf(request);
  return key === null ? null : { key, fingerprint: fingerprintOf(request.method, path, body) };
}
