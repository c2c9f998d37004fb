import { Elysia } from "elysia";
import { Auditing } from "./auditing";
import type { Call } from "./call";
import { consolePages } from "./console/routes";
import type { Dependencies } from "./dependencies";
import { identifyAnswers } from "./edge/answering";
import { allowOrigins } from "./edge/cors";
import {
  FAILED_SIGN_INS_PER_MINUTE,
  FAILURES_PER_MINUTE,
  FailureLimit,
  REFUSALS_PER_MINUTE,
} from "./edge/failure-limit";
import { KnownPaths } from "./edge/known-paths";
import { hostProblem } from "./edge/request-head";
import { badRequest } from "./errors";
import { answerError, toApiError } from "./failure";
import { FailureLog } from "./failure-log";
import { createGuard } from "./guard";
import { healthRoutes } from "./health";
import { Idempotency } from "./idempotency/idempotency";
import { documentation } from "./openapi/document";
import { type OperationSpec, specOf, UNKNOWN_PATH } from "./openapi/operation";
import { Posting } from "./posting";
import { accountRoutes } from "./resources/accounts/routes";
import { auditRoutes } from "./resources/audit/routes";
import { backlogRoutes } from "./resources/backlog";
import { catalogueRoutes } from "./resources/catalogue/routes";
import { allEndpointsRoute } from "./resources/endpoints/all-endpoints";
import { endpointRoutes } from "./resources/endpoints/routes";
import { eventTypeRoutes } from "./resources/event-types/routes";
import { allEventsRoute } from "./resources/events/all-events";
import { eventRoutes } from "./resources/events/routes";
import { jobRoutes } from "./resources/jobs/routes";
import { adminKeyRoutes, keyRoutes } from "./resources/keys/routes";
import { meRoutes } from "./resources/me";
import { oidcRoutes } from "./resources/oidc/routes";
import { planRoutes } from "./resources/plans";
import { portalSessionRoutes } from "./resources/portal-sessions/routes";
import { sessionRoutes } from "./resources/sessions";
import { statsRoutes } from "./resources/stats/routes";
import { systemRoute } from "./resources/system";
import { usageRoutes } from "./resources/usage";
import { allDeliveriesRoute } from "./resources/webhooks/all-deliveries";
import { webhookRoutes } from "./resources/webhooks/routes";
import { SessionCookie } from "./session-cookie";

/** Builds the HTTP API; `serve` gives it a port. */
export function createApp(deps: Dependencies) {
  // With "standard" Elysia would search the path from the 11th character of the URL on, and a Host may be shorter.
  const handler = { standardHostname: false };
  const base = new Elysia({ name: "hermod", normalize: false, handler });
  identifyAnswers(base, deps);
  if (deps.config.corsOrigins.length > 0) allowOrigins(base, deps.config.corsOrigins);
  const failures = new FailureLog(deps);
  const app = base
    .decorate("call", null as Call | null)
    .onRequest(({ request }) => {
      const problem = hostProblem(request);
      if (problem !== null) throw badRequest(problem);
    })
    // Registered before the routes, because a hook covers only later routes.
    .onError(({ error, request, call, set }) => {
      const refusal = toApiError(error, request, failures);
      deps.meter?.refused(refusal.status, refusal.errorCode);
      return answerError(set, refusal, call);
    })
    .use(documentation(() => base.routes))
    .use(consolePages(deps.config))
    .use(healthRoutes(deps));
  const surroundings = {
    failures,
    addressOf: (request: Request) => app.server?.requestIP(request)?.address ?? "unknown",
    knownPaths: new KnownPaths(() => base.routes),
    operations: () => base.routes.flatMap(({ hooks }) => specOf(hooks?.detail) ?? []),
    cookie: new SessionCookie(deps.config.production),
    failedSignIns: new FailureLimit(deps.clock, FAILED_SIGN_INS_PER_MINUTE),
  };
  const { identityProvider } = deps;
  if (identityProvider && deps.config.console)
    app.use(oidcRoutes({ ...deps, ...surroundings, identityProvider }));
  return app.use(versionOne(deps, surroundings)).all("/*", ({ request, path }) => {
    throw surroundings.knownPaths.refusalOf(request.method, path);
  });
}

type AppParts = {
  failures: FailureLog;
  addressOf(request: Request): string;
  knownPaths: KnownPaths;
  /** Returns the declarations of all routes, once they exist. */
  operations(): OperationSpec[];
  cookie: SessionCookie;
  failedSignIns: FailureLimit;
};

function versionOne(deps: Dependencies, parts: AppParts) {
  const { failures, addressOf, knownPaths, operations, cookie, failedSignIns } = parts;
  const { authenticator, rateLimiter, clock, db, vault, meter } = deps;
  const guard = createGuard({
    authenticator,
    rateLimiter,
    failedAuthentications: new FailureLimit(clock, FAILURES_PER_MINUTE),
    failedSignIns,
    refusals: new FailureLimit(clock, REFUSALS_PER_MINUTE),
    cookie,
    deliveries: deps.deliveries,
    auditing: new Auditing({
      ...deps,
      nameOfKey: (id) => deps.apiKeys.nameOf(id),
    }),
    externalIds: {
      acc: (externalId) => deps.accounts.idOf(externalId),
      ep: (externalId, accountId) => deps.endpoints.idOf(accountId, externalId),
    },
    knownPaths,
    addressOf,
    meter,
    requestLog: deps.requestLog,
  });
  const idempotency = new Idempotency(db, vault);
  const posting = new Posting(db, idempotency);
  const nothingHere = ({ request, path }: { request: Request; path: string }) => {
    throw knownPaths.refusalOf(request.method, path);
  };
  return (
    new Elysia({ prefix: "/v1" })
      .use(guard)
      .use(endpointRoutes(guard, { ...deps, posting }))
      .use(webhookRoutes(guard, { ...deps, posting, idempotency, failures }))
      .use(eventRoutes(guard, { ...deps, idempotency, failures }))
      .use(backlogRoutes(guard, deps))
      .use(jobRoutes(guard, { ...deps, posting }))
      .use(statsRoutes(guard, deps))
      .use(usageRoutes(guard, deps))
      .use(catalogueRoutes(guard, { ...deps, posting }))
      .use(eventTypeRoutes(guard, { ...deps, posting }))
      .use(meRoutes(guard, deps))
      .use(auditRoutes(guard, { ...deps, operations }))
      .use(sessionRoutes(guard, { ...deps, cookie }))
      .use(portalSessionRoutes(guard, { ...deps, posting, cookie }))
      .use(keyRoutes(guard, { ...deps, posting }))
      .use(accountRoutes(guard, { ...deps, posting }))
      .use(planRoutes(guard, deps))
      .use(adminKeyRoutes(guard, { ...deps, posting }))
      .use(systemRoute(guard, deps))
      .use(allEndpointsRoute(guard, deps))
      .use(allDeliveriesRoute(guard, deps))
      .use(allEventsRoute(guard, deps))
      // Checks the key before it answers 404, so that strangers can't probe for paths.
      .all("", nothingHere, { operation: UNKNOWN_PATH })
      .all("/*", nothingHere, { operation: UNKNOWN_PATH })
  );
}
