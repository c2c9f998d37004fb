import { Elysia } from "elysia";
import type { Log } from "../../runtime/log";
import { acceptOne } from "../accepting";
import { Batch } from "../batch";
import type { Guard } from "../guard";
import type { Idempotency } from "../idempotency/idempotency";
import * as operations from "./operations";
import { type PublishingOptions, publishing } from "./publishing";

/** /events */
export function eventRoutes(
  guard: Guard,
  options: PublishingOptions & { idempotency: Idempotency; log: Log },
) {
  const events = publishing(options);
  const batch = new Batch(events, { ...options, items: "events", item: "event" });
  return new Elysia({ prefix: "/events" })
    .use(guard)
    .post("", async ({ call, request }) => acceptOne(events, call, request), {
      operation: operations.publish,
    })
    .post("/batch", async ({ call, request }) => batch.handle(call, request), {
      operation: operations.publishMany,
    });
}
