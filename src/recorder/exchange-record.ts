import type { Exchange, SentRequest } from "../attempt/exchange";

/** The stored record of an attempt's exchange: request, address, timing and the answer's headers. */
export type ExchangeRecord = Readonly<{
  /** Null if nothing was sent. */
  request: RecordedRequest | null;
  /** Address and port; null if there was none. */
  address: string | null;
  /** Milliseconds for look-up, connection, TLS and the first byte of the answer. */
  timing: Exchange["timing"];
  /** The header lines of the answer; null without an answer. */
  responseHeaders: string | null;
}>;

type RecordedRequest = Readonly<{
  host: string;
  userAgent: string;
  timestamp: string;
  signature: string;
  contentLength: number;
  /** The headers that the endpoint adds, with `HIDDEN` for secret values; null if it adds none. */
  added: Readonly<Record<string, string>> | null;
  /** Null if the request held the delivery alone. */
  batch: RecordedBatch | null;
}>;

/** A request with several deliveries. Its headers belong to no single one. */
export type RecordedBatch = Readonly<{ webhookId: string; sequence: number; hops: string; size: number }>;

/** Stored in place of a secret header's value. */
export const HIDDEN = "***";

/** The record as stored, an array. Names of the parts would double the space that most records need. */
type StoredExchange = [
  request:
    | [
        host: string,
        userAgent: string,
        timestamp: string,
        signature: string,
        contentLength: number,
        added: Record<string, string> | null,
        batch?: [webhookId: string, sequence: number, hops: string, size: number],
      ]
    | null,
  address: string | null,
  timing: [number | null, number | null, number | null, number | null],
  responseHeaders: string | null,
];

/**
 * Encodes the record of an exchange. Omits the headers that `deliveryHeaders` can rebuild from the delivery. `added` are the
 * endpoint's own headers; hides those in `secretNames`. `size`: the deliveries of the request.
 */
export function encodeExchange(
  exchange: Exchange,
  added: Readonly<Record<string, string>> | null,
  secretNames: readonly string[],
  size = 1,
): string {
  const { request, address, timing, responseHeaders } = exchange;
  const stored: StoredExchange = [
    request && requestOf(request, added && hidden(added, secretNames), size),
    address,
    [timing.lookupMs, timing.connectMs, timing.tlsMs, timing.firstByteMs],
    responseHeaders,
  ];
  return JSON.stringify(stored);
}

/** Decodes a stored record. */
export function decodeExchange(text: string): ExchangeRecord {
  const [request, address, [lookupMs, connectMs, tlsMs, firstByteMs], responseHeaders]: StoredExchange =
    JSON.parse(text);
  return {
    request: request && requestIn(request),
    address,
    timing: { lookupMs, connectMs, tlsMs, firstByteMs },
    responseHeaders,
  };
}

type StoredRequest = NonNullable<StoredExchange[0]>;
type StoredBatch = NonNullable<StoredRequest[6]>;

function requestOf(
  { host, userAgent, headers, contentLength }: SentRequest,
  added: Record<string, string> | null,
  size: number,
): StoredRequest {
  const { "webhook-timestamp": timestamp = "", "webhook-signature": signature = "" } = headers;
  if (size === 1) return [host, userAgent, timestamp, signature, contentLength, added];
  return [host, userAgent, timestamp, signature, contentLength, added, batchIn(headers, size)];
}

function batchIn(headers: Readonly<Record<string, string>>, size: number): StoredBatch {
  const { "webhook-id": id = "", "webhook-sequence": sequence, "webhook-hops": hops = "" } = headers;
  return [id, Number(sequence), hops, size];
}

function requestIn(stored: StoredRequest): RecordedRequest {
  const [host, userAgent, timestamp, signature, contentLength, added, shared] = stored;
  const batch = shared
    ? { webhookId: shared[0], sequence: shared[1], hops: shared[2], size: shared[3] }
    : null;
  return { host, userAgent, timestamp, signature, contentLength, added, batch };
}

function hidden(headers: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return { ...headers, ...Object.fromEntries(names.map((name) => [name, HIDDEN])) };
}
