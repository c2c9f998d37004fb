import { Elysia } from "elysia";
import type { Installation } from "../../installation/processes";
import { answer } from "../answer";
import type { Readiness } from "../dependencies";
import type { Guard } from "../guard";
import { type AllDeliveriesOptions, listAllDeliveries, listDeliveries } from "./deliveries";
import { type AllEndpointsOptions, listAllEndpoints, listEndpoints } from "./endpoints";
import { type AllEventsOptions, listAllEvents, listEvents } from "./events";
import { getSystem, viewOfSystem } from "./system";

type ListOptions = AllEndpointsOptions & AllDeliveriesOptions & AllEventsOptions;

/** /admin/system, and the lists of all accounts */
export function adminRoutes(guard: Guard, options: SystemOptions & ListOptions) {
  return new Elysia({ prefix: "/admin" }).use(systemRoute(guard, options)).use(listRoutes(guard, options));
}

type SystemOptions = { installation: Installation; readiness(): Promise<Readiness> };

function systemRoute(guard: Guard, { installation, readiness }: SystemOptions) {
  return new Elysia()
    .use(guard)
    .get(
      "/system",
      async ({ call }) => answer(call.allowance, 200, await viewOfSystem(installation, readiness)),
      { ...getSystem },
    );
}

/** The lists of all accounts. */
function listRoutes(guard: Guard, options: ListOptions) {
  return new Elysia()
    .use(guard)
    .get("/endpoints", async ({ call, request }) => listAllEndpoints(call, request.url, options), {
      ...listEndpoints,
    })
    .get("/deliveries", async ({ call, request }) => listAllDeliveries(call, request.url, options), {
      ...listDeliveries,
    })
    .get("/events", async ({ call, request }) => listAllEvents(call, request.url, options), {
      ...listEvents,
    });
}
