import { Type } from "@sinclair/typebox";
import { DELIVERY_STATUSES } from "../../deliveries/delivery";
import { EVENT_MAX_LENGTH } from "../../event-types/event-name";
import { PLAIN_PATTERN } from "../../runtime/plain-text";
import { BATCH_EFFORT, batchOf, batchResults } from "../batch-model";
import { LIMIT_PARAMETER } from "../lists/page-limit";
import { operation } from "../openapi/operation";
import { ref, text, timestamp, words } from "../openapi/schema";
import {
  ACCEPTED_EXAMPLE,
  DELIVERY_EXAMPLE,
  DETAIL_EXAMPLE,
  ErasedModel,
  PENDING_EXAMPLE,
  SendWebhook,
} from "./model";
import { ATTEMPT_ERRORS, MAX_PAYLOAD_FIELDS } from "./search-query";

const tag = "Webhooks";
const path = { id: { description: "The delivery's id.", example: DELIVERY_EXAMPLE.id } };
const SEND_EXAMPLE = {
  endpoint_id: DELIVERY_EXAMPLE.endpoint_id,
  event: DELIVERY_EXAMPLE.event,
  ordering_key: DELIVERY_EXAMPLE.ordering_key,
  data: DETAIL_EXAMPLE.data,
};

export const send = operation("POST", {
  id: "sendWebhook",
  permission: "webhooks:write",
  tag,
  summary: "Send a webhook",
  description:
    "The answer is sent once the delivery is safely stored. Deliveries of an endpoint are attempted in the " +
    "order in which they were accepted. When the endpoint's filter excludes the event, the delivery is " +
    "recorded as `cancelled` with the reason `event_filter`.",
  body: { schema: SendWebhook, example: SEND_EXAMPLE },
  success: {
    status: 201,
    description: "The delivery.",
    schema: ref("AcceptedDelivery"),
    example: ACCEPTED_EXAMPLE,
  },
});

export const sendMany = operation("POST", {
  id: "sendWebhooks",
  permission: "webhooks:write",
  tag,
  summary: "Send many webhooks",
  description:
    "Works as if they were sent one after another, so those of one endpoint keep the order of the items. Each is accepted or " +
    "refused by itself. A batch that is repeated with its Idempotency-Key sends what is missing and returns what was " +
    `accepted before. ${BATCH_EFFORT}`,
  body: {
    schema: batchOf("NewWebhooks", "webhooks", SendWebhook),
    example: { webhooks: [SEND_EXAMPLE, { ...SEND_EXAMPLE, endpoint_id: "ep_?" }] },
  },
  success: {
    status: 200,
    description: "The outcome of each item.",
    schema: batchResults("WebhookResult", "webhook", ref("AcceptedDelivery")),
    example: {
      results: [
        { status: 201, webhook: ACCEPTED_EXAMPLE },
        {
          status: 400,
          error: { code: "BAD_REQUEST", message: "endpoint_id is not an endpoint of this account" },
        },
      ],
    },
  },
});

