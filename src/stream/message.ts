import { type AccountId, type DeliveryId, type EndpointId, fromText, toText } from "../domain/ids";

/** An accepted delivery as the stream carries it: a hint, since Postgres holds the truth. Many travel as one message. */
export type DeliveryMessage = {
  id: DeliveryId;
  accountId: AccountId;
  endpointId: EndpointId;
  sequence: number;
  event: string | null;
  orderingKey: string | null;
  /** The sender's own id for the event, which begins the `webhook-id`; null is none. */
  eventExternalId: string | null;
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
/** An entry of the list has less than this beside its event, and a message less beside its deliveries. */
const ENTRY_BYTES = 260;

/** Splits the deliveries of a partition so that no message is larger than `maxBytes`, unless one delivery alone is. */
export function* batchesOf(
  messages: readonly DeliveryMessage[],
  maxBytes: number,
): Generator<readonly DeliveryMessage[]> {
  let start = 0;
  let bytes = ENTRY_BYTES;
  for (const [i, message] of messages.entries()) {
    const more = mostBytes(message);
    if (i > start && bytes + more > maxBytes) {
      yield messages.slice(start, i);
      start = i;
      bytes = ENTRY_BYTES;
    }
    bytes += more;
  }
  if (start < messages.length) yield messages.slice(start);
}

// The list has events and keys as JSON, where a control character takes six bytes.
function mostBytes({ event, orderingKey, eventExternalId, data }: DeliveryMessage): number {
  const names = (event?.length ?? 0) + (orderingKey?.length ?? 0) + (eventExternalId?.length ?? 0);
  return ENTRY_BYTES + 6 * names + Buffer.byteLength(data ?? "");
}

/** A delivery in the list; docs/stream.md shows it to others who read the stream. */
type Entry = {
  id: string;
  account_id: string;
  endpoint_id: string;
  sequence: number;
  event: string | null;
  ordering_key: string | null;
  /** Only if the sender gave one. */
  event_id?: string;
  revision: number;
  /** The length of the payload; null: it does not travel. */
  bytes: number | null;
};

const encoder = new TextEncoder();
// A payload may begin with a byte order mark, which belongs to it.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const LINE_FEED = 10;

/** A line with the list of the deliveries, then their payloads as they were sent, one behind the other. */
export function encodeMessages(messages: readonly DeliveryMessage[]): Uint8Array {
  const payloads = messages.map(({ data }) => data ?? "").join("");
  return encoder.encode(`${JSON.stringify(messages.map(entryOf))}\n${payloads}`);
}

function entryOf(message: DeliveryMessage): Entry {
  const { sequence, event, orderingKey, eventExternalId, revision, data } = message;
  return {
    id: toText("wh", message.id),
    account_id: toText("acc", message.accountId),
    endpoint_id: toText("ep", message.endpointId),
    sequence,
    event,
    ordering_key: orderingKey,
    ...(eventExternalId !== null && { event_id: eventExternalId }),
    revision,
    bytes: data === null ? null : Buffer.byteLength(data),
  };
}

/**
 * The deliveries of a message whose signature was verified; null if another version of Hermod made it in another form. Each payload
 * is decoded by itself: a slice of one text would keep all of it in memory for as long as one delivery waits (measured).
 */
export function decodeMessages(body: Uint8Array): DeliveryMessage[] | null {
  let at = body.indexOf(LINE_FEED) + 1;
  const entries = parsed(decoder.decode(body.subarray(0, at)));
  if (!Array.isArray(entries) || !entries.every(isEntry)) return null;
  return entries.flatMap((entry) => {
    const { sequence, event, ordering_key: orderingKey, event_id: eventExternalId = null, revision } = entry;
    const { bytes } = entry;
    const data = bytes === null ? null : decoder.decode(body.subarray(at, at + bytes));
    at += bytes ?? 0;
    const id = fromText("wh", entry.id);
    const accountId = fromText("acc", entry.account_id);
    const endpointId = fromText("ep", entry.endpoint_id);
    if (!id || !accountId || !endpointId) return [];
    return { id, accountId, endpointId, sequence, event, orderingKey, eventExternalId, revision, data };
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== "object" || value === null) return false;
  const entry: Partial<Record<keyof Entry, unknown>> = value;
  const isText = (each: unknown) => typeof each === "string";
  const isCount = (each: unknown) => Number.isSafeInteger(each) && Number(each) >= 0;
  return (
    [entry.id, entry.account_id, entry.endpoint_id].every(isText) &&
    [entry.event, entry.ordering_key, entry.event_id ?? null].every(
      (each) => each === null || isText(each),
    ) &&
    [entry.sequence, entry.revision, entry.bytes ?? 0].every(isCount) &&
    entry.bytes !== undefined
  );
}
