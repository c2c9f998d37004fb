import { createHash, hkdfSync, randomBytes } from "node:crypto";

export type EncryptionKey = Readonly<{
  /** The key's id in sealed texts: its given name, or the fingerprint. */
  id: string;
  /** The first 8 hexadecimal digits of the key's SHA-256. */
  fingerprint: string;
  /** 32 bytes. */
  bytes: Uint8Array;
}>;

/** A key for one purpose, derived from an encryption key. */
export type DerivedKey = Readonly<{
  /** The fingerprint of the encryption key: processes may name the same key differently. */
  id: string;
  bytes: Uint8Array;
}>;

const KEY_BYTES = 32;
const ID = /^[A-Za-z0-9_-]{1,32}$/;
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;

/**
 * Parses keys as `base64` or `id:base64`, separated by commas, each 32 bytes in base64. Throws an error that names
 * `source` and the problem, but shows no key.
 */
export function parseEncryptionKeys(
  text: string,
  source = "HERMOD_ENCRYPTION_KEY",
): readonly EncryptionKey[] {
  const keys = text.split(",").map((item, i) => parseKey(item.trim(), `${source}: key ${i + 1}`));
  const names = keys.flatMap(({ id, fingerprint }) => (id === fingerprint ? [id] : [id, fingerprint]));
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new Error(`${source}: the key or id ${twice} is repeated; remove one of them`);
  return keys;
}

function parseKey(item: string, label: string): EncryptionKey {
  const colon = item.indexOf(":");
  const base64 = item.slice(colon + 1);
  if (!BASE64.test(base64)) {
    throw new Error(
      `${label} must be ${KEY_BYTES} bytes in base64, such as: openssl rand -base64 ${KEY_BYTES}`,
    );
  }
  const bytes = Buffer.from(base64, "base64");
  const fingerprint = fingerprintOf(bytes);
  const id = colon < 0 ? fingerprint : item.slice(0, colon);
  if (!ID.test(id)) throw new Error(`${label} must have an id of 1 to 32 letters, digits, "-" or "_"`);
  return { id, fingerprint, bytes };
}

/** The first 8 hexadecimal digits of a key's SHA-256. */
export function fingerprintOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 8);
}

/** Derives a key for a single purpose, which reveals nothing about the encryption key: HKDF-SHA256 (RFC 5869). */
export function deriveKey({ fingerprint, bytes }: EncryptionKey, purpose: string): DerivedKey {
  return { id: fingerprint, bytes: new Uint8Array(hkdfSync("sha256", bytes, "", purpose, KEY_BYTES)) };
}

/** Makes a new key, as `parseEncryptionKeys` reads it. */
export function newEncryptionKey(): string {
  return randomBytes(KEY_BYTES).toString("base64");
}
