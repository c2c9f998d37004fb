import { Kind, type Static, Type, TypeRegistry } from "@sinclair/typebox";
import type { DeliveryDetail, DeliverySummary } from "../../../deliveries/delivery";
import { MOST_COUNTED, type Waiting } from "../../../deliveries/waiting";
import { CANCEL_REASONS, DELIVERY_STATUSES } from "../../../domain/delivery-status";
import { toText } from "../../../domain/ids";
import { EVENT_MAX_LENGTH, ORDERING_KEY_MAX_LENGTH } from "../../../domain/names";
import { formatInstant, formatMaybe } from "../../lists/instant";
import {
  named,
  nullable,
  optional,
  ref,
  request,
  text,
  timestamp,
  word,
  words,
  written,
} from "../../openapi/schema";
import { attemptExample, viewOfAttempt } from "./attempt";
import { viewOfWaiting, WAITING_EXAMPLE } from "./waiting";

const status = words("DeliveryStatus", DELIVERY_STATUSES);
const cancelReason = Type.Optional(
  words("CancelReason", CANCEL_REASONS, { description: "Present only if cancelled." }),
);
const failureReason = Type.Optional(
  word("expired", {
    description:
      "Present only if it failed without an attempt: it was pending for longer than HERMOD_RETENTION.",
  }),
);
const responseStatus = nullable(
  Type.Integer({
    description:
      "The HTTP status of the last attempt; 0 if there was no HTTP response, null before the first attempt.",
  }),
);

export const orderingKey = text({
  minLength: 1,
  maxLength: ORDERING_KEY_MAX_LENGTH,
  description:
    "Groups deliveries, for example by a customer's id. An endpoint with the `ordering` `by_key` gets deliveries with the same key " +
    "in order. Every receiver gets the key as `webhook-ordering-key`.",
});

const DELIVER_AFTER = "DeliverAfter";
TypeRegistry.Set(DELIVER_AFTER, (_, value) => typeof value === "string" || typeof value === "number");

/** One text in the document, since generated clients can't send a choice of types. A JSON number of seconds works as well. */
export const deliverAfter = Type.Unsafe<string>({
  [Kind]: DELIVER_AFTER,
  type: "string",
  description:
    "When to send it: seconds from now, such as `3600`, or an ISO 8601 timestamp, at most 30 days ahead and within " +
    "HERMOD_RETENTION. Seconds may also be a JSON number. Until then it has no " +
    "`sequence` and holds nothing back; then it takes its place behind what was sent before. A time that has passed means now.",
});

export const SendWebhook = request(
  "CreateWebhook",
  Type.Object({
    endpoint_id: Type.String(),
    event: optional(text({ minLength: 1, maxLength: EVENT_MAX_LENGTH })),
    ordering_key: optional(orderingKey),
    deliver_after: optional(deliverAfter),
    data: Type.Unknown({
      description:
        "The payload, any JSON value. The receiver gets exactly these bytes, unless its endpoint has another `format`.",
    }),
  }),
);

const identity = {
  id: Type.String({ description: "Begins with `wh_`." }),
  endpoint_id: Type.String(),
  event: nullable(Type.String()),
  ordering_key: Type.Optional(Type.String({ description: "Present only if the sender gave one." })),
  status,
  cancel_reason: cancelReason,
  failure_reason: failureReason,
  attempt_count: Type.Integer(),
};

const sequence = nullable(
  Type.Integer({
    description: "The delivery's number at its endpoint; null if the filter excluded it, or until it is due.",
  }),
);

const scheduledFor = Type.Optional(timestamp("When it is, or was, due. Present only if it was scheduled."));

export const AcceptedModel = named(
  "AcceptedDelivery",
  Type.Object({ ...identity, deliver_after: scheduledFor, created_at: timestamp() }),
);

export const DeliveryModel = named(
  "Delivery",
  Type.Object({
    ...identity,
    response_status: responseStatus,
    created_at: timestamp(),
  }),
);

