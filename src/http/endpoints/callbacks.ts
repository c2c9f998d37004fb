import { FEED_EVENT_EXAMPLE } from "../feeds/model";
import { type Json, type JsonRecord, ref, toOpenApi } from "../openapi/schema";
import { DELIVERY_EXAMPLE, DETAIL_EXAMPLE, SendWebhook } from "../webhooks/model";

const EXAMPLE = { ...DELIVERY_EXAMPLE, ...DETAIL_EXAMPLE };

/** The headers of every request to a receiver, beside the endpoint's own. */
const PARAMETERS: readonly JsonRecord[] = [
  header(
    "webhook-id",
    "string",
    "The delivery; the same at all its attempts, and when it is sent again.",
    EXAMPLE.id,
  ),
  header("webhook-timestamp", "integer", "When this attempt was made, Unix seconds.", 1_769_860_801),
  header(
    "webhook-signature",
    "string",
    "By [Standard Webhooks](https://www.standardwebhooks.com): `v1,` and the base64 of the HMAC-SHA256 of id, timestamp and " +
      "body with full stops between them; several, with spaces between them, while a secret is being replaced.",
    "v1,8WKVdYjd+tC9sX0UJGAAsS/BXVP6kVd3AbtPrk7EkEg=",
  ),
  header("webhook-attempt", "integer", "Counts from 1.", 1),
  header("webhook-hops", "integer", "Deliveries of Hermod that led here, this one included; 1 as a rule.", 1),
  header("webhook-sequence", "integer", "The delivery's place in the endpoint's order.", EXAMPLE.sequence),
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

const AGAIN = "It is tried again";
const LATER = {
  description: `${AGAIN}, not before the time of Retry-After, an hour at most.`,
  headers: {
    "Retry-After": { description: "Seconds, or an HTTP date.", schema: { type: "string" } },
  },
};

const RESPONSES: JsonRecord = {
  "2XX": { description: "It is delivered, if the answer is whole before the attempt's deadline." },
  "410": { description: "It fails for good, and the endpoint is set inactive." },
  "429": LATER,
  "503": LATER,
  default: { description: `${AGAIN} by the retry schedule. Redirects are not followed.` },
};

/** Describes the requests that Hermod sends to a registered endpoint. */
export const ENDPOINT_CALLBACKS: JsonRecord = {
  delivery: callback("receiveWebhook", "A webhook", toOpenApi(SendWebhook.properties.data), EXAMPLE.data),
  feed: callback(
    "receiveFeedEvent",
    "Hermod's own events, when the endpoint has `feed`",
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
