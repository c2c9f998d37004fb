import { Elysia } from "elysia";
import type { EventTypes } from "../../event-types/event-type";
import type { Guard } from "../guard";
import { EventTypeHandlers } from "./handlers";
import * as operations from "./operations";

/** /event-types */
export function eventTypeRoutes(guard: Guard, { eventTypes }: { eventTypes: EventTypes }) {
  const handlers = new EventTypeHandlers(eventTypes);
  return new Elysia({ prefix: "/event-types" })
    .use(guard)
    .get("", async ({ call, request }) => handlers.list(call, request.url), {
      permission: "webhooks:read",
      detail: operations.list,
    })
    .get("/:name", async ({ call, request }) => handlers.get(call, request.url), {
      permission: "webhooks:read",
      detail: operations.get,
    })
    .put("/:name/schema", async ({ call, request }) => handlers.putSchema(call, request), {
      permission: "event-types:write",
      detail: operations.putSchema,
    })
    .delete("/:name/schema", async ({ call, request }) => handlers.deleteSchema(call, request.url), {
      permission: "event-types:write",
      detail: operations.deleteSchema,
    });
}
