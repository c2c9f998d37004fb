import { Elysia } from "elysia";
import type { Endpoints } from "../../endpoints/endpoint";
import type { EventTypes } from "../../event-types/event-type";
import type { Clock } from "../../runtime/clock";
import type { Guard } from "../guard";
import type { Cursors } from "../lists/cursors";
import type { Posting } from "../posting";
import { EventTypeHandlers, type NamePath } from "./handlers";
import * as operations from "./operations";

type EventTypeOptions = Readonly<{
  eventTypes: EventTypes;
  cursors: Cursors;
  posting: Posting;
  clock: Clock;
  endpoints: Pick<Endpoints, "some">;
}>;

/** /event-types */
export function eventTypeRoutes(guard: Guard, options: EventTypeOptions) {
  const { eventTypes, cursors, posting, clock, endpoints } = options;
  const handlers = new EventTypeHandlers(eventTypes, cursors, posting, clock, endpoints);
  return new Elysia({ prefix: "/event-types" })
    .use(guard)
    .get("", async ({ call, request }) => handlers.list(call, request.url), { ...operations.list })
    .get("/:name", async ({ call, request, params }) => handlers.get(call, pathOf(request, params)), {
      ...operations.get,
    })
    .put("/:name", async ({ call, request, params }) => handlers.put(call, pathOf(request, params)), {
      ...operations.put,
    })
    .get(
      "/:name/schema/versions",
      async ({ call, request, params }) => handlers.versions(call, pathOf(request, params)),
      { ...operations.versions },
    )
    .post(
      "/:name/schema/check",
      async ({ call, request, params }) => handlers.checkSchema(call, pathOf(request, params), request),
      { ...operations.checkSchema },
    )
    .put(
      "/:name/schema",
      async ({ call, request, params }) => handlers.putSchema(call, pathOf(request, params)),
      { ...operations.putSchema },
    )
    .delete(
      "/:name/schema",
      async ({ call, request, params }) => handlers.deleteSchema(call, pathOf(request, params)),
      { ...operations.deleteSchema },
    );
}

function pathOf({ url }: Request, { name }: { name: string }): NamePath {
  return { url, routed: name };
}
