import { Elysia } from "elysia";
import type { Guard } from "../guard";
import { History, type HistoryOptions } from "./history";
import * as operations from "./operations";
import { Sending, type SendingOptions } from "./sending";

/** /webhooks */
export function webhookRoutes(guard: Guard, options: SendingOptions & HistoryOptions) {
  const sending = new Sending(options);
  const history = new History(options);
  return new Elysia({ prefix: "/webhooks" })
    .use(guard)
    .post("", async ({ call, request }) => sending.send(call, request), {
      permission: "webhooks:write",
      detail: operations.send,
    })
    .get("", async ({ call, request }) => history.list(call, request.url), {
      permission: "webhooks:read",
      detail: operations.list,
    })
    .get("/:id", async ({ call, params }) => history.get(call, params.id), {
      permission: "webhooks:read",
      detail: operations.get,
    });
}
