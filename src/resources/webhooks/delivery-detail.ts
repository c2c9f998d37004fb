import { Type } from "@sinclair/typebox";
import { formatInstant, formatMaybe } from "../../api/lists/instant";
import { named, nullable, timestamp, written } from "../../api/openapi/schema";
import type { DeliveryDetail } from "../../deliveries/delivery";
import { MOST_COUNTED, type OrderPosition } from "../../deliveries/waiting";
import { toText } from "../../domain/ids";
import { AttemptModel, attemptExample, viewOfAttempt } from "./attempt";
import {
  DELIVERY_EXAMPLE,
  identity,
  responseStatus,
  scheduledFor,
  sequence,
  viewOfDelivery,
} from "./delivery";
import { viewOfWaiting, WAITING_EXAMPLE, WaitingForModel } from "./waiting";

export const DeliveryDetailModel = named(
  "DeliveryDetail",
  Type.Object({
    ...identity,
    response_status: responseStatus,
    deliver_after: scheduledFor,
    sequence,
    next_attempt_at: nullable(timestamp()),
    completed_at: nullable(timestamp()),
    waiting_for: Type.Optional(WaitingForModel),
    place: Type.Optional(
      Type.Integer({
        description:
          "Its place in its order, 1 for the first; that or further back unless `place_complete`. Present only while pending.",
      }),
    ),
    place_complete: Type.Optional(
      Type.Boolean({
        description: `False if ${written(MOST_COUNTED)} deliveries in front were examined, so that there may be more.`,
      }),
    ),
    behind: Type.Optional(
      Type.Integer({
        description:
          "The number of deliveries behind it in its order; that or more unless `behind_complete`. Present only while pending.",
      }),
    ),
    behind_complete: Type.Optional(
      Type.Boolean({
        description: `False if ${written(MOST_COUNTED)} deliveries behind it were examined, so that there may be more.`,
      }),
    ),
    attempts: Type.Array(AttemptModel),
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
    ...(delivery.place && viewOfPosition(delivery.place)),
    attempts: delivery.attempts.map((attempt) => viewOfAttempt(delivery, attempt)),
    ...(delivery.erasedAt !== null && { erased_at: formatInstant(delivery.erasedAt) }),
    ...(delivery.eventId !== null && { of_event: toText("evt", delivery.eventId) }),
    ...(delivery.replayOf !== null && { replay_of: toText("wh", delivery.replayOf) }),
    created_at,
  });
  return `${json.slice(0, -1)},"data":${delivery.data}}`;
}

function viewOfPosition({ inFront, behind }: OrderPosition) {
  return {
    place: inFront.count + 1,
    place_complete: inFront.complete,
    behind: behind.count,
    behind_complete: behind.complete,
  };
}

/** Removes the payload and the receiver's answers, which may repeat it. */
export function withoutPayloads(delivery: DeliveryDetail): DeliveryDetail {
  const attempts = delivery.attempts.map((each) => ({
    ...each,
    responseBody: null,
    exchange: null,
    location: null,
  }));
  return { ...delivery, data: null, attempts };
}

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
  place_complete: true,
  behind: 998,
  behind_complete: true,
  attempts: [],
};
