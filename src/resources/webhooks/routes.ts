import { Elysia } from "elysia";
import { answerText } from "../../api/answer";
import { conflict } from "../../api/errors";
import type { Guard } from "../../api/guard";
import { idInPath, noSuch } from "../../api/ids";
import { operation } from "../../api/openapi/operation";
import { written } from "../../api/openapi/schema";
import { cancelDelivery } from "../../deliveries/cancellation";
import { readSummary } from "../../deliveries/lists/summary";
import { findResendable } from "../../deliveries/resendable";
import { type Retried, retryDelivery } from "../../deliveries/retry";
import type { DeliveryStatus } from "../../domain/delivery-status";
import { toText } from "../../domain/ids";
import type { QueueKey } from "../../domain/partition";
import { MAX_PENDING } from "../../jobs/replay-step";
import { isInReach, seesPayloads } from "../../sessions/portal-reach";
import { JOB_EXAMPLE, JobModel } from "../jobs/job";
import { ACCEPTED_EXAMPLE } from "./accepted";
import { DELIVERY_EXAMPLE, DeliveryModel, viewOfDelivery } from "./delivery";
import {
  DETAIL_EXAMPLE,
  DeliveryDetailModel,
  detailJson,
  PENDING_EXAMPLE,
  withoutPayloads,
} from "./delivery-detail";
import { ERASED, type ErasingOptions, erase } from "./erasing";
import type { ListOptions } from "./list";
import { listRoutes } from "./list-routes";
import { ReplayedModel, type ResendOptions, resend } from "./resend";
import { MAX_RESENT, RESEND_COUNT_EXAMPLE, ResendCount, ResendMany } from "./resend-selection";
import { type ResendingOptions, resendMany } from "./resending";
import { type SendOptions, sendRoutes } from "./send-routes";
import type { TailOptions } from "./tail";

export type WebhookOptions = SendOptions &
  ListOptions &
  TailOptions &
  ResendOptions &
  ResendingOptions &
  ErasingOptions & {
    /** Makes dispatchers read an endpoint's queue again. */
    notifyChange(queue: QueueKey): void;
  };

const tag = "Webhooks";
const path = { id: { description: "The delivery's id.", example: DELIVERY_EXAMPLE.id } };
const ONE = {
  status: 200,
  description: "The delivery.",
  schema: DeliveryModel,
  example: DELIVERY_EXAMPLE,
} as const;