export const list = operation("GET", {
  id: "listWebhooks",
  permission: "webhooks:read",
  tag,
  summary: "List deliveries",
  description: `
Newest first, in one of two forms that can't be mixed.

**Pages**: with \`page\`, \`per_page\` or \`event\`, or with no parameter at all. \`total\` is exact.
Pages by both \`status\` and \`event\` take turns: one per account and two in all at a time.

**Cursors**: with any of \`limit\`, \`cursor\`, \`iterator\`, \`event_type\`, \`endpoint_id\`, \`after\`, \`before\`,
\`response_status\`, \`error\`, \`data.…\`. An \`iterator\` reads oldest first and never skips a delivery: begin with \`start\` or \`now\`, go on with the
\`iterator\` of the last answer, for as long as you like; \`cursor\` is null once you are caught up.

**Search**: \`response_status\`, \`error\` and \`data.<field>\` work with cursors only, since what they find is not counted. These,
several other filters together, and an iterator with any filter search for about a second per request; a page may then
have fewer items than asked for, even none, and a \`cursor\` to go on from. Any other filter makes a search faster. Searches
by \`data.<field>\` take turns, one per account and two in all at a time; other searches that take longer than a moment do
the same among themselves. Waiting counts towards the second.

\`data.<field>=<value>\` finds payloads that have this field at their top level, as a string with this text or as a
number or boolean written like this: \`data.order_id=42\` finds \`{"order_id":42}\` and \`{"order_id":"42"}\`, not
\`{"order_id":42.0}\`. The name extends to the equals sign: \`data.a.b\` is the field \`a.b\`. At most
${MAX_PAYLOAD_FIELDS} fields, all of which must match. Payloads with an escaped NUL (\`\\u0000\`) or half of a surrogate
pair are not found.`.trim(),
  query: Type.Object({
    page: Type.Integer({ minimum: 1, description: "Pages: the page's number, from 1." }),
    per_page: { ...LIMIT_PARAMETER, description: `Pages: ${LIMIT_PARAMETER.description}` },
    event: eventParameter("Pages: only this event type."),
    status: words(DELIVERY_STATUSES, { description: "Both forms: only deliveries in this status." }),
    limit: { ...LIMIT_PARAMETER, description: `Cursors: ${LIMIT_PARAMETER.description}` },
    cursor: Type.String({ minLength: 1, description: "Cursors: the `cursor` of the previous answer." }),
    iterator: Type.String({
      minLength: 1,
      description: "Cursors: `start`, `now`, or the `iterator` of the previous answer.",
    }),
    event_type: eventParameter("Cursors: only this event type."),
    endpoint_id: Type.String({ minLength: 1, description: "Cursors: only deliveries to this endpoint." }),
    after: timestamp("Cursors: only deliveries created at or after this time."),
    before: timestamp("Cursors: only deliveries created before this time."),
    response_status: Type.String({
      pattern: "^(0|[1-9][0-9][0-9]|[1-5]xx)$",
      description:
        "Cursors: only deliveries whose last attempt got this answer: a status such as `503`, a class such as `5xx`, " +
        "or `0` for no HTTP response.",
    }),
    error: words(ATTEMPT_ERRORS, {
      description: "Cursors: only deliveries with an attempt that failed like this.",
    }),
    "data.<field>": Type.String({
      minLength: 1,
      pattern: PLAIN_PATTERN,
      description: "Cursors: only deliveries with this value in this top-level field of their payload.",
    }),
  }),
  success: {
    status: 200,
    description: "A page.",
    schema: Type.Unsafe({ oneOf: [ref("DeliveryPage"), ref("DeliveryList")] }),
    examples: {
      pages: {
        summary: "Pages",
        value: { deliveries: [DELIVERY_EXAMPLE], total: 1, page: 1, per_page: 20 },
      },
      cursors: { summary: "Cursors", value: { data: [DELIVERY_EXAMPLE], cursor: null } },
    },
  },
});

export const get = operation("GET", {
  id: "getWebhook",
  permission: "webhooks:read",
  tag,
  summary: "Get a delivery",
  path,
  success: {
    status: 200,
    description: "The delivery, its payload and every attempt; while it is pending, also what it waits for.",
    schema: ref("DeliveryDetail"),
    examples: {
      delivered: { summary: "Delivered by its second attempt", value: DETAIL_EXAMPLE },
      pending: { summary: "Held back by the delivery in front of it", value: PENDING_EXAMPLE },
    },
  },
  errors: [404],
});

export const cancel = operation("POST", {
  id: "cancelWebhook",
  permission: "webhooks:retry",
  tag,
  summary: "Cancel a pending delivery",
  description:
    "It is not attempted any more, and those behind it go on at once. An attempt under way can't be recalled: the " +
    "receiver may still get it, but its outcome is not recorded. 409 if the delivery is not pending.",
  path,
  success: {
    status: 200,
    description: "The delivery.",
    schema: ref("Delivery"),
    example: { ...DELIVERY_EXAMPLE, status: "cancelled", cancel_reason: "requested" },
  },
  errors: [404],
});

export const resend = operation("POST", {
  id: "resendWebhook",
  permission: "webhooks:retry",
  tag,
  summary: "Resend a delivery",
  description:
    "Creates a new delivery at the end of the endpoint's order, under the same rules as a send. It has an id and a " +
    "history of its own, and refers to the original by `replay_of`. Receivers get the original's id as " +
    "`webhook-id`, so that they recognise it. 409 while the delivery is pending, and if its payload is erased or " +
    "its endpoint deleted.",
  path,
  success: {
    status: 201,
    description: "The new delivery.",
    schema: ref("ReplayedDelivery"),
    example: { ...ACCEPTED_EXAMPLE, replay_of: "wh_01k9x3w2c4d6f8g0h1j3k5m7n9" },
  },
  errors: [404],
});

export const erase = operation("DELETE", {
  id: "erasePayload",
  permission: "webhooks:write",
  tag,
  summary: "Erase a delivery's payload",
  description:
    "The payload is removed for good, also from every other delivery that was made by resending it. Attempts and counts " +
    "stay. Those still pending are cancelled with the reason `erased`; an attempt under way can't be " +
    "recalled. Erasing again changes nothing.",
  path,
  success: {
    status: 200,
    description: "The payload is erased.",
    schema: ErasedModel,
    example: { erased: true },
  },
  errors: [404],
});

function eventParameter(description: string) {
  return text({ minLength: 1, maxLength: EVENT_MAX_LENGTH, description });
}
