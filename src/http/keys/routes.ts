import { Elysia } from "elysia";
import type { Guard } from "../guard";
import { KeyHandlers, type KeyOptions } from "./handlers";
import * as operations from "./operations";

/** /keys */
export function keyRoutes(guard: Guard, options: KeyOptions) {
  const handlers = new KeyHandlers(options);
  return new Elysia({ prefix: "/keys" })
    .use(guard)
    .get("", async ({ call }) => handlers.list(call), { operation: operations.list })
    .post("", async ({ call, request }) => handlers.create(call, request), { operation: operations.create })
    .patch("/:id", async ({ call, params }) => handlers.update(call, params.id), {
      operation: operations.update,
    })
    .delete("/:id", async ({ call, params }) => handlers.remove(call, params.id), {
      operation: operations.remove,
    });
}
