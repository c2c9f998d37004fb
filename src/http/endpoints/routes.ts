import { Elysia } from "elysia";
import type { Guard } from "../guard";
import { idInPath } from "../ids";
import { EndpointHandlers, type EndpointOptions } from "./handlers";
import { viewOfEndpoint } from "./model";
import * as operations from "./operations";

/** /endpoints */
export function endpointRoutes(guard: Guard, options: EndpointOptions) {
  const handlers = new EndpointHandlers(options);
  const update = operations.update(async (accountId, { id = "" }) => {
    const endpoint = await options.endpoints.get(accountId, idInPath("ep", id));
    return endpoint && viewOfEndpoint(endpoint);
  });
  return new Elysia({ prefix: "/endpoints" })
    .use(guard)
    .get("", async ({ call, request }) => handlers.list(call, request), { ...operations.list })
    .post("", async ({ call, request }) => handlers.create(call, request), { ...operations.create })
    .get("/:id", async ({ call, params }) => handlers.get(call, params.id), { ...operations.get })
    .patch("/:id", async ({ call, params }) => handlers.update(call, params.id), update)
    .put("/:id", async ({ call, params, request }) => handlers.put(call, params.id, request), {
      ...operations.put,
    })
    .post(
      "/:id/rotate-secret",
      async ({ call, params, request }) => handlers.rotateSecret(call, params.id, request),
      { ...operations.rotateSecret },
    )
    .delete("/:id", async ({ call, params }) => handlers.remove(call, params.id), { ...operations.remove })
    .get("/:id/stats", async ({ call, params }) => handlers.stats(call, params.id), { ...operations.stats })
    .post("/:id/retry", async ({ call, params, request }) => handlers.retry(call, params.id, request), {
      ...operations.retry,
    })
    .post(
      "/:id/filter/test",
      async ({ call, params, request }) => handlers.testFilter(call, params.id, request),
      { ...operations.testFilter },
    )
    .post("/:id/test", async ({ call, params, request }) => handlers.test(call, params.id, request), {
      ...operations.test,
    });
}
