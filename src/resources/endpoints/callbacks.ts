import { type Json, type JsonRecord, ref, toOpenApi } from "../../api/openapi/schema";
import { binaryHeaders, CLOUD_EVENT_TYPE, type CloudEvent } from "../../attempt/cloud-event";
import { INSTRUCTIONS } from "../../domain/outcome";
import { JSON_TYPE } from "../../domain/tuning";
import { FEED_EVENT_EXAMPLE } from "../feed-event";
import { DELIVERY_EXAMPLE } from "../webhooks/delivery";
import { DETAIL_EXAMPLE } from "../webhooks/delivery-detail";
import { BatchedEnvelopeModel, CloudEventModel, EnvelopeModel } from "../webhooks/envelope";
import { SendWebhook } from "../webhooks/send-body";

const EXAMPLE = { ...DELIVERY_EXAMPLE, ...DETAIL_EXAMPLE };
const CLOUD_EVENT: CloudEvent = {
  id: EXAMPLE.id,
  source: "urn:hermod:acc_01k9x3v5q8e7bt2m4n6p8r0s2t",
  specversion: "1.0",
  type: EXAMPLE.event,
  time: EXAMPLE.created_at,
};

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

const RETRY_AFTER = {
  "Retry-After": {
    description: "Seconds, also with a fraction, or an HTTP date.",
    schema: { type: "string" },
  },
};
const AGAIN = {
  description:
    "Hermod tries again after the next wait of the retry schedule, or after the time in Retry-After, up to an hour, if that is " +
    "longer. Hermod does not follow redirects.",
  headers: {
    ...RETRY_AFTER,
    "webhook-delivery": {
      description:
        "`abort-message`: the delivery fails at once. `disable`: Hermod sets the endpoint inactive, and its deliveries wait.",
      schema: { type: "string", enum: [...INSTRUCTIONS] },
    },
  },
};

const RESPONSES: JsonRecord = {
  "2XX": {
    description:
      "The delivery is delivered, if the whole head of the answer arrives, and the whole request is written, before the attempt's " +
      "deadline.",
  },
  "410": {
    description:
      "Hermod tries again. The second 410, at least a minute after the first, sets the endpoint inactive, and its deliveries wait.",
  },
  "429": {
    description: "The whole endpoint rests until the time in Retry-After, or for the schedule's first wait.",
    headers: RETRY_AFTER,
  },
  "503": {
    description: "With Retry-After, the whole endpoint rests until then. Without it, Hermod tries again.",
    headers: RETRY_AFTER,
  },
  default: AGAIN,
};

/** Describes the requests that Hermod sends to a registered endpoint. */
export const ENDPOINT_CALLBACKS: JsonRecord = {
  delivery: callback("receiveWebhook", "A webhook", toOpenApi(SendWebhook.properties.data), EXAMPLE.data),
  enveloped: callback(
    "receiveEnvelope",
    "A webhook, if the endpoint has the format `envelope`",
    toOpenApi(EnvelopeModel),
    { id: EXAMPLE.id, type: EXAMPLE.event, timestamp: EXAMPLE.created_at, data: EXAMPLE.data },
  ),
  batched: callback(
    "receiveBatch",
    "Webhooks of one order, if the endpoint has a `batch_size` above 1",
    { type: "array", items: toOpenApi(BatchedEnvelopeModel) },
    [
      {
        id: EXAMPLE.id,
        type: EXAMPLE.event,
        timestamp: EXAMPLE.created_at,
        sequence: EXAMPLE.sequence,
        ordering_key: EXAMPLE.ordering_key,
        data: EXAMPLE.data,
      },
    ],
  ),
  cloudEvent: callback(
    "receiveCloudEvent",
    "A webhook, if the endpoint has the format `cloudevents`",
    toOpenApi(CloudEventModel),
    { ...CLOUD_EVENT, datacontenttype: "application/json", data: EXAMPLE.data },
    { contentType: CLOUD_EVENT_TYPE },
  ),
  binaryCloudEvent: callback(
    "receiveBinaryCloudEvent",
    "A webhook, if the endpoint has the format `cloudevents_binary`",
    toOpenApi(SendWebhook.properties.data),
    EXAMPLE.data,
    {
      headers: Object.entries(binaryHeaders(CLOUD_EVENT, JSON_TYPE))
        .filter(([name]) => name !== "content-type")
        .map(([name, value]) => header(name, "string", "An attribute of the CloudEvent.", value)),
    },
  ),
  feed: callback(
    "receiveFeedEvent",
    "A feed event, if the endpoint has `feed` and the format `payload`",
    toOpenApi(ref("FeedEvent")),
    FEED_EVENT_EXAMPLE,
  ),
};

function header(name: string, type: "string" | "integer", description: string, example: Json): JsonRecord {
  return { name, in: "header", required: true, description, schema: { type }, example };
}

function callback(
  operationId: string,
  summary: string,
  schema: JsonRecord,
  example: Json,
  { headers = [], contentType = JSON_TYPE }: { headers?: readonly JsonRecord[]; contentType?: string } = {},
): JsonRecord {
  const requestBody = { required: true, content: { [contentType]: { schema, example } } };
  const parameters = [...PARAMETERS, ...headers];
  const post = { operationId, summary, parameters, requestBody, responses: RESPONSES };
  return { "{$request.body#/url}": { post } };
}
