import type { IdempotencyClaim } from "../../intake/sends/send";
import { badRequest } from "../errors";

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** Returns a request's Idempotency-Key, or null. */
export function idempotencyKeyOf(headers: Headers): string | null {
  const key = headers.get("idempotency-key");
  if (key === null || PRINTABLE.test(key)) return key;
  throw badRequest("Idempotency-Key must be 1 to 255 printable ASCII characters");
}

/**
 * Hashes method, path and body with SHA-256. Requests with the same key are the same if their hashes are. With
 * `requester`, requests of another requester differ.
 */
export function fingerprintOf(method: string, path: string, body: Uint8Array, requester = ""): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(`${method} ${path}${requester}\n`).update(body).digest();
}

/** Returns the claim of a request with a key; null without one. */
export function claimOf(request: Request, path: string, body: Uint8Array): IdempotencyClaim | null {
  const key = idempotencyKeyOf(request.headers);
  return key === null ? null : { key, fingerprint: fingerprintOf(request.method, path, body) };
}
