import { type Static, Type } from "@sinclair/typebox";
import { formatInstant } from "../../api/lists/instant";
import { mapOf, named, nullable, timestamp, words } from "../../api/openapi/schema";
import { ERROR_DETAILS } from "../../attempt/error-detail";
import { MAX_KEPT_HEADERS } from "../../attempt/http1/answer-head";
import { deliveryHeaders, JSON_BODY, webhookIdOf } from "../../attempt/webhook-request";
import type { Attempt, DeliveryDetail } from "../../deliveries/delivery";
import {
  decodeExchange,
  type ExchangeRecord,
  HIDDEN,
  type RecordedBatch,
} from "../../recorder/exchange-record";
import { ATTEMPT_ERRORS } from "./search-query";

const listOf = (all: readonly string[]) => all.map((word) => `\`${word}\``).join(", ");
const DETAILS = Object.entries(ERROR_DETAILS).map(
  ([error, details]) => `for \`${error}\` ${listOf(details)}`,
);

const step = (description: string) => nullable(Type.Integer({ description }));

const TimingModel = named(
  "AttemptTiming",
  nullable(
    Type.Object(
      {
        lookup_ms: step("The look-up of the name; null if it was known, or the URL has an address."),
        connect_ms: step("The connection; null if one was open already, or none came about."),
        tls_ms: step("The TLS handshake; null without one."),
        first_byte_ms: step("From the first byte of the request to the first byte of the response."),
      },
      { description: "Where the time went. `duration_ms` is the whole, to the end of the body." },
    ),
  ),
);

export const AttemptModel = named(
  "Attempt",
  Type.Object({
    attempt: Type.Integer({ description: "Counts from 1." }),
    kind: words("AttemptKind", ["pushed", "pulled"], {
      description:
        "`pushed`: Hermod sent the delivery. `pulled`: the receiver read it; `duration_ms` is the time until it acknowledged it.",
    }),
    status: Type.Integer({
      description:
        "The receiver's HTTP status, or the code of the mail server's reply to an e-mail, such as 250; 0 if there was no response. " +
        "200 stands for an acknowledgement by a receiver that reads.",
    }),
    timestamp: timestamp(),
    duration_ms: Type.Integer(),
    timing: TimingModel,
    address: nullable(
      Type.String({ description: "The address and port that Hermod connected to, or tried last." }),
    ),
    batch: nullable(
      Type.Object(
        { size: Type.Integer(), first_sequence: Type.Integer() },
        {
          description:
            "The request held `size` deliveries of the order, from the number `first_sequence` on, and `request_headers` are theirs. " +
            "Null: the delivery was alone.",
        },
      ),
    ),
    request_headers: nullable(
      mapOf(
        Type.String(),
        `The headers that were sent. Values of the endpoint's \`sensitive_headers\` are \`${HIDDEN}\`. Null for an e-mail, or if nothing was sent.`,
      ),
    ),
    response_headers: nullable(
      mapOf(
        Type.String(),
        `The headers of the response, names in lower case, as far as they fit into ${MAX_KEPT_HEADERS} characters. The values of a ` +
          "repeated header are joined by commas. Null if there was no HTTP response.",
      ),
    ),
    response_body: nullable(
      Type.String({
        description:
          "The beginning, up to HERMOD_RESPONSE_BODY bytes: 4 KiB by default. For an e-mail the mail server's reply, for " +
          "`receiver_failed` the receiver's words.",
      }),
    ),
    error: nullable(
      Type.String({
        description:
          `Why there was no complete HTTP response: ${listOf(ATTEMPT_ERRORS)}. A delivered ` +
          "delivery can have an error beside a 2xx: the receiver had the whole request, and only its answer's body broke off.",
      }),
    ),
    error_detail: nullable(
      Type.String({
        description:
          `The reason, where more is known: ${DETAILS.join("; ")}. If Hermod may not send to the ` +
          "target's addresses, it ends with `not permitted: ` and the kinds of addresses, such as `private, link_local`.",
      }),
    ),
    location: nullable(
      Type.String({
        description: "The redirect's target, its first 2,048 bytes. Hermod does not follow redirects.",
      }),
    ),
  }),
);

