import { Elysia } from "elysia";
import { type Acceptable, acceptOne, earlierOf } from "../../api/accepting";
import { Batch } from "../../api/batch";
import { BATCH_EFFORT } from "../../api/batch-model";
import { badRequest, overMonthlyLimit } from "../../api/errors";
import type { FailureLog } from "../../api/failure-log";
import type { Guard } from "../../api/guard";
import { type Idempotency, keyConflict } from "../../api/idempotency/idempotency";
import { unknownEndpoint } from "../../api/ids";
import { operation } from "../../api/openapi/operation";
import type { Database } from "../../db/database";
import { newId } from "../../domain/ids";
import type { FilterErrorCounts } from "../../event-types/filter/error-counts";
import type { PayloadGate } from "../../event-types/payload-gate";
import type { Intake, SendResult } from "../../intake/new-delivery";
import { findTakenSends } from "../../intake/taken-keys";
import { ACCEPTED_EXAMPLE, AcceptedModel, acceptedJson, WebhookResults } from "./accepted";
import { DELIVERY_EXAMPLE } from "./delivery";
import { DETAIL_EXAMPLE } from "./delivery-detail";
import { readSend, SendWebhook, SendWebhooks } from "./send-body";

export type SendingOptions = {
  intake: Intake;
  payloadGate: PayloadGate;
  filterErrors: Pick<FilterErrorCounts, "note">;
  db: Database;
  config: Readonly<{ retentionMs: number }>;
};

/** Adapts the send intake to requests for webhooks. */
export function sending({
  intake,
  payloadGate,
  filterErrors,
  db,
  config,
}: SendingOptions): Acceptable<ReturnType<typeof readSend>, SendResult> {
  return {
    path: "/v1/webhooks",
    read: (json, path) => readSend(json, config.retentionMs, path),
    check: (accountId, bodies) => payloadGate.check(accountId, bodies),
    accept: async ({ hops, ...sender }, body, idempotency, { refusedBy, failed }) => {
      const id = newId("wh", hops, sender.traceparent !== null);
      const isRefused = refusedBy.length > 0;
      const result = await intake.accept({ id, ...sender, ...body, idempotency, isRefused });
      if (failed.length > 0 && result.kind === "accepted")
        filterErrors.note(failed, { eventId: null, deliveryId: id });
      return result;
    },
    findEarlier: async (accountId, claims) => {
      const claimed = claims.map((idempotency) => ({ accountId, idempotency }));
      const taken = await db.run((sql) => findTakenSends(sql, claimed));
      return earlierOf(taken, (delivery) => ({ kind: "replayed", delivery }));
    },
    jsonOf,
  };
}

function jsonOf(result: SendResult): string {
  switch (result.kind) {
    case "accepted":
    case "replayed":
      return acceptedJson(result.delivery);
    case "key_conflict":
      throw keyConflict();
    case "unknown_endpoint":
      throw unknownEndpoint();
    case "feed_endpoint":
      throw badRequest("endpoint_id is an endpoint with feed: true, which gets only Hermod's own reports");
    case "over_monthly_limit":
      throw overMonthlyLimit(result.limit);
  }
}

export type SendOptions = SendingOptions & { idempotency: Idempotency; failures: FailureLog };

const tag = "Webhooks";
const SEND_EXAMPLE = {
  endpoint_id: DELIVERY_EXAMPLE.endpoint_id,
  event: DELIVERY_EXAMPLE.event,
  ordering_key: DELIVERY_EXAMPLE.ordering_key,
  data: DETAIL_EXAMPLE.data,
};

/** POST /webhooks and /webhooks/batch */
export function sendRoutes(guard: Guard, options: SendOptions) {
  const sends = sending(options);
  const batch = new Batch(sends, { ...options, items: "webhooks", item: "webhook" });
  return new Elysia({ prefix: "/webhooks" })
    .use(guard)
    .post(
      "",
      async ({ call, request }) => acceptOne(sends, call, request),
      operation({
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
          schema: AcceptedModel,
          example: ACCEPTED_EXAMPLE,
        },
      }),
    )
    .post(
      "/batch",
      async ({ call, request }) => batch.handle(call, request),
      operation({
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
          schema: SendWebhooks,
          example: { webhooks: [SEND_EXAMPLE, { ...SEND_EXAMPLE, endpoint_id: "ep_?" }] },
        },
        success: {
          status: 200,
          description: "The outcome of each item.",
          schema: WebhookResults,
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
      }),
    );
}
