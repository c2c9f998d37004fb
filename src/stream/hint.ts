import { type Static, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { type AccountId, type DeliveryId, type EndpointId, fromText, toText } from "../domain/ids";
import type { PendingDelivery } from "../domain/pending-delivery";

/** An accepted delivery as the stream carries it, many in one message. It is a hint: Postgres decides. */
export type Hint = {
  id: DeliveryId;
  accountId: AccountId;
  endpointId: EndpointId;
  /** The endpoint's partition, which is in the message's subject. */
  partition: number;
  sequence: number;
  event: string | null;
  orderingKey: string | null;
  /** The sender's own id of the event, with which `webhook-id` begins; null if the sender gave none. */
  eventExternalId: string | null;
  /** The endpoint's revision when the delivery was accepted. */
  revision: number;
  /** The payload; null if it is too large for the stream and must be read from Postgres. */
  data: string | null;
};

/** Returns the delivery of a hint; null without its payload, which is then read from Postgres. */
export function pendingOf({
  id,
  accountId,
  sequence,
  event,
  orderingKey,
  eventExternalId,
  data,
}: Hint): PendingDelivery | null {
  // A replay travels without its payload, so a hint with one is never of a replay.
  if (data === null) return null;
  return {
    id,
    accountId,
    sequence,
    event,
    orderingKey,
    data,
    replayOf: null,
    eventExternalId,
    attemptCount: 0,
    freeAttempts: 0,
    isFree: false,
    hasSingleAttempt: false,
  };
}

/** Larger payloads are not sent through the stream. NATS takes messages up to 1 MiB, and small ones are fast. */
export const MAX_MESSAGE_DATA_BYTES = 65_536;

/** Removes the payload from a hint if it is larger than `maxDataBytes`. */
export function withinLimit(hint: Hint, maxDataBytes = MAX_MESSAGE_DATA_BYTES): Hint {
  const { data } = hint;
  // A UTF-16 unit takes at most three bytes in UTF-8, so the bytes of a short text need not be counted.
  if (data === null || data.length * 3 <= maxDataBytes) return hint;
  return Buffer.byteLength(data) <= maxDataBytes ? hint : { ...hint, data: null };
}

/** Most bytes of deliveries in one message. NATS takes 1 MiB unless it is configured to take less. */
export const MAX_MESSAGE_BYTES = 524_288;
/** Upper bound for an entry of the list without its event and keys, and for a message without its deliveries. */
const ENTRY_BYTES = 260;

/** Splits the hints of a partition so that no message is larger than `maxBytes`, unless one hint alone is. */
export function* batchesOf(hints: readonly Hint[], maxBytes: number): Generator<readonly Hint[]> {
  let start = 0;
  let bytes = ENTRY_BYTES;
  for (const [i, hint] of hints.entries()) {
    const more = mostBytes(hint);
    if (i > start && bytes + more > maxBytes) {
      yield hints.slice(start, i);
      start = i;
      bytes = ENTRY_BYTES;
    }
    bytes += more;
  }
  if (start < hints.length) yield hints.slice(start);
}

// Events and keys are JSON in the list, where a control character takes six bytes.
function mostBytes({ event, orderingKey, eventExternalId, data }: Hint): number {
  const names = (event?.length ?? 0) + (orderingKey?.length ?? 0) + (eventExternalId?.length ?? 0);
  return ENTRY_BYTES + 6 * names + Buffer.byteLength(data ?? "");
}

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** The list of a message's deliveries. docs/stream.md documents it for other readers of the stream. */
const Listed = Type.Array(
  Type.Object({
    id: Type.String(),
    account_id: Type.String(),
    endpoint_id: Type.String(),
    sequence: Count,
    event: Type.Union([Type.String(), Type.Null()]),
    ordering_key: Type.Union([Type.String(), Type.Null()]),
    /** Present only if the sender gave an id. */
    event_id: Type.Optional(Type.String()),
    revision: Count,
    /** The length of the payload; null if the message does not have it. */
    bytes: Type.Union([Count, Type.Null()]),
  }),
);
const listed = TypeCompiler.Compile(Listed);

const encoder = new TextEncoder();
// Keeps a byte order mark at the start of a payload.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const LINE_FEED = 10;

/** Encodes a line with the list of the deliveries, followed by their payloads as they were sent. */
export function encodeHints(hints: readonly Hint[]): Uint8Array {
  const payloads = hints.map(({ data }) => data ?? "").join("");
  return encoder.encode(`${JSON.stringify(hints.map(entryOf))}\n${payloads}`);
}

function entryOf(hint: Hint): Static<typeof Listed>[number] {
  const { sequence, event, orderingKey, eventExternalId, revision, data } = hint;
  return {
    id: toText("wh", hint.id),
    account_id: toText("acc", hint.accountId),
    endpoint_id: toText("ep", hint.endpointId),
    sequence,
    event,
    ordering_key: orderingKey,
    ...(eventExternalId !== null && { event_id: eventExternalId }),
    revision,
    bytes: data === null ? null : Buffer.byteLength(data),
  };
}

/**
 * Decodes a message whose signature was verified. Returns null for the format of another version of Hermod. Decodes each
 * payload by itself: a slice of one text would keep the whole text in memory while any of its deliveries waits (measured).
 */
export function decodeHints(body: Uint8Array, partition: number): Hint[] | null {
  let at = body.indexOf(LINE_FEED) + 1;
  const entries = parsed(decoder.decode(body.subarray(0, at)));
  if (!listed.Check(entries)) return null;
  return entries.flatMap((entry) => {
    const { sequence, event, ordering_key: orderingKey, event_id: eventExternalId = null, revision } = entry;
    const { bytes } = entry;
    const data = bytes === null ? null : decoder.decode(body.subarray(at, at + bytes));
    at += bytes ?? 0;
    const id = fromText("wh", entry.id);
    const accountId = fromText("acc", entry.account_id);
    const endpointId = fromText("ep", entry.endpoint_id);
    if (!id || !accountId || !endpointId) return [];
    const names = { event, orderingKey, eventExternalId };
    return { id, accountId, endpointId, partition, sequence, ...names, revision, data };
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
