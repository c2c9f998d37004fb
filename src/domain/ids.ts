/**
 * Ids have two forms: inside, and in Postgres, a UUIDv7; outside, a prefix and 26 characters of Crockford base32. Both forms sort
 * by creation time and contain it.
 */
declare const noun: unique symbol;
type Id<Noun extends string> = string & { readonly [noun]: Noun };

export type AccountId = Id<"account">;
export type EndpointId = Id<"endpoint">;
export type DeliveryId = Id<"delivery">;
export type KeyId = Id<"key">;
export type EventId = Id<"event">;
export type JobId = Id<"job">;
export type SessionId = Id<"session">;
export type AuditId = Id<"audit entry">;

/** Stands for the installation where an account is expected: it owns what all accounts see. No account has this id. */
export const INSTALLATION = "00000000-0000-0000-0000-000000000000" as AccountId;

type Nouns = {
  acc: AccountId;
  ep: EndpointId;
  wh: DeliveryId;
  evt: EventId;
  key: KeyId;
  job: JobId;
  ses: SessionId;
  aud: AuditId;
};
export type Prefix = keyof Nouns;
export type IdOf<P extends Prefix> = Nouns[P];
export type AnyId = IdOf<Prefix>;

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TEXT_LENGTH = 26;
const [DASH, ZERO, NINE, LETTER_TEN] = [45, 48, 57, 87];
const UUID_LENGTH = 36;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const digitOf = new Int8Array(128).fill(-1);
for (let i = 0; i < ALPHABET.length; i++) digitOf[ALPHABET.charCodeAt(i)] = i;
const DIGITS = Buffer.from(ALPHABET, "latin1");
const HEX_DIGITS = Buffer.from("0123456789abcdef", "latin1");

// Buffers in which both forms are written before they are decoded. Appending characters to a text takes two to five times as
// long (measured), and every webhook reads and writes two ids.
const written = Buffer.alloc(UUID_LENGTH);

/**
 * Most deliveries of Hermod in a chain; further requests are refused. Enough for three installations in a row, and few enough that
 * endpoints which publish received events can't multiply one. The two bits after a UUID's variant hold the count. So a delivery,
 * or the job that creates it, has its hops without a column, a message or a query.
 */
export const MAX_HOPS = 3;
const VARIANT_AT = 19;
/** The variant digits, indexed by hops. */
const VARIANTS = ["8", "9", "a"] as const;
const HOPS_BITS = 0b11;

/** The digit behind the hops, if the delivery's trace is stored. */
const TRACED = "1";
const UNTRACED = "0";

/**
 * Makes an id that is greater than all earlier ids of this process. `hops` is the number of deliveries that led to it. `isTraced`
 * is true if its trace is stored in `traces`.
 */
export function newId<P extends Prefix>(_prefix: P, hops = 0, isTraced = false): Nouns[P] {
  const uuid = Bun.randomUUIDv7();
  const variant = VARIANTS[hops];
  if (variant === undefined) throw new RangeError(`hops must be from 0 to ${MAX_HOPS - 1}`);
  const facts = `${variant}${isTraced ? TRACED : UNTRACED}`;
  return `${uuid.slice(0, VARIANT_AT)}${facts}${uuid.slice(VARIANT_AT + facts.length)}` as Nouns[P];
}

/** True if the trace of a delivery, or of its event, is stored. */
export function isTraced(id: DeliveryId | EventId): boolean {
  return id.charAt(VARIANT_AT + 1) === TRACED;
}

/** Reads the number of deliveries that led to this delivery, event or job. */
export function hopsOf(id: DeliveryId | EventId | JobId): number {
  return Number.parseInt(id.charAt(VARIANT_AT), 16) & HOPS_BITS;
}

/** Returns an id's public text, such as `wh_01k9…`. */
export function toText<P extends Prefix>(prefix: P, id: Nouns[P]): string {
  // The text has 130 bits for the id's 128, so the first character holds only the top three bits.
  let length = 0;
  let bits = 0;
  let pending = 2;
  for (let i = 0; i < id.length; i++) {
    const code = id.charCodeAt(i);
    if (code === DASH) continue;
    bits = (bits << 4) | (code <= NINE ? code - ZERO : code - LETTER_TEN);
    pending += 4;
    if (pending < 5) continue;
    pending -= 5;
    written[length++] = DIGITS[(bits >> pending) & 31] ?? ZERO;
    bits &= (1 << pending) - 1;
  }
  return `${prefix}_${written.toString("latin1", 0, length)}`;
}

/** Parses a public text. Returns null if it is not an id of this kind. */
export function fromText<P extends Prefix>(prefix: P, text: string): Nouns[P] | null {
  const start = prefix.length + 1;
  if (text.length !== start + TEXT_LENGTH || !text.startsWith(`${prefix}_`)) return null;
  let length = 0;
  let bits = 0;
  let pending = -2;
  for (let i = start; i < text.length; i++) {
    const value = digitOf[text.charCodeAt(i)] ?? -1;
    if (value < 0 || (i === start && value > 7)) return null;
    bits = (bits << 5) | value;
    pending += 5;
    while (pending >= 4) {
      pending -= 4;
      if (isDashAt(length)) written[length++] = DASH;
      written[length++] = HEX_DIGITS[(bits >> pending) & 15] ?? ZERO;
      bits &= (1 << pending) - 1;
    }
  }
  return written.toString("latin1", 0, length) as Nouns[P];
}

/** Returns the time at which the id was made, Unix milliseconds (the first 48 bits of a UUIDv7, RFC 9562). */
export function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** Returns the least id that can be made at or after `ms`, to bound a range of ids by time. */
export function leastIdAt(ms: number): string {
  const hex = Math.min(Math.max(Math.ceil(ms), 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, "0");
  return withDashes(hex.padEnd(32, "0"));
}

/** Returns the least id that is greater than this one. */
export function idAfter(id: string): string {
  return moved(id, 1n);
}

/** Returns the greatest id that is less than this one. */
export function idBefore(id: string): string {
  return moved(id, -1n);
}

function moved(id: string, by: bigint): string {
  return withDashes((BigInt(`0x${id.replaceAll("-", "")}`) + by).toString(16).padStart(32, "0"));
}

/** True for the inner form of an id. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** True for the positions of dashes in the inner form. */
function isDashAt(i: number): boolean {
  return i === 8 || i === 13 || i === 18 || i === 23;
}

function withDashes(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
