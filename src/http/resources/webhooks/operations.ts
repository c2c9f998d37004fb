import { Type } from "@sinclair/typebox";
import { MAX_WATCHED } from "../../../deliveries/tail";
import { DELIVERY_STATUSES } from "../../../domain/delivery-status";
import { MAX_PENDING } from "../../../jobs/replay-step";
import { BATCH_EFFORT, batchOf, batchResults } from "../../batch-model";
import { eventText } from "../../live/event-text";
import { LIVE } from "../../live/live-streams";
import { operation } from "../../openapi/operation";
import { ref, words, written } from "../../openapi/schema";
import { JOB_EXAMPLE } from "../jobs/job";
import { DELIVERY_FILTERS, eventParameter, LIST_PARAMETERS, payloadParameter } from "./list-parameters";
import {
  ACCEPTED_EXAMPLE,
  DELIVERY_EXAMPLE,
  DETAIL_EXAMPLE,
  ErasedModel,
  LISTED_EXAMPLE,
  PENDING_EXAMPLE,
  SendWebhook,
} from "./model";
import { MAX_RESENT, RESEND_COUNT_EXAMPLE, ResendMany } from "./resend-model";
import { MAX_PAYLOAD_FIELDS } from "./search-query";
import { SUMMARY_EXAMPLE } from "./summary";

const tag = "Webhooks";
const TAIL_EXAMPLE = { ...DELIVERY_EXAMPLE, sequence: LISTED_EXAMPLE.sequence };
const path = { id: { description: "The delivery's id.", example: DELIVERY_EXAMPLE.id } };
const SEND_EXAMPLE = {
  endpoint_id: DELIVERY_EXAMPLE.endpoint_id,
  event: DELIVERY_EXAMPLE.event,
  ordering_key: DELIVERY_EXAMPLE.ordering_key,
  data: DETAIL_EXAMPLE.data,
};

export const send = operation({
  id: "sendWebhook",
  permission: "webhooks:write",
  tag,
  summary: "Send a webhook",
  description:
    "Answers when the delivery is safely stored. By default, Hermod attempts an endpoint's deliveries in the order in which it " +
    "accepted them. If the endpoint's filter excludes the event, the delivery is recorded as `cancelled` with the reason " +
    "`event_filter`.",
  body: { schema: SendWebhook, isRaw: true, example: SEND_EXAMPLE },
  success: {
    status: 201,
    description: "The delivery.",
    schema: ref("AcceptedDelivery"),
    example: ACCEPTED_EXAMPLE,
  },
});

