import { timingSafeEqual } from "node:crypto";

/** Begins the token of a session in a browser. API keys and JWTs begin otherwise. */
const PREFIX = "hms_";
const RANDOM_BYTES = 32;
const SHAPE = /^hms_[A-Za-z0-9_-]{43}$/;

/** Makes a session's token. Only its hash is stored. */
export function newSessionToken(): string {
  return PREFIX + Buffer.from(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))).toString("base64url");
}

export function isSessionToken(text: string): boolean {
  return SHAPE.test(text);
}

/**
 * Returns the text that a page must send with each change of the session. Derived from the token, which pages can't
 * read; it reveals nothing of it.
 */
export function csrfTokenOf(token: string): string {
  return new Bun.CryptoHasher("sha256").update(`hermod csrf ${token}`).digest("base64url");
}

/** Compares in a time that depends on the lengths alone. */
export function isSameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
