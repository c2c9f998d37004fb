import { Elysia } from "elysia";
import type { EventTypes } from "../../event-types/event-type";
import type { Guard } from "../guard";
import type { Cursors } from "../lists/cursors";
import { EventTypeHandlers, type NamePath } from "./handlers";
import * as operations from "./operations";

/** /event-types */
export function eventTypeRoutes(
  guard: Guard,
  { eventTypes, cursors }: { eventTypes: EventTypes; cursors: Cursors },
) {
  const handlers = new EventTypeHandlers(eventTypes, cursors);
  return new Elysia({ prefix: "/event-types" })
    .use(guard)
    .get("", async ({ call, request }) => handlers.list(call, request.url), { operation: operations.list })
    .get("/:name", async ({ call, request, params }) => handlers.get(call, pathOf(request, params)), {
      operation: operations.get,
    })
    .put(
      "/:name/schema",
      async ({ call, request, params }) => handlers.putSchema(call, pathOf(request, params)),
      { operation: operations.putSchema },
    )
    .delete(
      "/:name/schema",
      async ({ call, request, params }) => handlers.deleteSchema(call, pathOf(request, params)),
      { operation: operations.deleteSchema },
    );
}

function pathOf({ url }: Request, { name }: { name: string }): NamePath {
  return { url, routed: name };
}