export const sendMany = operation({
  id: "sendWebhooks",
  permission: "webhooks:write",
  tag,
  summary: "Send many webhooks",
  description:
    "Works as if you sent the webhooks one after another, so an endpoint gets them in the order of the items. Each item is " +
    "accepted or refused by itself. A repeat with the same Idempotency-Key sends the missing items and returns the " +
    `already accepted ones. ${BATCH_EFFORT}`,
  body: {
    isRaw: true,
    schema: batchOf("CreateWebhooks", "webhooks", SendWebhook),
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

export const list = operation({
  id: "listWebhooks",
  permission: "webhooks:read",
  portal: { needs: "view", concerns: "filter" },
  tag,
  summary: "List deliveries",
  description: `
Newest first. The list has two forms with different parameters, which can't be mixed.

**Pages**: use \`page\`, \`per_page\` or \`event\`, or no parameter at all. \`total\` is exact.
Pages by both \`status\` and \`event\` wait for each other: one runs per account, two in all.

**Cursors**: use any of \`limit\`, \`cursor\`, \`iterator\`, \`event_type\`, \`endpoint_id\`, \`after\`, \`before\`,
\`response_status\`, \`error\`, \`data.…\`. To follow the list, use an \`iterator\`: it reads oldest first and never skips a
delivery. Begin with \`start\` or \`now\`, then send the \`iterator\` of the last answer, for as long as you like. \`cursor\`
is null when you have caught up.

**Search**: \`response_status\`, \`error\` and \`data.<field>\` work with cursors only, since their results are not counted.
A request searches for a quarter of a second if it uses one of them, several other filters together, or an iterator with a
filter. So a page may have fewer items than you asked for, even none, and still a \`cursor\` to continue from. Any other filter
makes a search faster. Searches by \`data.<field>\` wait for each other, for up to a second: one runs per account, two in all.
So do other searches that take longer than a moment.

\`data.<field>=<value>\` finds payloads with this field at their top level. Its value must be a string with this text, or a
number or boolean written exactly like this: \`data.order_id=42\` finds \`{"order_id":42}\` and \`{"order_id":"42"}\`, not
\`{"order_id":42.0}\`. The field's name extends to the equals sign: \`data.a.b\` is the field \`a.b\`. You can give
${MAX_PAYLOAD_FIELDS} fields at most, and all must match. Payloads with an escaped NUL (\`\\u0000\`) or half of a
surrogate pair are not found.`.trim(),
  query: Type.Object(LIST_PARAMETERS),
  success: {
    status: 200,
    description: "A page.",
    schema: ref("DeliveryListing"),
    examples: {
      pages: {
        summary: "Pages",
        value: { deliveries: [DELIVERY_EXAMPLE], total: 1, page: 1, per_page: 20 },
      },
      cursors: { summary: "Cursors", value: { data: [LISTED_EXAMPLE], cursor: null } },
    },
  },
});

export const summary = operation({
  id: "summarizeWebhooks",
  permission: "webhooks:read",
  tag,
  summary: "Count deliveries by status and answer",
  description:
    "Counts the deliveries that match the filters of the list with cursors, newest first, for a second at most. If the time is over, " +
    "`complete` is false, and deliveries accepted before `oldest_at` are not counted. Use `after` to count less. One count runs per account, two in all; others wait.",
  query: Type.Object(DELIVERY_FILTERS),
  success: {
    status: 200,
    description: "The counts.",
    schema: ref("WebhookSummary"),
    example: SUMMARY_EXAMPLE,
  },
});

export const tail = operation({
  id: "tailWebhooks",
  permission: "webhooks:read",
  portal: { needs: "view", concerns: "filter" },
  tag,
  summary: "Follow deliveries",
  description: `
Sends each delivery once, as \`delivery\`, in the order of acceptance. While it is pending, and among the account's latest
${MAX_WATCHED} of this stream, its changes follow as \`update\`. With \`status\`, a delivery is sent once it has this status.

Nothing is left out: after an interruption, send the \`id\` of the last event as \`Last-Event-ID\` or \`iterator\`, as browsers do.
The iterator of \`GET /webhooks\` works as well. Changes of deliveries from before the interruption are not sent.

${LIVE}`.trim(),
  query: Type.Object({
    iterator: Type.String({
      minLength: 1,
      description: "`now` (the default), `start`, the id of an event, or the iterator of a list.",
    }),
    event_type: eventParameter("Only deliveries of this event type."),
    endpoint_id: Type.String({ minLength: 1, description: "Only deliveries to this endpoint." }),
    status: words("DeliveryStatus", DELIVERY_STATUSES, {
      description: "Only deliveries in this status, once they have it.",
    }),
    "data.<field>": payloadParameter,
  }),
  isResumed: true,
  success: {
    status: 200,
    description:
      "Events `delivery` and `update`, each with a delivery and its `sequence`, as in lists with cursors.",
    stream: eventText({ name: "delivery", json: JSON.stringify(TAIL_EXAMPLE), id: "q3Jk0vX2m8s" }),
  },
});

export const get = operation({
  id: "getWebhook",
  permission: "webhooks:read",
  portal: { needs: "view", concerns: "delivery" },
  tag,
  summary: "Get a delivery",
  path,
  success: {
    status: 200,
    description:
      "The delivery, its payload and every attempt. While it is pending, also the reason why it waits.",
    schema: ref("DeliveryDetail"),
    examples: {
      delivered: { summary: "Delivered by its second attempt", value: DETAIL_EXAMPLE },
      pending: { summary: "Held back by the delivery in front of it", value: PENDING_EXAMPLE },
    },
  },
  errors: [404],
});

export const cancel = operation({
  audit: { shows: [] },
  id: "cancelWebhook",
  permission: "webhooks:retry",
  tag,
  summary: "Cancel a pending delivery",
  description:
    "Hermod stops attempting the delivery, and continues with the deliveries behind it at once. An attempt that is under way " +
    "can't be recalled: the receiver may still get it, but its outcome is not recorded. 409 if the delivery is not pending.",
  path,
  success: {
    status: 200,
    description: "The delivery.",
    schema: ref("Delivery"),
    example: { ...DELIVERY_EXAMPLE, status: "cancelled", cancel_reason: "requested" },
  },
  errors: [404],
});

export const retry = operation({
  audit: { shows: [] },
  id: "retryWebhook",
  permission: "webhooks:retry",
  portal: { needs: "retry", concerns: "delivery" },
  tag,
  summary: "Attempt a waiting delivery now",
  description:
    "Ends its wait for a retry; its schedule continues as if the wait were over. 409 if the delivery has ended, if its endpoint is " +
    "inactive, or if another delivery is in front of it in its order, which the message names.",
  path,
  success: { status: 200, description: "The delivery.", schema: ref("Delivery"), example: DELIVERY_EXAMPLE },
  errors: [404],
});

export const resend = operation({
  audit: { shows: [] },
  id: "resendWebhook",
  permission: "webhooks:retry",
  portal: { needs: "retry", concerns: "delivery" },
  tag,
  summary: "Resend a delivery",
  description:
    "Creates a new delivery at the end of the endpoint's order, by the same rules as a send. It has its own id and history, " +
    "and `replay_of` names the original. Receivers get the original's id as `webhook-id`, so that they can recognise a " +
    "duplicate. 409 if the delivery is pending, its payload is erased or its endpoint is deleted.",
  path,
  success: {
    status: 201,
    description: "The new delivery.",
    schema: ref("ReplayedDelivery"),
    example: { ...ACCEPTED_EXAMPLE, replay_of: "wh_01k9x3w2c4d6f8g0h1j3k5m7n9" },
  },
  errors: [404],
});

export const resendMany = operation({
  audit: { shows: [] },
  id: "resendWebhooks",
  permission: "webhooks:retry",
  portal: { needs: "retry", concerns: "selection", fields: ["filter", "dry_run"] },
  tag,
  summary: "Resend many deliveries",
  description:
    `Starts a job that resends deliveries in their order, each like \`POST /webhooks/{id}/resend\`: up to ${written(MAX_RESENT.ids)} by ` +
    `their \`ids\`, or up to ${written(MAX_RESENT.filter)} that a \`filter\` selects at this moment; more are a 400. With \`dry_run\`, it ` +
    "counts them exactly instead.\n\n" +
    "Deliveries are skipped if they are pending, their payload is erased, their endpoint is deleted or its filter excludes them now. A " +
    "filter also skips deliveries that are resends themselves, so that nothing is sent twice by one job.\n\n" +
    `The job passes over an endpoint while ${MAX_PENDING} deliveries are pending for it, and comes back to it later: an endpoint that ` +
    "is down delays its own deliveries alone. The job fails when the month's webhooks are used up. " +
    "To replay everything of one endpoint, however much, use `POST /endpoints/{id}/replay`.",
  body: {
    schema: ResendMany,
    isRaw: true,
    example: { filter: { status: "failed", after: "2026-01-31T00:00:00Z" }, dry_run: true },
  },
  success: [
    {
      status: 200,
      description: "With `dry_run`: the counts.",
      schema: ref("ResendCount"),
      example: RESEND_COUNT_EXAMPLE,
    },
    {
      status: 202,
      description: "The job.",
      schema: ref("Job"),
      example: { ...JOB_EXAMPLE, kind: "resend" },
    },
  ],
});

export const erase = operation({
  audit: { shows: [] },
  id: "erasePayload",
  permission: "webhooks:write",
  tag,
  summary: "Erase a delivery's payload",
  description:
    "Removes the payload for good: also from every delivery that resends this one, and if it was sent as an event, " +
    "from the event and all its deliveries to any endpoint. Attempts and counts stay. Pending deliveries among them are cancelled with the reason `erased`; an attempt that is under way can't be recalled. Erasing again changes " +
    "nothing.",
  path,
  success: {
    status: 200,
    description: "The payload is erased.",
    schema: ErasedModel,
    example: { erased: true },
  },
  errors: [404],
});
