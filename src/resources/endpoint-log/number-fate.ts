import { type Static, Type } from "@sinclair/typebox";
import { formatInstant } from "../../api/lists/instant";
import { named, nullable, timestamp, words } from "../../api/openapi/schema";
import { webhookIdOf } from "../../attempt/webhook-request";
import type { LogPage, NumberFate } from "../../deliveries/log/endpoint-log";
import { END_REASONS } from "../../domain/delivery-status";
import { type EndpointId, timeOf, toText } from "../../domain/ids";
import { receivedEvent } from "../../domain/test-event";

const FATES = ["delivered", "failed", "cancelled", "removed"] as const;

const NumberFateModel = named(
  "NumberFate",
  Type.Object({
    sequence: Type.Integer({ description: "The delivery's number at its endpoint." }),
    status: words("FinalStatus", FATES, {
      description:
        "What became of the delivery. `removed`: it is older than the retention, and nothing but its number is left; the other fields are null.",
    }),
    reason: nullable(
      words("EndReason", END_REASONS, {
        description:
          "Why it was cancelled; `expired` if it failed because it was pending for longer than HERMOD_RETENTION. Null otherwise.",
      }),
    ),
    id: nullable(Type.String({ description: "Begins with `wh_`." })),
    webhook_id: nullable(
      Type.String({ description: "As the request's `webhook-id`. Equal for a delivery and its resends." }),
    ),
    event: nullable(Type.String()),
    ordering_key: nullable(Type.String()),
    created_at: nullable(timestamp()),
    completed_at: nullable(timestamp()),
    erased: Type.Boolean({ description: "True once the payload is erased." }),
    data: Type.Unknown({
      description:
        "The payload, byte for byte as it was sent. Null once it is erased or removed, and in portal sessions that may not see it.",
    }),
  }),
);

export const EndpointLogModel = named(
  "EndpointLog",
  Type.Object({
    epoch: nullable(
      Type.String({
        description:
          "Changes if numbers may come again, since Postgres was restored from a backup or a standby took over. Then compare " +
          "`webhook_id` as well. Null if Postgres does not show it. Also in the header `Hermod-Epoch`.",
      }),
    ),
    complete_up_to: Type.Integer({
      description:
        "Every delivery up to this number has ended. With `by_key` or `unordered`, later ones may have ended too; they follow once " +
        "the delivery behind this number has.",
    }),
    next_from: Type.Integer({ description: "The `from` of the next page." }),
    data: Type.Array(NumberFateModel, {
      description:
        "Each number in order, without a gap. Begins at `from`, or at the first number that the retention has left. Empty if `from` is " +
        "beyond `complete_up_to`.",
    }),
  }),
);

type ShownFate = Static<typeof NumberFateModel>;

const REMOVED = {
  status: "removed",
  reason: null,
  id: null,
  webhook_id: null,
  event: null,
  ordering_key: null,
  created_at: null,
  completed_at: null,
  erased: false,
} as const;

export const LOG_EXAMPLE = {
  epoch: "5b1c0e9d4a7f2e36",
  complete_up_to: 48_210,
  next_from: 124,
  data: [
    {
      sequence: 123,
      status: "delivered",
      reason: null,
      id: "wh_01k9x3w7r2e5bt8m1n4p6r8s0v",
      webhook_id: "wh_01k9x3w7r2e5bt8m1n4p6r8s0v",
      event: "order.created",
      ordering_key: "customer-42",
      created_at: "2026-01-31T12:00:00.000Z",
      completed_at: "2026-01-31T12:00:00.120Z",
      erased: false,
      data: { order: 4711 },
    },
  ],
} satisfies Static<typeof EndpointLogModel>;

/** Writes the JSON text of a page. Keeps the payloads' texts as they were sent. */
export function logJson(endpointId: EndpointId, { epoch, completeUpTo, next, fates }: LogPage): string {
  const head = JSON.stringify({ epoch, complete_up_to: completeUpTo, next_from: next });
  return `${head.slice(0, -1)},"data":[${fates.map((each) => fateJson(endpointId, each)).join(",")}]}`;
}

function fateJson(endpointId: EndpointId, { sequence, delivery }: NumberFate): string {
  const fields = delivery === null ? REMOVED : viewOf(endpointId, delivery);
  const json = JSON.stringify({ sequence, ...fields });
  return `${json.slice(0, -1)},"data":${delivery?.data ?? null}}`;
}

function viewOf(
  endpointId: EndpointId,
  delivery: NonNullable<NumberFate["delivery"]>,
): Omit<ShownFate, "sequence" | "data"> {
  return {
    status: delivery.status,
    reason: delivery.endReason,
    id: toText("wh", delivery.id),
    webhook_id: webhookIdOf(delivery, endpointId),
    event: receivedEvent(delivery.event),
    ordering_key: delivery.orderingKey,
    created_at: formatInstant(timeOf(delivery.id)),
    completed_at: formatInstant(delivery.completedAt),
    erased: delivery.size === 0,
  };
}