/** Further fields in lists with cursors. Lists in pages have only the published fields. */
export const ListedModel = named(
  "ListedDelivery",
  Type.Composite([
    DeliveryModel,
    Type.Object({
      sequence,
      next_attempt_at: Type.Optional(
        nullable(timestamp("Present only while pending; null unless it waits for a retry.")),
      ),
      waiting_for: Type.Optional(ref("WaitingFor")),
    }),
  ]),
);

export const DeliveryDetailModel = named(
  "DeliveryDetail",
  Type.Object({
    ...identity,
    response_status: responseStatus,
    deliver_after: scheduledFor,
    sequence,
    next_attempt_at: nullable(timestamp()),
    completed_at: nullable(timestamp()),
    waiting_for: Type.Optional(ref("WaitingFor")),
    place: Type.Optional(
      Type.Integer({
        description: `Its place in its order, 1 for the first; ${written(MOST_COUNTED + 1)} means that or further back. Present only while pending.`,
      }),
    ),
    behind: Type.Optional(
      Type.Integer({
        description: `The number of deliveries behind it in its order; ${written(MOST_COUNTED)} means that number or more. Present only while pending.`,
      }),
    ),
    attempts: Type.Array(ref("Attempt")),
    data: Type.Unknown({ description: "The payload; null once it is erased (`erased_at`)." }),
    erased_at: Type.Optional(timestamp("When the payload was erased; present only if it was.")),
    of_event: Type.Optional(
      Type.String({
        description: "The id of the event of the delivery or its original; begins with `evt_`.",
      }),
    ),
    replay_of: Type.Optional(
      Type.String({ description: "The id of the original delivery, if this one resends it." }),
    ),
    created_at: timestamp(),
  }),
);

export const EnvelopeModel = named(
  "Envelope",
  Type.Object({
    id: Type.String({ description: "As `webhook-id`." }),
    type: nullable(Type.String({ description: "The event; null without one." })),
    timestamp: timestamp("When the event was accepted; of a resend, the first delivery."),
    data: Type.Unknown({ description: "The payload." }),
  }),
);

export const ErasedModel = named("ErasedPayload", Type.Object({ erased: Type.Boolean() }));

export const ReplayedModel = named(
  "ReplayedDelivery",
  Type.Composite([
    AcceptedModel,
    Type.Object({
      replay_of: Type.String({
        description: "The id of the original delivery, which receivers get as `webhook-id`.",
      }),
    }),
  ]),
);

/** The list in both of its forms, as one object, since generators need one. */
export const DeliveryListing = named(
  "DeliveryListing",
  Type.Object({
    deliveries: Type.Optional(Type.Array(ref("Delivery"), { description: "Pages: the deliveries." })),
    total: Type.Optional(Type.Integer({ description: "Pages: the number of deliveries that match." })),
    page: Type.Optional(Type.Integer({ description: "Pages: the page's number." })),
    per_page: Type.Optional(Type.Integer({ description: "Pages: the most deliveries of a page." })),
    data: Type.Optional(Type.Array(ref("ListedDelivery"), { description: "Cursors: the deliveries." })),
    cursor: Type.Optional(
      nullable(
        Type.String({
          description: "Cursors: send it as `cursor` to get the next page; null on the last page.",
        }),
      ),
    ),
    iterator: Type.Optional(
      Type.String({ description: "Cursors: present if `iterator` was given; send it to continue." }),
    ),
  }),
);

export type DeliveryView = Static<typeof DeliveryModel>;

/** Returns a delivery's form in lists. */
export function viewOfDelivery(delivery: DeliverySummary): DeliveryView {
  return {
    id: toText("wh", delivery.id),
    endpoint_id: toText("ep", delivery.endpointId),
    event: delivery.event,
    ...(delivery.orderingKey !== null && { ordering_key: delivery.orderingKey }),
    status: delivery.status,
    ...reasonOf(delivery),
    attempt_count: delivery.attemptCount,
    response_status: delivery.responseStatus,
    created_at: formatInstant(delivery.createdAt),
  };
}

