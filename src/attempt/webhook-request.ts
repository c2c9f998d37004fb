import { type EndpointId, hopsOf, toText } from "../domain/ids";
import type { PendingDelivery } from "../domain/pending-delivery";
import { receivedEvent } from "../domain/test-event";
import { JSON_TYPE } from "../domain/tuning";

/**
 * Returns the id that receivers get, the same in all attempts. A resend has the id of its original. If the sender gave an id,
 * a repeated event has the same id.
 */
export function webhookIdOf(
  { id, replayOf, eventExternalId }: Pick<PendingDelivery, "id" | "replayOf" | "eventExternalId">,
  endpointId: EndpointId,
): string {
  if (eventExternalId === null) return toText("wh", replayOf ?? id);
  return `${eventExternalId}:${toText("ep", endpointId)}`;
}

/** The body's type, unless the endpoint's own headers name another kind of JSON. */
export const JSON_BODY = { "content-type": JSON_TYPE };

/** The fields of a delivery that become headers. */
type NamedInHeaders = Pick<PendingDelivery, "id" | "event" | "orderingKey" | "sequence">;

/** Makes the headers of the POST to the receiver. */
export function webhookHeaders(
  delivery: NamedInHeaders,
  request: Readonly<{
    webhookId: string;
    /** 1 for the first attempt. */
    attempt: number;
    /** Unix seconds of this attempt. */
    timestamp: number;
    secrets: readonly string[];
    /** The endpoint's own headers, names in lower case; null: none. */
    added: Readonly<Record<string, string>> | null;
    body: string;
  }>,
): Record<string, string> {
  const { webhookId, attempt, timestamp, secrets, added, body } = request;
  const signature = signatureHeader(secrets, webhookId, timestamp, body);
  const headers = deliveryHeaders(delivery, { webhookId, attempt, timestamp: String(timestamp), signature });
  // The endpoint's own headers can't replace ours.
  return { ...JSON_BODY, ...added, ...headers };
}

/** Makes Hermod's own headers of an attempt. The API makes them again long after it. */
export function deliveryHeaders(
  { id, event, orderingKey, sequence }: NamedInHeaders,
  attempt: Readonly<{ webhookId: string; attempt: number; timestamp: string; signature: string }>,
): Record<string, string> {
  const headers: Record<string, string> = {
    "webhook-id": attempt.webhookId,
    "webhook-timestamp": attempt.timestamp,
    "webhook-signature": attempt.signature,
    "webhook-attempt": String(attempt.attempt),
    "webhook-sequence": String(sequence),
    // Number of Hermod's deliveries in a chain, 1 for the first. The API refuses long chains, which ends loops.
    "webhook-hops": String(hopsOf(id) + 1),
  };
  const type = receivedEvent(event);
  if (type !== null) headers["webhook-event"] = headerText(type);
  if (orderingKey !== null) headers["webhook-ordering-key"] = headerText(orderingKey);
  return headers;
}

/**
 * Wraps a payload as Standard Webhooks recommends, so that the signature covers the type. Keeps the payload's text. `place`: in a
 * body of several, where each needs its own.
 */
export function enveloped(
  webhookId: string,
  event: PendingDelivery["event"],
  acceptedAt: number,
  data: string,
  place: Readonly<{ sequence: number; ordering_key: string | null }> | null = null,
): string {
  const timestamp = new Date(acceptedAt).toISOString();
  const head = JSON.stringify({ id: webhookId, type: receivedEvent(event), timestamp, ...place });
  return `${head.slice(0, -1)},"data":${data}}`;
}

const PLAIN = /^[\x21-\x24\x26-\x7e](?:[\x20-\x24\x26-\x7e]*[\x21-\x24\x26-\x7e])?$/;

// Header values are plain ASCII. The percent sign is encoded too, so that decoding is unambiguous.
function headerText(text: string): string {
  return PLAIN.test(text) ? text : encodeURIComponent(text);
}

/** Standard Webhooks signatures, https://www.standardwebhooks.com (scheme v1: HMAC-SHA256). */

const SECRET_PREFIX = "whsec_";

/** Returns the key of a `whsec_…` secret. */
function keyOfSecret(secret: string): Uint8Array {
  const base64 = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  return Buffer.from(base64, "base64");
}

/** Makes the `webhook-signature` header: one signature for each secret, separated by spaces. `timestamp` is Unix seconds. */
export function signatureHeader(
  secrets: readonly string[],
  webhookId: string,
  timestamp: number,
  body: string,
): string {
  const before = `${webhookId}.${timestamp}.`;
  return secrets.map((secret) => `v1,${sign(secret, before, body)}`).join(" ");
}

function sign(secret: string, before: string, body: string): string {
  return new Bun.CryptoHasher("sha256", keyOfSecret(secret)).update(before).update(body).digest("base64");
}

/** The parts of a POST on the wire. */
export type Post = {
  /** Path with query. */
  path: string;
  host: string;
  userAgent: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: string;
};

/** Matches characters that would end a header field early. */
const BREAK = /[\r\n\0]/;

/** Writes a POST (RFC 9112). Throws if a header has a line break, since it would become two headers. */
export function postBytes({ path, host, userAgent, headers, body }: Post): {
  bytes: Buffer;
  contentLength: number;
} {
  let head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nuser-agent: ${userAgent}\r\n`;
  if (headers.accept === undefined) head += "accept: */*\r\n";
  let texts = "";
  for (const name in headers) {
    const value = headers[name] ?? "";
    texts += name + value;
    head += `${name}: ${value}\r\n`;
  }
  if (BREAK.test(texts)) throw new Error("a header has a line break");
  const bodyLength = Buffer.byteLength(body);
  head += `content-length: ${bodyLength}\r\n\r\n`;
  // Writes both into one buffer: joining the texts first would copy them. The head is all ASCII.
  const bytes = Buffer.allocUnsafe(head.length + bodyLength);
  bytes.write(head);
  bytes.write(body, head.length);
  return { bytes, contentLength: bodyLength };
}
