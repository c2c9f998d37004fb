import { Elysia } from "elysia";
import type { Guard } from "../guard";
import { JobHandlers, type JobOptions } from "./handlers";
import * as operations from "./operations";

/** /jobs, and the routes that start jobs. */
export function jobRoutes(guard: Guard, options: JobOptions) {
  const handlers = new JobHandlers(options);
  return new Elysia()
    .use(guard)
    .post(
      "/endpoints/:id/replay",
      async ({ call, params, request }) => handlers.replay(call, params.id, request),
      { ...operations.replay },
    )
    .post("/erasures", async ({ call, request }) => handlers.erase(call, request), { ...operations.erase })
    .get("/jobs", async ({ call, request }) => handlers.list(call, request), { ...operations.list })
    .get("/jobs/tail", async ({ call, request }) => handlers.tail(call, request), { ...operations.tail })
    .get("/jobs/:id", async ({ call, params }) => handlers.get(call, params.id), { ...operations.get })
    .post(
      "/jobs/:id/cancel",
      async ({ call, params, request }) => handlers.cancel(call, params.id, request),
      { ...operations.cancel },
    );
}
