import type { Exchange } from "../attempt/exchange";

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
}>;

/** Stored in place of a secret header's value. */
export const HIDDEN = "***";

/** The record as stored, an array. Names of the parts would double the space that most records need. */
type StoredExchange = [
  request: [string, string, string, string, number, Record<string, string> | null] | null,
  address: string | null,
  timing: [number | null, number | null, number | null, number | null],
  responseHeaders: string | null,
];

/**
 * Encodes the record of an exchange. Omits the headers that `deliveryHeaders` can rebuild from the delivery. `added` are the
 * endpoint's own headers; hides those in `secretNames`.
 */
export function encodeExchange(
  exchange: Exchange,
  added: Readonly<Record<string, string>> | null,
  secretNames: readonly string[],
): string {
  const { request, address, timing, responseHeaders } = exchange;
  const stored: StoredExchange = [
    request && [
      request.host,
      request.userAgent,
      request.headers["webhook-timestamp"] ?? "",
      request.headers["webhook-signature"] ?? "",
      request.contentLength,
      added && hidden(added, secretNames),
    ],
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

function requestIn([host, userAgent, timestamp, signature, contentLength, added]: NonNullable<
  StoredExchange[0]
>): RecordedRequest {
  return { host, userAgent, timestamp, signature, contentLength, added };
}

function hidden(headers: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return { ...headers, ...Object.fromEntries(names.map((name) => [name, HIDDEN])) };
}
