import { timingSafeEqual } from "node:crypto";

/** The prefix of each kind of token. API keys and JWTs have other prefixes. */
const PREFIXES = { console: "hms_", portal: "hmp_", link: "hml_" };
/** A `link` opens a portal session, once. */
export type SessionKind = keyof typeof PREFIXES;

const RANDOM_BYTES = 32;
const SHAPE = /^hm[spl]_[A-Za-z0-9_-]{43}$/;

/** Makes a token. Only its hash is stored. */
export function newToken(kind: SessionKind): string {
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)));
  return PREFIXES[kind] + random.toString("base64url");
}

/** Returns the kind of session that a token is for; null for another text. */
export function kindOfToken(text: string): SessionKind | null {
  if (!SHAPE.test(text)) return null;
  const kinds: SessionKind[] = ["console", "portal", "link"];
  return kinds.find((kind) => text.startsWith(PREFIXES[kind])) ?? null;
}

/**
 * Returns the text that a page must send with each change. Derived from the token, which pages can't read, and reveals nothing
 * about it.
 */
export function csrfTokenOf(token: string): string {
  return new Bun.CryptoHasher("sha256").update(`hermod csrf ${token}`).digest("base64url");
}

/** Compares in a time that depends only on the lengths. */
export function isSameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
