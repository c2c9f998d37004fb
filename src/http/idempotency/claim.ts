import type { IdempotencyClaim } from "../../intake/send";
import { badRequest } from "../errors";

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** Returns a request's Idempotency-Key, or null. */
export function idempotencyKeyOf(request: Request): string | null {
  const key = request.headers.get("idempotency-key");
  if (key === null || PRINTABLE.test(key)) return key;
  throw badRequest("Idempotency-Key must be 1 to 255 printable ASCII characters");
}

/** Hashes method, path and body with SHA-256. Requests with the same key are the same if their hashes are. */
export function fingerprintOf(method: string, path: string, body: Uint8Array): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(`${method} ${path}\n`).update(body).digest();
}

/** Returns the claim of a request with a key; null without one. */
export function claimOf(request: Request, path: string, body: Uint8Array): IdempotencyClaim | null {
  const key = idempotencyKeyOf(request);
  return key === null ? null : { key, fingerprint: fingerprintOf(request.method, path, body) };
}
