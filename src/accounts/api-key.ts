/**
 * The text of API keys: `hmd_`, 256 random bits, and a checksum by which a scanner for leaked secrets tells a
 * key from what merely looks like one. Both parts are base64url.
 */
const PREFIX = "hmd_";
const RANDOM_BYTES = 32;
/** 32 bytes of base64url, and the 4 of a CRC-32. */
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

const SHAPE = new RegExp(`^${PREFIX}[A-Za-z0-9_-]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** True for a text that begins as a key does and is none: cut off, mistyped, or made up. */
export function isBrokenKey(text: string): boolean {
  return text.startsWith(PREFIX) && !looksLikeKey(text);
}

/** A new key; this is the only time that its text is known. */
export function newKey(): string {
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))).toString("base64url");
  return PREFIX + random + checksum(random);
}

/** True for a text with the shape and the checksum of a key, whether or not it is one. */
export function looksLikeKey(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const random = text.slice(PREFIX.length, PREFIX.length + RANDOM_LENGTH);
  return text.endsWith(checksum(random));
}

/**
 * What is stored of a key: its SHA-256. A key is random enough to need neither salt nor a slow hash. Keys are looked up by
 * it and never compared with one another, so the time a look-up takes tells nothing of a key that is nearly right.
 */
export function hashKey(text: string): Uint8Array {
  return new Uint8Array(new Bun.CryptoHasher("sha256").update(text).digest());
}

function checksum(random: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(Bun.hash.crc32(random) >>> 0);
  return bytes.toString("base64url");
}
