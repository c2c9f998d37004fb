import { type AccountId, type DeliveryId, type EndpointId, isUuid } from "../runtime/ids";

/** What the stream tells of an accepted delivery: a hint, since Postgres holds the truth. */
export type DeliveryMessage = {
  id: DeliveryId;
  accountId: AccountId;
  endpointId: EndpointId;
  sequence: number;
  event: string | null;
  /** The endpoint's revision when the delivery was accepted. */
  revision: number;
  /** Null when the payload is too large to travel; it is then read from Postgres. */
  data: string | null;
};

/** Payloads above this many bytes stay in Postgres: NATS takes 1 MiB a message, and small ones are fast. */
export const MAX_MESSAGE_DATA_BYTES = 65_536;

/** The message as it may travel: without its payload if that is too large. */
export function withinLimit(message: DeliveryMessage): DeliveryMessage {
  const { data } = message;
  // A UTF-16 unit is at most three bytes of UTF-8, so short texts need no count.
  if (data === null || data.length * 3 <= MAX_MESSAGE_DATA_BYTES) return message;
  return Buffer.byteLength(data) <= MAX_MESSAGE_DATA_BYTES ? message : { ...message, data: null };
}

const VERSION = 1;
type Head = [typeof VERSION, DeliveryId, AccountId, EndpointId, number, string | null, number];

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A head of JSON, a line feed, then the payload as it was sent. No payload: nothing after the line feed. */
export function encodeMessage(message: DeliveryMessage): Uint8Array {
  const { id, accountId, endpointId, sequence, event, revision } = message;
  const head: Head = [VERSION, id, accountId, endpointId, sequence, event, revision];
  return encoder.encode(`${JSON.stringify(head)}\n${message.data ?? ""}`);
}

/** The message, or null when the bytes are not one of this version's. */
export function decodeMessage(bytes: Uint8Array): DeliveryMessage | null {
  const text = decoder.decode(bytes);
  const end = text.indexOf("\n");
  const head = end < 0 ? null : parseHead(text.slice(0, end));
  if (!head) return null;
  const [, id, accountId, endpointId, sequence, event, revision] = head;
  const data = end + 1 < text.length ? text.slice(end + 1) : null;
  return { id, accountId, endpointId, sequence, event, revision, data };
}

function isHead(value: unknown): value is Head {
  if (!Array.isArray(value) || value.length !== 7 || value[0] !== VERSION) return false;
  const [, id, accountId, endpointId, sequence, event, revision] = value;
  const areIds = [id, accountId, endpointId].every((each) => typeof each === "string" && isUuid(each));
  const areCounts =
    Number.isSafeInteger(sequence) && sequence > 0 && Number.isSafeInteger(revision) && revision >= 0;
  return areIds && areCounts && (event === null || typeof event === "string");
}

function parseHead(text: string): Head | null {
  try {
    const head: unknown = JSON.parse(text);
    return isHead(head) ? head : null;
  } catch {
    return null;
  }
}
