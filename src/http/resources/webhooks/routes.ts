import { Elysia } from "elysia";
import { acceptOne } from "../../accepting";
import { Batch } from "../../batch";
import type { FailureLog } from "../../failure-log";
import type { Guard } from "../../guard";
import type { Idempotency } from "../../idempotency/idempotency";
import { type ActionOptions, Actions } from "./actions";
import { History, type HistoryOptions } from "./history";
import * as operations from "./operations";
import { Resending, type ResendingOptions } from "./resending";
import { type SendingOptions, sending } from "./sending";
import { type TailOptions, tailOfWebhooks } from "./tail";

export type WebhookOptions = SendingOptions &
  HistoryOptions &
  TailOptions &
  ActionOptions &
  ResendingOptions & { idempotency: Idempotency; failures: FailureLog };

/** /webhooks */
export function webhookRoutes(guard: Guard, options: WebhookOptions) {
  const sends = sending(options);
  const batch = new Batch(sends, { ...options, items: "webhooks", item: "webhook" });
  const actions = new Actions(options);
  const history = new History(options);
  const resending = new Resending(options);
  return new Elysia({ prefix: "/webhooks" })
    .use(guard)
    .post("", async ({ call, request }) => acceptOne(sends, call, request), { ...operations.send })
    .post("/batch", async ({ call, request }) => batch.handle(call, request), { ...operations.sendMany })
    .get("", async ({ call, request }) => history.list(call, request.url), { ...operations.list })
    .get("/summary", async ({ call, request }) => history.count(call, request.url), { ...operations.summary })
    .get("/tail", async ({ call, request }) => tailOfWebhooks(options, call, request), { ...operations.tail })
    .post("/resend", async ({ call, request }) => resending.handle(call, request), {
      ...operations.resendMany,
    })
    .post("/:id/cancel", async ({ call, params, request }) => actions.cancel(call, params.id, request), {
      ...operations.cancel,
    })
    .post("/:id/retry", async ({ call, params, request }) => actions.retry(call, params.id, request), {
      ...operations.retry,
    })
    .post("/:id/resend", async ({ call, params, request }) => actions.resend(call, params.id, request), {
      ...operations.resend,
    })
    .delete("/:id/payload", async ({ call, params }) => actions.erase(call, params.id), {
      ...operations.erase,
    })
    .get("/:id", async ({ call, params }) => history.get(call, params.id), { ...operations.get });
}
