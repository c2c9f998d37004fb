import { Elysia } from "elysia";
import type { Guard } from "../guard";
import { EndpointHandlers, type EndpointOptions } from "./handlers";
import * as operations from "./operations";

/** /endpoints */
export function endpointRoutes(guard: Guard, options: EndpointOptions) {
  const handlers = new EndpointHandlers(options);
  return new Elysia({ prefix: "/endpoints" })
    .use(guard)
    .get("", async ({ call, request }) => handlers.list(call, request), { operation: operations.list })
    .post("", async ({ call, request }) => handlers.create(call, request), { operation: operations.create })
    .get("/:id", async ({ call, params }) => handlers.get(call, params.id), { operation: operations.get })
    .patch("/:id", async ({ call, params }) => handlers.update(call, params.id), {
      operation: operations.update,
    })
    .put("/:id", async ({ call, params, request }) => handlers.put(call, params.id, request), {
      operation: operations.put,
    })
    .post(
      "/:id/rotate-secret",
      async ({ call, params, request }) => handlers.rotateSecret(call, params.id, request),
      { operation: operations.rotateSecret },
    )
    .delete("/:id", async ({ call, params }) => handlers.remove(call, params.id), {
      operation: operations.remove,
    })
    .get("/:id/stats", async ({ call, params }) => handlers.stats(call, params.id), {
      operation: operations.stats,
    })
    .post("/:id/retry", async ({ call, params, request }) => handlers.retry(call, params.id, request), {
      operation: operations.retry,
    })
    .post(
      "/:id/filter/test",
      async ({ call, params, request }) => handlers.testFilter(call, params.id, request),
      {
        operation: operations.testFilter,
      },
    )
    .post("/:id/test", async ({ call, params, request }) => handlers.test(call, params.id, request), {
      operation: operations.test,
    });
}