type AttemptView = Static<typeof AttemptModel>;

export function viewOfAttempt(delivery: DeliveryDetail, attempt: Attempt): AttemptView {
  const exchange = attempt.exchange === null ? null : decodeExchange(attempt.exchange);
  return {
    attempt: attempt.attempt,
    kind: attempt.isPulled ? "pulled" : "pushed",
    status: attempt.status,
    timestamp: formatInstant(attempt.startedAt),
    duration_ms: attempt.durationMs,
    timing: exchange && viewOfTiming(exchange),
    address: exchange?.address ?? null,
    batch: viewOfBatch(exchange?.request?.batch ?? null),
    request_headers: exchange && requestHeaders(delivery, attempt.attempt, exchange),
    response_headers: headersIn(exchange?.responseHeaders ?? null),
    response_body: attempt.responseBody,
    error: attempt.error,
    error_detail: attempt.errorDetail,
    location: attempt.location,
  };
}

function viewOfBatch(batch: RecordedBatch | null): AttemptView["batch"] {
  return batch && { size: batch.size, first_sequence: batch.sequence };
}

function viewOfTiming({ timing }: ExchangeRecord): AttemptView["timing"] {
  const { lookupMs, connectMs, tlsMs, firstByteMs } = timing;
  return { lookup_ms: lookupMs, connect_ms: connectMs, tls_ms: tlsMs, first_byte_ms: firstByteMs };
}

/** Returns the request's headers, from the stored record and from facts of the delivery. */
function requestHeaders(
  delivery: DeliveryDetail,
  attempt: number,
  { request }: ExchangeRecord,
): Record<string, string> | null {
  if (request === null) return null;
  const { host, userAgent, timestamp, signature, contentLength, added, batch } = request;
  const webhookId = batch?.webhookId ?? webhookIdOf(delivery, delivery.endpointId);
  const sent = batch
    ? { ...delivery, sequence: batch.sequence, event: null, orderingKey: null }
    : { ...delivery, sequence: delivery.sequence ?? 0 };
  return {
    host,
    "user-agent": userAgent,
    accept: "*/*",
    ...JSON_BODY,
    ...added,
    ...deliveryHeaders(sent, { webhookId, attempt, timestamp, signature }),
    ...(batch && { "webhook-hops": batch.hops }),
    "content-length": String(contentLength),
  };
}

/** Parses header lines as UTF-8, which some receivers write. */
function headersIn(lines: string | null): Record<string, string> | null {
  if (lines === null) return null;
  const headers: Record<string, string> = {};
  for (const line of Buffer.from(lines, "latin1").toString("utf8").split("\n")) {
    const colon = line.indexOf(":");
    if (colon < 1) continue;
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = Object.hasOwn(headers, name) ? `${headers[name]}, ` : "";
    Object.defineProperty(headers, name, { value: before + value, enumerable: true, configurable: true });
  }
  return headers;
}

const SENT = {
  host: "receiver.example.com",
  "user-agent": "hermod/0.1.0",
  accept: "*/*",
  "content-type": "application/json",
  "webhook-id": "wh_01k9x3w7r2e5bt8m1n4p6r8s0v",
  "webhook-timestamp": "1769860800",
  "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  "webhook-attempt": "1",
  "webhook-sequence": "42",
  "webhook-hops": "1",
  "webhook-event": "order.created",
  "webhook-ordering-key": "customer-42",
  "content-length": "33",
};

export function attemptExample(attempt: number, status: number, at: string, body: string): AttemptView {
  const isFirst = attempt === 1;
  return {
    attempt,
    kind: "pushed",
    status,
    timestamp: at,
    duration_ms: 70,
    timing: {
      lookup_ms: isFirst ? 4 : null,
      connect_ms: isFirst ? 12 : null,
      tls_ms: isFirst ? 21 : null,
      first_byte_ms: 30,
    },
    address: "203.0.113.7:443",
    batch: null,
    request_headers: { ...SENT, "webhook-attempt": String(attempt) },
    response_headers: { "content-type": "text/plain", "content-length": String(body.length) },
    response_body: body,
    error: null,
    error_detail: null,
    location: null,
  };
}
