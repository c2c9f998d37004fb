import { Elysia } from "elysia";
import type { Installation } from "../../installation/processes";
import { answer } from "../answer";
import { DELETED } from "../deletion";
import type { Readiness } from "../dependencies";
import type { Guard } from "../guard";
import { idInPath, noSuch } from "../ids";
import { AccountHandlers, type AccountOptions } from "./account-handlers";
import { type AllDeliveriesOptions, listAllDeliveries, listDeliveries } from "./deliveries";
import { type AllEndpointsOptions, listAllEndpoints, listEndpoints } from "./endpoints";
import { type AllEventsOptions, listAllEvents, listEvents } from "./events";
import * as operations from "./operations";
import { PlanHandlers, type PlanOptions } from "./plan-handlers";
import { getSystem, viewOfSystem } from "./system";

export type AdminOptions = AccountOptions & PlanOptions & SystemOptions & ListOptions;
type ListOptions = AllEndpointsOptions & AllDeliveriesOptions & AllEventsOptions;

/** /admin */
export function adminRoutes(guard: Guard, options: AdminOptions) {
  return new Elysia({ prefix: "/admin" })
    .use(accountRoutes(guard, options))
    .use(planRoutes(guard, options))
    .use(keyRoutes(guard, options))
    .use(systemRoute(guard, options))
    .use(listRoutes(guard, options));
}

function accountRoutes(guard: Guard, options: AccountOptions) {
  const handlers = new AccountHandlers(options);
  return new Elysia({ prefix: "/accounts" })
    .use(guard)
    .get("", async ({ call, request }) => handlers.list(call, request.url), {
      operation: operations.listAccounts,
    })
    .post("", async ({ call, request }) => handlers.create(call, request), {
      operation: operations.createAccount,
    })
    .get("/:id", async ({ call, params }) => handlers.get(call, params.id), {
      operation: operations.getAccount,
    })
    .patch("/:id", async ({ call, params }) => handlers.update(call, params.id), {
      operation: operations.updateAccount,
    })
    .put("/:id", async ({ call, params }) => handlers.put(call, params.id), {
      operation: operations.putAccount,
    })
    .get("/:id/keys", async ({ call, params }) => handlers.listKeys(call, params.id), {
      operation: operations.listAccountKeys,
    })
    .post("/:id/keys", async ({ call, params, request }) => handlers.createKey(call, params.id, request), {
      operation: operations.createAccountKey,
    });
}

type SystemOptions = { installation: Installation; readiness(): Promise<Readiness> };

function systemRoute(guard: Guard, { installation, readiness }: SystemOptions) {
  return new Elysia()
    .use(guard)
    .get(
      "/system",
      async ({ call }) => answer(call.allowance, 200, await viewOfSystem(installation, readiness)),
      {
        operation: getSystem,
      },
    );
}

/** The lists of all accounts. */
function listRoutes(guard: Guard, options: ListOptions) {
  return new Elysia()
    .use(guard)
    .get("/endpoints", async ({ call, request }) => listAllEndpoints(call, request.url, options), {
      operation: listEndpoints,
    })
    .get("/deliveries", async ({ call, request }) => listAllDeliveries(call, request.url, options), {
      operation: listDeliveries,
    })
    .get("/events", async ({ call, request }) => listAllEvents(call, request.url, options), {
      operation: listEvents,
    });
}

function planRoutes(guard: Guard, options: PlanOptions) {
  const handlers = new PlanHandlers(options);
  return new Elysia({ prefix: "/plans" })
    .use(guard)
    .get("", async ({ call }) => handlers.list(call), { operation: operations.listPlans })
    .put("/:name", async ({ call, params }) => handlers.put(call, params.name), {
      operation: operations.putPlan,
    });
}

function keyRoutes(guard: Guard, { apiKeys, authenticator }: AdminOptions) {
  return new Elysia({ prefix: "/keys" }).use(guard).delete(
    "/:id",
    async ({ call, params }) => {
      if (!(await apiKeys.revoke(null, idInPath("key", params.id), call.principal.keyId)))
        throw noSuch("key");
      authenticator.forget();
      return answer(call.allowance, 200, DELETED);
    },
    { operation: operations.deleteKey },
  );
}
