/**
 * An API key is `hmd_`, 256 random bits and a checksum, both base64url. The checksum lets a scanner for leaked secrets
 * recognise a key, and the service refuse a typo without a query.
 */
const PREFIX = "hmd_";
const RANDOM_BYTES = 32;
/** 32 bytes of base64url, and the 4 of a CRC-32. */
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

const SHAPE = new RegExp(`^${PREFIX}[A-Za-z0-9_-]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** True for a text that begins like a key and is none: cut off, mistyped or made up. */
export function isBrokenKey(text: string): boolean {
  return text.startsWith(PREFIX) && !looksLikeKey(text);
}

/** Makes a key. Its text is known only now. */
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
 * Returns the SHA-256 that is stored of a key. A key is random enough to need neither salt nor a slow hash. Keys are found by
 * their hash and never compared, so the time of a look-up reveals nothing about a key that is nearly right.
 */
export function hashKey(text: string): Uint8Array {
  return new Uint8Array(new Bun.CryptoHasher("sha256").update(text).digest());
}

function checksum(random: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(Bun.hash.crc32(random) >>> 0);
  return bytes.toString("base64url");
}
