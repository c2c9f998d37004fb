/**
 * A key is a prefix, 256 random bits and a checksum, both base64url. By the checksum a scanner for leaked secrets recognises a
 * key, and the service refuses a typing error without a query.
 */
const PREFIXES = { account: "hmd_", receiver: "rcv_" };
/** `account`: an API key. `receiver`: the key of an endpoint's receiver. */
export type KeyKind = keyof typeof PREFIXES;

/** All prefixes have this length. */
const PREFIX_LENGTH = 4;
const RANDOM_BYTES = 32;
/** Lengths in base64url: of 32 random bytes, and of a CRC-32. */
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

const KNOWN = Object.values(PREFIXES);
const SHAPE = new RegExp(`^(?:${KNOWN.join("|")})[A-Za-z0-9_-]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** True for a text that begins like a key but is cut off, mistyped or made up. */
export function isBrokenKey(text: string): boolean {
  return KNOWN.some((prefix) => text.startsWith(prefix)) && !looksLikeKey(text);
}

/** Makes a key. Its text is not stored. */
export function newKey(kind: KeyKind = "account"): string {
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))).toString("base64url");
  return PREFIXES[kind] + random + checksum(random);
}

/** True for a text with the form and the checksum of a key, whether or not such a key exists. */
export function looksLikeKey(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const random = text.slice(PREFIX_LENGTH, PREFIX_LENGTH + RANDOM_LENGTH);
  return text.endsWith(checksum(random));
}

/**
 * Returns the stored hash of a key, its SHA-256. A key is random enough to need neither salt nor a slow hash. Keys are found by
 * their hash and never compared, so the time of a look-up does not help to guess a key.
 */
export function hashKey(text: string): Uint8Array {
  return new Uint8Array(new Bun.CryptoHasher("sha256").update(text).digest());
}

function checksum(random: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(Bun.hash.crc32(random) >>> 0);
  return bytes.toString("base64url");
}
