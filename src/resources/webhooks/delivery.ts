import { type Static, Type } from "@sinclair/typebox";
import { formatInstant, formatMaybe } from "../../api/lists/instant";
import { named, nullable, timestamp, word, words } from "../../api/openapi/schema";
import type { DeliverySummary } from "../../deliveries/delivery";
import type { PendingFacts } from "../../deliveries/waiting";
import { CANCEL_REASONS, DELIVERY_STATUSES } from "../../domain/delivery-status";
import { toText } from "../../domain/ids";
import { viewOfWaiting, WaitingForModel } from "./waiting";

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
export const responseStatus = nullable(
  Type.Integer({
    description:
      "The HTTP status of the last attempt; 0 if there was no HTTP response, null before the first attempt.",
  }),
);

/** The fields that all forms of a delivery have. */
export const identity = {
  id: Type.String({ description: "Begins with `wh_`." }),
  endpoint_id: Type.String(),
  event: nullable(Type.String()),
  ordering_key: Type.Optional(Type.String({ description: "Present only if the sender gave one." })),
  status,
  cancel_reason: cancelReason,
  failure_reason: failureReason,
  attempt_count: Type.Integer(),
};

export const sequence = nullable(
  Type.Integer({
    description: "The delivery's number at its endpoint; null if the filter excluded it, or until it is due.",
  }),
);

export const scheduledFor = Type.Optional(
  timestamp("When it is, or was, due. Present only if it was scheduled."),
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
      completed_at: nullable(timestamp("When it ended; null while pending.")),
      next_attempt_at: Type.Optional(
        nullable(timestamp("Present only while pending; null unless it waits for a retry.")),
      ),
      waiting_for: Type.Optional(WaitingForModel),
    }),
  ]),
);

/** The list in both of its forms, as one object, since generators need one. */
export const DeliveryListing = named(
  "DeliveryListing",
  Type.Object({
    deliveries: Type.Optional(Type.Array(DeliveryModel, { description: "Pages: the deliveries." })),
    total: Type.Optional(Type.Integer({ description: "Pages: the number of deliveries that match." })),
    page: Type.Optional(Type.Integer({ description: "Pages: the page's number." })),
    per_page: Type.Optional(Type.Integer({ description: "Pages: the most deliveries of a page." })),
    data: Type.Optional(Type.Array(ListedModel, { description: "Cursors: the deliveries." })),
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
  waiting: PendingFacts | undefined,
): Static<typeof ListedModel> {
  return {
    ...viewOfDelivery(delivery),
    sequence: delivery.sequence,
    completed_at: formatMaybe(delivery.completedAt),
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
  completed_at: null,
  next_attempt_at: "2026-01-31T12:08:00.000Z",
  waiting_for: { reason: "retry", until: "2026-01-31T12:08:00.000Z" },
} satisfies Static<typeof ListedModel>;