/** Returns a delivery's form in lists with cursors; `waiting` if it is pending. */
export function viewOfListed(
  delivery: DeliverySummary,
  waiting: Waiting | undefined,
): Static<typeof ListedModel> {
  return {
    ...viewOfDelivery(delivery),
    sequence: delivery.sequence,
    ...(waiting && {
      next_attempt_at: formatMaybe(waiting.nextAttemptAt),
      waiting_for: viewOfWaiting(waiting.waitingFor),
    }),
  };
}

function reasonOf({ endReason }: DeliverySummary) {
  if (endReason === null) return {};
  return endReason === "expired" ? { failure_reason: endReason } : { cancel_reason: endReason };
}

/** Writes the full JSON text of a delivery. Keeps the payload's text as it was sent. */
export function detailJson(delivery: DeliveryDetail): string {
  const { created_at, ...item } = viewOfDelivery(delivery);
  const json = JSON.stringify({
    ...item,
    ...(delivery.dueAt !== null && { deliver_after: formatInstant(delivery.dueAt) }),
    sequence: delivery.sequence,
    next_attempt_at: formatMaybe(delivery.nextAttemptAt),
    completed_at: formatMaybe(delivery.completedAt),
    ...(delivery.waitingFor !== null && { waiting_for: viewOfWaiting(delivery.waitingFor) }),
    ...(delivery.place !== null && { place: delivery.place.inFront + 1, behind: delivery.place.behind }),
    attempts: delivery.attempts.map((attempt) => viewOfAttempt(delivery, attempt)),
    ...(delivery.erasedAt !== null && { erased_at: formatInstant(delivery.erasedAt) }),
    ...(delivery.eventId !== null && { of_event: toText("evt", delivery.eventId) }),
    ...(delivery.replayOf !== null && { replay_of: toText("wh", delivery.replayOf) }),
    created_at,
  });
  return `${json.slice(0, -1)},"data":${delivery.data}}`;
}

export const DELIVERY_EXAMPLE = {
  id: "wh_01k9x3w7r2e5bt8m1n4p6r8s0v",
  endpoint_id: "ep_01k9x3v5q8e7bt2m4n6p8r0s2t",
  event: "order.created",
  ordering_key: "customer-42",
  status: "delivered",
  attempt_count: 2,
  response_status: 200,
  created_at: "2026-01-31T12:00:00.000Z",
} satisfies DeliveryView;

export const LISTED_EXAMPLE = {
  ...DELIVERY_EXAMPLE,
  status: "pending",
  attempt_count: 1,
  response_status: 503,
  sequence: 42,
  next_attempt_at: "2026-01-31T12:08:00.000Z",
  waiting_for: { reason: "retry", until: "2026-01-31T12:08:00.000Z" },
} satisfies Static<typeof ListedModel>;

const { response_status: _, ...sent } = DELIVERY_EXAMPLE;
export const ACCEPTED_EXAMPLE = { ...sent, status: "pending", attempt_count: 0 };

export const DETAIL_EXAMPLE = {
  ...DELIVERY_EXAMPLE,
  sequence: 42,
  next_attempt_at: null,
  completed_at: "2026-01-31T12:00:01.250Z",
  attempts: [
    attemptExample(1, 503, "2026-01-31T12:00:00.020Z", "Service Unavailable"),
    attemptExample(2, 200, "2026-01-31T12:00:01.180Z", "ok"),
  ],
  data: { order_id: 4711, total: "99.90" },
};

export const PENDING_EXAMPLE = {
  ...DETAIL_EXAMPLE,
  status: "pending",
  attempt_count: 0,
  response_status: null,
  completed_at: null,
  waiting_for: WAITING_EXAMPLE,
  place: 2,
  behind: 1_298,
  attempts: [],
};