/** /webhooks */
export function webhookRoutes(guard: Guard, options: WebhookOptions) {
  const { deliveries, posting, notifyChange } = options;
  return new Elysia()
    .use(guard)
    .use(sendRoutes(guard, options))
    .use(listRoutes(guard, options))
    .post(
      "/webhooks/resend",
      ({ call, request, body }) => resendMany(options, call, request, body),
      operation({
        id: "resendWebhooks",
        permission: "webhooks:retry",
        portal: { needs: "retry", concerns: "selection", fields: ["filter", "dry_run"] },
        audit: { shows: [] },
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
          example: { filter: { status: "failed", after: "2026-01-31T00:00:00Z" }, dry_run: true },
        },
        success: [
          {
            status: 200,
            description: "With `dry_run`: the counts.",
            schema: ResendCount,
            example: RESEND_COUNT_EXAMPLE,
          },
          {
            status: 202,
            description: "The job.",
            schema: JobModel,
            example: { ...JOB_EXAMPLE, kind: "resend" },
          },
        ],
      }),
    )
    .post(
      "/webhooks/:id/cancel",
      ({ call, params, request }) =>
        posting.handle(call, request, () => async (sql) => {
          const { accountId } = call.principal;
          const id = idInPath("wh", params.id);
          const shortened = await cancelDelivery(sql, accountId, id);
          const delivery = await readSummary(sql, accountId, id);
          if (delivery === null) throw noSuch("wh");
          if (shortened === null)
            throw conflict(`The delivery is ${delivery.status}: only a pending one can be cancelled`);
          const json = JSON.stringify(viewOfDelivery(delivery));
          return { status: 200, json, afterCommit: () => notifyChange(shortened) };
        }),
      operation({
        id: "cancelWebhook",
        permission: "webhooks:retry",
        audit: { shows: [] },
        tag,
        summary: "Cancel a pending delivery",
        description:
          "Hermod stops attempting the delivery, and continues with the deliveries behind it at once. An attempt that is under way " +
          "can't be recalled: the receiver may still get it, but its outcome is not recorded. 409 if the delivery is not pending.",
        path,
        success: {
          ...ONE,
          example: { ...DELIVERY_EXAMPLE, status: "cancelled", cancel_reason: "requested" },
        },
        errors: [404],
      }),
    )
    .post(
      "/webhooks/:id/retry",
      ({ call, params, request }) =>
        posting.handle(call, request, () => async (sql) => {
          const { accountId } = call.principal;
          const id = idInPath("wh", params.id);
          const retried = await retryDelivery(sql, accountId, id);
          const delivery = await readSummary(sql, accountId, id);
          if (delivery === null) throw noSuch("wh");
          if (retried.kind !== "retried") throw conflict(whyNot(retried, delivery.status));
          const json = JSON.stringify(viewOfDelivery(delivery));
          return { status: 200, json, afterCommit: () => notifyChange(retried.queue) };
        }),
      operation({
        id: "retryWebhook",
        permission: "webhooks:retry",
        portal: { needs: "retry", concerns: "delivery" },
        audit: { shows: [] },
        tag,
        summary: "Attempt a waiting delivery now",
        description:
          "Ends its wait for a retry. The attempt then uses up no step of the schedule: if it fails, the same wait begins again. " +
          "409 if the delivery has ended, if its endpoint is inactive, or if another delivery is in front of it in its order, " +
          "which the message names.",
        path,
        success: ONE,
        errors: [404],
      }),
    )
    .post(
      "/webhooks/:id/resend",
      ({ call, params, request }) => resend(options, call, params.id, request),
      operation({
        id: "resendWebhook",
        permission: "webhooks:retry",
        portal: { needs: "retry", concerns: "delivery" },
        audit: { shows: [] },
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
          schema: ReplayedModel,
          example: { ...ACCEPTED_EXAMPLE, replay_of: "wh_01k9x3w2c4d6f8g0h1j3k5m7n9" },
        },
        errors: [404],
      }),
    )
    .delete(
      "/webhooks/:id/payload",
      ({ call, params }) =>
        erase(options, call, async (sql) => {
          const id = idInPath("wh", params.id);
          await options.thawing?.bring(sql, call.principal.accountId, [id]);
          if ((await findResendable(sql, call.principal.accountId, id)) === null) throw noSuch("wh");
          return id;
        }),
      operation({
        id: "erasePayload",
        permission: "webhooks:write",
        audit: { shows: [] },
        tag,
        summary: "Erase a delivery's payload",
        description:
          "Removes the payload for good: also from every delivery that resends this one, and if it was sent as an event, " +
          "from the event and all its deliveries to any endpoint. Attempts and counts stay. Pending deliveries among them are cancelled with the reason `erased`; an attempt that is under way can't be recalled. Erasing again changes " +
          "nothing.",
        path,
        success: ERASED,
        errors: [404],
      }),
    )
    .get(
      "/webhooks/:id",
      async ({ call: { principal, allowance }, params }) => {
        const delivery = await deliveries.get(principal.accountId, idInPath("wh", params.id));
        if (delivery === null) throw noSuch("wh");
        const portal = principal.session?.portal;
        const isShown = !portal || (seesPayloads(portal) && isInReach(portal, delivery.event));
        return answerText(allowance, 200, detailJson(isShown ? delivery : withoutPayloads(delivery)));
      },
      operation({
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
          schema: DeliveryDetailModel,
          examples: {
            delivered: { summary: "Delivered by its second attempt", value: DETAIL_EXAMPLE },
            pending: { summary: "Held back by the delivery in front of it", value: PENDING_EXAMPLE },
          },
        },
        errors: [404],
      }),
    );
}

function whyNot(refused: Exclude<Retried, { kind: "retried" }>, status: DeliveryStatus): string {
  switch (refused.kind) {
    case "ended":
      return `The delivery is ${status}: only a pending one can be retried`;
    case "inactive":
      return "The delivery's endpoint is inactive: set is_active to true";
    case "behind":
      return `The delivery waits for ${toText("wh", refused.head)} in front of it: retry that delivery`;
  }
}
