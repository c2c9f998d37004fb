import { type DeliveryId, isUuid } from "../runtime/ids";

/** Where a page of a list ended: the next one begins before this delivery. */
export type PagePosition = { before: DeliveryId };

/**
 * Where an iterator stands: after this delivery, in the order of commits that are settled. Without a
 * delivery the id is zeros.
 */
export type IteratorPosition = {
  /** The 64-bit identifier of the transaction that accepted the delivery, decimal. */
  transaction: string;
  id: DeliveryId;
  /** A Postgres snapshot (`xmin:xmax:xip,…`): what it sees lies behind the iterator too. Null is none. */
  seen: string | null;
};

/** Zeros, which sort before every identifier. */
export const BEFORE_ALL_IDS = "00000000-0000-0000-0000-000000000000" as DeliveryId;
/** Sorts after every identifier. */
export const AFTER_ALL_IDS = "ffffffff-ffff-ffff-ffff-ffffffffffff" as DeliveryId;

/** Version and kind, so that a token is never read as what it is not, nor by rules that have changed. */
const PAGE = "1p";
const ITERATOR = "1i";
/** Room for a snapshot with hundreds of transactions under way. */
const MAX_TOKEN_LENGTH = 8_192;
const MAX_TRANSACTION = 2n ** 64n - 1n;

/** The text that stands for a page's position; clients only hand it back. */
export function formatPagePosition({ before }: PagePosition): string {
  return encode([PAGE, before]);
}

/** Null for what `formatPagePosition` did not make. */
export function parsePagePosition(token: string): PagePosition | null {
  const [kind, before, ...rest] = decode(token);
  if (kind !== PAGE || before === undefined || rest.length > 0 || !isUuid(before)) return null;
  return { before: before as DeliveryId };
}

/** The text that stands for an iterator's position. */
export function formatIteratorPosition({ transaction, id, seen }: IteratorPosition): string {
  return encode(seen === null ? [ITERATOR, transaction, id] : [ITERATOR, transaction, id, seen]);
}

/** Null for what `formatIteratorPosition` did not make. */
export function parseIteratorPosition(token: string): IteratorPosition | null {
  const [kind, transaction, id, seen = null, ...rest] = decode(token);
  if (kind !== ITERATOR || transaction === undefined || id === undefined || rest.length > 0) return null;
  if (parseTransaction(transaction) === null || !isUuid(id)) return null;
  if (seen !== null && !isSnapshot(seen)) return null;
  return { transaction, id: id as DeliveryId, seen };
}

function encode(parts: readonly string[]): string {
  return Buffer.from(parts.join(" ")).toString("base64url");
}

function decode(token: string): string[] {
  if (token.length > MAX_TOKEN_LENGTH) return [];
  const text = Buffer.from(token, "base64url").toString("latin1");
  // Decoding is lenient: what would not be encoded the same way is not ours.
  return Buffer.from(text, "latin1").toString("base64url") === token ? text.split(" ") : [];
}

function parseTransaction(text: string): bigint | null {
  if (!/^(0|[1-9]\d{0,19})$/.test(text)) return null;
  const value = BigInt(text);
  return value <= MAX_TRANSACTION ? value : null;
}

/** Whether Postgres takes a text as a snapshot: transactions under way ascend from xmin to below xmax. */
function isSnapshot(text: string): boolean {
  const [xmin, xmax, underWay, ...rest] = text.split(":");
  if (xmin === undefined || xmax === undefined || underWay === undefined || rest.length > 0) return false;
  const least = parseTransaction(xmin);
  const end = parseTransaction(xmax);
  if (least === null || end === null || least === 0n || least > end) return false;
  let previous = least - 1n;
  for (const each of underWay === "" ? [] : underWay.split(",")) {
    const value = parseTransaction(each);
    if (value === null || value <= previous || value >= end) return false;
    previous = value;
  }
  return true;
}
