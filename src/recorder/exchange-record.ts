import type { Exchange } from "../attempt/exchange";

/** What an attempt adds to its delivery's own facts: what was sent, where to, and what came back. */
export type ExchangeRecord = Readonly<{
  /** Null if nothing was sent. */
  request: RecordedRequest | null;
  /** Address and port; null if there was none. */
  address: string | null;
  /** Milliseconds: look-up, connection, TLS, first byte of the answer. */
  timing: Timing;
  /** The header lines of the answer; null without an answer. */
  responseHeaders: string | null;
}>;

type RecordedRequest = Readonly<{
  host: string;
  userAgent: string;
  timestamp: string;
  signature: string;
  contentLength: number;
  /** The headers that the endpoint adds, with secret values replaced; null: none. */
  added: Readonly<Record<string, string>> | null;
}>;

type Timing = Exchange["timing"];

/** Replaces the value of a secret header. */
export const HIDDEN = "***";

/** The parts in the order in which they are stored: names would double the space that most attempts need. */
type Stored = [
  request: [string, string, string, string, number, Record<string, string> | null] | null,
  address: string | null,
  timing: [number | null, number | null, number | null, number | null],
  responseHeaders: string | null,
];

/**
 * Writes the record of an exchange. Leaves out the headers that can be made again of the delivery (`deliveryHeaders`).
 * `added` are the endpoint's own headers.
 */
export function encodeExchange(
  exchange: Exchange,
  added: Readonly<Record<string, string>> | null,
  secretNames: readonly string[],
): string {
  const { request, address, timing, responseHeaders } = exchange;
  const stored: Stored = [
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

export function decodeExchange(text: string): ExchangeRecord {
  const [request, address, [lookupMs, connectMs, tlsMs, firstByteMs], responseHeaders]: Stored =
    JSON.parse(text);
  return {
    request: request && requestIn(request),
    address,
    timing: { lookupMs, connectMs, tlsMs, firstByteMs },
    responseHeaders,
  };
}

function requestIn([host, userAgent, timestamp, signature, contentLength, added]: NonNullable<
  Stored[0]
>): RecordedRequest {
  return { host, userAgent, timestamp, signature, contentLength, added };
}

function hidden(headers: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return { ...headers, ...Object.fromEntries(names.map((name) => [name, HIDDEN])) };
}
