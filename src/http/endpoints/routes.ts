import { Elysia } from "elysia";
import type { Guard } from "../guard";
import { EndpointHandlers, type EndpointOptions } from "./handlers";
import * as operations from "./operations";

/** /endpoints */
export function endpointRoutes(guard: Guard, options: EndpointOptions) {
  const handlers = new EndpointHandlers(options);
  return new Elysia({ prefix: "/endpoints" })
    .use(guard)
    .get("", async ({ call, request }) => handlers.list(call, request), {
      permission: "endpoints:read",
      detail: operations.list,
    })
    .post("", async ({ call, request }) => handlers.create(call, request), {
      permission: "endpoints:write",
      detail: operations.create,
    })
    .get("/:id", async ({ call, params }) => handlers.get(call, params.id), {
      permission: "endpoints:read",
      detail: operations.get,
    })
    .patch("/:id", async ({ call, params, request }) => handlers.update(call, params.id, request), {
      permission: "endpoints:write",
      detail: operations.update,
    })
    .post(
      "/:id/rotate-secret",
      async ({ call, params, request }) => handlers.rotateSecret(call, params.id, request),
      { permission: "endpoints:write", detail: operations.rotateSecret },
    )
    .delete("/:id", async ({ call, params }) => handlers.remove(call, params.id), {
      permission: "endpoints:write",
      detail: operations.remove,
    })
    .get("/:id/stats", async ({ call, params }) => handlers.stats(call, params.id), {
      permission: "stats:read",
      detail: operations.stats,
    })
    .post("/:id/test", async ({ call, params, request }) => handlers.test(call, params.id, request), {
      permission: "webhooks:write",
      detail: operations.test,
    });
}
