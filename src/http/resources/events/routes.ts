import { Elysia } from "elysia";
import { acceptOne } from "../../accepting";
import { Batch } from "../../batch";
import type { FailureLog } from "../../failure-log";
import type { Guard } from "../../guard";
import type { Idempotency } from "../../idempotency/idempotency";
import { EventHistory, type EventHistoryOptions } from "./history";
import * as operations from "./operations";
import { type PublishingOptions, publishing } from "./publishing";

/** /events */
export function eventRoutes(
  guard: Guard,
  options: PublishingOptions & EventHistoryOptions & { idempotency: Idempotency; failures: FailureLog },
) {
  const events = publishing(options);
  const history = new EventHistory(options);
  const batch = new Batch(events, { ...options, items: "events", item: "event" });
  return new Elysia({ prefix: "/events" })
    .use(guard)
    .post("", async ({ call, request }) => acceptOne(events, call, request), { ...operations.publish })
    .post("/batch", async ({ call, request }) => batch.handle(call, request), { ...operations.publishMany })
    .get("", async ({ call, request }) => history.list(call, request.url), { ...operations.list })
    .get("/:id", async ({ call, params }) => history.get(call, params.id), { ...operations.get })
    .get(
      "/:id/deliveries",
      async ({ call, params, request }) => history.listDeliveries(call, params.id, request.url),
      { ...operations.listDeliveries },
    )
    .get(
      "/:id/missed",
      async ({ call, params, request }) => history.listMissed(call, params.id, request.url),
      { ...operations.listMissed },
    )
    .delete("/:id/payload", async ({ call, params }) => history.erase(call, params.id), {
      ...operations.erase,
    });
}
