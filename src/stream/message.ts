import { type AccountId, type DeliveryId, type EndpointId, isUuid } from "../runtime/ids";

/** What the stream tells of an accepted delivery: a hint, since Postgres holds the truth. Many travel as one message. */
export type DeliveryMessage = {
  id: DeliveryId;
  accountId: AccountId;
  endpointId: EndpointId;
  sequence: number;
  event: string | null;
  orderingKey: string | null;
  /** The endpoint's revision when the delivery was accepted. */
  revision: number;
  /** Null when the payload is too large to travel; it is then read from Postgres. */
  data: string | null;
};

/** Payloads above this many bytes stay in Postgres: NATS takes 1 MiB a message, and small ones are fast. */
export const MAX_MESSAGE_DATA_BYTES = 65_536;

/** The message as it may travel: without its payload if that is too large. */
export function withinLimit(
  message: DeliveryMessage,
  maxDataBytes = MAX_MESSAGE_DATA_BYTES,
): DeliveryMessage {
  const { data } = message;
  // A UTF-16 unit is at most three bytes of UTF-8, so short texts need no count.
  if (data === null || data.length * 3 <= maxDataBytes) return message;
  return Buffer.byteLength(data) <= maxDataBytes ? message : { ...message, data: null };
}

/** Deliveries travel together up to this many bytes, for NATS takes 1 MiB, unless it is set to take less. */
export const MAX_MESSAGE_BYTES = 524_288;
/** More than an entry of the head has beside its event: three UUIDs, two numbers, a length. */
const ENTRY_BYTES = 200;

/** Splits what travels to the same dispatcher so that no message is larger than `maxBytes`, unless by one delivery alone. */
export function* batchesOf(
  messages: readonly DeliveryMessage[],
  maxBytes: number,
): Generator<readonly DeliveryMessage[]> {
  let start = 0;
  let bytes = 0;
  for (const [i, message] of messages.entries()) {
    const more = mostBytes(message);
    if (i > start && bytes + more > maxBytes) {
      yield messages.slice(start, i);
      start = i;
      bytes = 0;
    }
    bytes += more;
  }
  if (start < messages.length) yield messages.slice(start);
}

// Events and keys are in the head as JSON, where a control character takes six bytes.
function mostBytes({ event, orderingKey, data }: DeliveryMessage): number {
  const names = (event?.length ?? 0) + (orderingKey?.length ?? 0);
  return ENTRY_BYTES + 6 * names + Buffer.byteLength(data ?? "");
}

const VERSION = 3;
/** The last one is the length of the payload in bytes; null: it does not travel. */
type Entry = [
  DeliveryId,
  AccountId,
  EndpointId,
  sequence: number,
  event: string | null,
  orderingKey: string | null,
  revision: number,
  bytes: number | null,
];
type Head = [typeof VERSION, Entry[]];

const encoder = new TextEncoder();
// A payload may begin with a byte order mark, which belongs to it.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const LINE_FEED = 10;

/** A head of JSON, a line feed, then the payloads as they were sent, one behind the other. */
export function encodeMessages(messages: readonly DeliveryMessage[]): Uint8Array {
  const entries = messages.map(entryOf);
  const head: Head = [VERSION, entries];
  const payloads = messages.map(({ data }) => data ?? "").join("");
  return encoder.encode(`${JSON.stringify(head)}\n${payloads}`);
}

function entryOf(message: DeliveryMessage): Entry {
  const { id, accountId, endpointId, sequence, event, orderingKey, revision, data } = message;
  const bytes = data === null ? null : Buffer.byteLength(data);
  return [id, accountId, endpointId, sequence, event, orderingKey, revision, bytes];
}

/**
 * The deliveries of a message; none when the bytes are not a message of this version. Each payload is decoded by itself: a
 * slice of one text would keep all of it in memory for as long as one delivery waits (measured).
 */
export function decodeMessages(bytes: Uint8Array): DeliveryMessage[] {
  const end = bytes.indexOf(LINE_FEED);
  const entries = end < 0 ? [] : parseEntries(decoder.decode(bytes.subarray(0, end)));
  let at = end + 1;
  const messages = entries.map((entry) => {
    const [id, accountId, endpointId, sequence, event, orderingKey, revision, length] = entry;
    const data = length === null ? null : decoder.decode(bytes.subarray(at, at + length));
    at += length ?? 0;
    return { id, accountId, endpointId, sequence, event, orderingKey, revision, data };
  });
  return at === bytes.length ? messages : [];
}

function isEntry(value: unknown): value is Entry {
  if (!Array.isArray(value) || value.length !== 8) return false;
  const [id, accountId, endpointId, sequence, event, orderingKey, revision, length] = value;
  const areIds = [id, accountId, endpointId].every((each) => typeof each === "string" && isUuid(each));
  return (
    areIds &&
    isCount(sequence) &&
    sequence > 0 &&
    (event === null || typeof event === "string") &&
    (orderingKey === null || typeof orderingKey === "string") &&
    isCount(revision) &&
    // A payload is a JSON object, never empty.
    (length === null || (isCount(length) && length > 0))
  );
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function parseEntries(text: string): Entry[] {
  try {
    const head: unknown = JSON.parse(text);
    if (!Array.isArray(head) || head.length !== 2) return [];
    const [version, entries] = head;
    return version === VERSION && Array.isArray(entries) && entries.every(isEntry) ? entries : [];
  } catch {
    return [];
  }
}
