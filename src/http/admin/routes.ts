import { Elysia } from "elysia";
import { answer } from "../answer";
import { DELETED } from "../deletion";
import type { Guard } from "../guard";
import { idInPath, noSuch } from "../ids";
import { AccountHandlers, type AccountOptions } from "./account-handlers";
import * as operations from "./operations";
import { PlanHandlers, type PlanOptions } from "./plan-handlers";

export type AdminOptions = AccountOptions & PlanOptions;

/** /admin */
export function adminRoutes(guard: Guard, options: AdminOptions) {
  return new Elysia({ prefix: "/admin" })
    .use(accountRoutes(guard, options))
    .use(planRoutes(guard, options))
    .use(keyRoutes(guard, options));
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
