import { FEED_EVENT_EXAMPLE } from "../feeds/model";
import { type Json, type JsonRecord, ref, toOpenApi } from "../openapi/schema";
import { DELIVERY_EXAMPLE, DETAIL_EXAMPLE, SendWebhook } from "../webhooks/model";

const EXAMPLE = { ...DELIVERY_EXAMPLE, ...DETAIL_EXAMPLE };

/** The headers of every request to a receiver, beside the endpoint's own. */
const PARAMETERS: readonly JsonRecord[] = [
  header(
    "webhook-id",
    "string",
    "The delivery's id: the same for all its attempts and when it is resent.",
    EXAMPLE.id,
  ),
  header("webhook-timestamp", "integer", "When this attempt was made, in Unix seconds.", 1_769_860_801),
  header(
    "webhook-signature",
    "string",
    "As in [Standard Webhooks](https://www.standardwebhooks.com): `v1,` and the base64 HMAC-SHA256 of id, timestamp and " +
      "body, joined by full stops. Several signatures, separated by spaces, while a secret is being replaced.",
    "v1,8WKVdYjd+tC9sX0UJGAAsS/BXVP6kVd3AbtPrk7EkEg=",
  ),
  header("webhook-attempt", "integer", "Counts from 1.", 1),
  header(
    "webhook-hops",
    "integer",
    "How many deliveries of Hermod led to this request, itself included; usually 1.",
    1,
  ),
  header("webhook-sequence", "integer", "The delivery's number at its endpoint: 1, 2, 3 …", EXAMPLE.sequence),
  {
    ...header(
      "webhook-event",
      "string",
      "The event type, percent-encoded where it is not plain ASCII; absent if the sender gave none.",
      EXAMPLE.event,
    ),
    required: false,
  },
  {
    ...header(
      "webhook-ordering-key",
      "string",
      "The delivery's `ordering_key`, percent-encoded where it is not plain ASCII; absent if the sender gave none.",
      EXAMPLE.ordering_key,
    ),
    required: false,
  },
];

const AGAIN = "Hermod tries again";
const LATER = {
  description: `${AGAIN}, and waits for the time in Retry-After, up to an hour.`,
  headers: {
    "Retry-After": { description: "Seconds, or an HTTP date.", schema: { type: "string" } },
  },
};

const RESPONSES: JsonRecord = {
  "2XX": {
    description: "The delivery is delivered, if the whole answer arrives before the attempt's deadline.",
  },
  "410": { description: "The delivery fails for good, and Hermod sets the endpoint inactive." },
  "429": LATER,
  "503": LATER,
  default: {
    description: `${AGAIN} after the next wait of the retry schedule. Hermod does not follow redirects.`,
  },
};

/** Describes the requests that Hermod sends to a registered endpoint. */
export const ENDPOINT_CALLBACKS: JsonRecord = {
  delivery: callback("receiveWebhook", "A webhook", toOpenApi(SendWebhook.properties.data), EXAMPLE.data),
  enveloped: callback(
    "receiveEnvelope",
    "A webhook, if the endpoint has `envelope`",
    toOpenApi(ref("Envelope")),
    { id: EXAMPLE.id, type: EXAMPLE.event, timestamp: EXAMPLE.created_at, data: EXAMPLE.data },
  ),
  feed: callback(
    "receiveFeedEvent",
    "A feed event, if the endpoint has `feed`",
    toOpenApi(ref("FeedEvent")),
    FEED_EVENT_EXAMPLE,
  ),
};

function header(name: string, type: "string" | "integer", description: string, example: Json): JsonRecord {
  return { name, in: "header", required: true, description, schema: { type }, example };
}

function callback(operationId: string, summary: string, schema: JsonRecord, example: Json): JsonRecord {
  const requestBody = { required: true, content: { "application/json": { schema, example } } };
  const post = { operationId, summary, parameters: [...PARAMETERS], requestBody, responses: RESPONSES };
  return { "{$request.body#/url}": { post } };
}
