import { Elysia } from "elysia";
import { Auditing } from "../api/auditing";
import type { Call } from "../api/call";
import { consolePages } from "../api/console/routes";
import type { Dependencies } from "../api/dependencies";
import { identifyAnswers } from "../api/edge/answering";
import { BasePath } from "../api/edge/base-path";
import { allowOrigins } from "../api/edge/cors";
import {
  FAILED_SIGN_INS_PER_MINUTE,
  FAILURES_PER_MINUTE,
  FailureLimit,
  REFUSALS_PER_MINUTE,
} from "../api/edge/failure-limit";
import { timeFiles } from "../api/edge/files-timing";
import { KnownPaths } from "../api/edge/known-paths";
import { hostProblem } from "../api/edge/request-head";
import { TrustedProxies } from "../api/edge/trusted-proxies";
import { badRequest } from "../api/errors";
import { answerError, toApiError } from "../api/failure";
import { FailureLog } from "../api/failure-log";
import { createGuard } from "../api/guard";
import { healthRoutes, serversReady } from "../api/health";
import { Idempotency } from "../api/idempotency/idempotency";
import { Misdirection } from "../api/misdirection";
import { documentation } from "../api/openapi/document";
import { type OperationSpec, specOf, UNKNOWN_PATH } from "../api/openapi/operation";
import { basePathOf } from "../api/own-url";
import { Posting } from "../api/posting";
import { SessionCookie } from "../api/session-cookie";
import { Visitors } from "../api/visitors";
import { accountRoutes } from "./accounts/routes";
import { auditRoutes } from "./audit/routes";
import { backlogRoutes } from "./backlog";
import { catalogueRoutes, installationCatalogueRoutes } from "./catalogue/routes";
import { cellRoutes } from "./cells";
import { endpointLogRoutes } from "./endpoint-log/routes";
import { FOUND_PROBLEMS_PER_MINUTE } from "./endpoints/address-check";
import { allEndpointsRoute } from "./endpoints/all-endpoints";
import { CERTIFICATIONS_PER_MINUTE } from "./endpoints/certification";
import { endpointRoutes } from "./endpoints/routes";
import { installationTypeRoutes } from "./event-types/installation-routes";
import { eventTypeRoutes } from "./event-types/routes";
import { WRITTEN_CODE_PER_MINUTE } from "./event-types/type-code";
import { allEventsRoute } from "./events/all-events";
import { eventRoutes } from "./events/routes";
import { jobRoutes } from "./jobs/routes";
import { adminKeyRoutes, keyRoutes } from "./keys/routes";
import { meRoutes } from "./me";
import { oidcRoutes } from "./oidc/routes";
import { planRoutes } from "./plans";
import { portalSessionRoutes } from "./portal-sessions/routes";
import { receiverKeyRoutes } from "./receiver-keys/routes";
import { sessionRoutes } from "./sessions";
import { statsRoutes } from "./stats/routes";
import { systemRoute } from "./system";
import { usageRoutes } from "./usage";
import { allDeliveriesRoute } from "./webhooks/all-deliveries";
import { webhookRoutes } from "./webhooks/routes";

/** Builds the HTTP API; `serve` gives it a port. */
export function createApp(deps: Dependencies) {
  // With "standard" Elysia would search the path from the 11th character of the URL on, and a Host may be shorter.
  const handler = { standardHostname: false };
  const base = new Elysia({ name: "hermod", normalize: false, handler });
  const basePath = new BasePath(basePathOf(deps.config));
  if (basePath.path !== "") base.wrap((handle) => (request: Request) => handle(basePath.strip(request)));
  identifyAnswers(base, deps);
  if (deps.thawing !== null) timeFiles(base);
  if (deps.config.corsOrigins.length > 0) allowOrigins(base, deps.config.corsOrigins);
  const failures = new FailureLog(deps);
  const cookie = new SessionCookie(deps.config.production, basePath.path);
  const proxies = new TrustedProxies(deps.config.trustedProxies);
  const misdirection = new Misdirection(deps.cell, cookie);
  const app = base
    .decorate("call", null as Call | null)
    .onRequest(({ request }) => {
      const problem = hostProblem(request);
      if (problem !== null) throw badRequest(problem);
    })
    // Registered before the routes, because a hook covers only later routes.
    .onError(async ({ error, request, call, set }) => {
      const refusal = toApiError(await misdirection.insteadOf(error, request), request, failures);
      deps.meter?.refused(refusal.status, refusal.errorCode);
      return answerError(set, refusal, call);
    })
    .use(documentation(() => base.routes, basePath.path))
    .use(consolePages(deps.config))
    .use(healthRoutes(serversReady(deps)));
  const shared = {
    failures,
    addressOf: (request: Request) => {
      const peer = app.server?.requestIP(basePath.original(request))?.address ?? "unknown";
      return proxies.clientOf(peer, request.headers.get("x-forwarded-for"));
    },
    knownPaths: new KnownPaths(() => base.routes),
    operations: () => base.routes.flatMap(({ hooks }) => specOf(hooks?.detail) ?? []),
    cookie,
    failedSignIns: new FailureLimit(deps.clock, FAILED_SIGN_INS_PER_MINUTE),
  };
  const { identityProvider } = deps;
  if (identityProvider && deps.config.console) app.use(oidcRoutes({ ...deps, ...shared, identityProvider }));
  return app.use(versionOne(deps, shared)).all("/*", ({ request, path }) => {
    throw shared.knownPaths.refusalOf(request.method, path);
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
  const failedAuthentications = new FailureLimit(clock, FAILURES_PER_MINUTE);
  const guard = createGuard({
    authenticator,
    visitors: new Visitors({ vouching: deps.vouching, failedAuthentications, addressOf }),
    rateLimiter,
    failedAuthentications,
    failedSignIns,
    refusals: new FailureLimit(clock, REFUSALS_PER_MINUTE),
    cookie,
    deliveries: deps.deliveries,
    endpoints: deps.endpoints,
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
      .use(
        endpointRoutes(guard, {
          ...deps,
          posting,
          addressProblems: new FailureLimit(clock, FOUND_PROBLEMS_PER_MINUTE),
          certifications: new FailureLimit(clock, CERTIFICATIONS_PER_MINUTE),
        }),
      )
      .use(endpointLogRoutes(guard, deps))
      .use(receiverKeyRoutes(guard, { ...deps, posting }))
      .use(webhookRoutes(guard, { ...deps, posting, idempotency, failures }))
      .use(eventRoutes(guard, { ...deps, idempotency, failures }))
      .use(backlogRoutes(guard, deps))
      .use(jobRoutes(guard, { ...deps, posting }))
      .use(statsRoutes(guard, deps))
      .use(usageRoutes(guard, deps))
      .use(catalogueRoutes(guard, { ...deps, posting }))
      .use(
        eventTypeRoutes(guard, {
          ...deps,
          posting,
          writtenCode: new FailureLimit(clock, WRITTEN_CODE_PER_MINUTE),
        }),
      )
      .use(installationCatalogueRoutes(guard, { ...deps, posting }))
      .use(installationTypeRoutes(guard, deps))
      .use(meRoutes(guard, deps))
      .use(auditRoutes(guard, { ...deps, operations }))
      .use(sessionRoutes(guard, { ...deps, cookie }))
      .use(portalSessionRoutes(guard, { ...deps, posting, cookie }))
      .use(keyRoutes(guard, { ...deps, posting }))
      .use(accountRoutes(guard, { ...deps, posting }))
      .use(planRoutes(guard, deps))
      .use(adminKeyRoutes(guard, { ...deps, posting }))
      .use(systemRoute(guard, deps))
      .use(cellRoutes(guard, deps))
      .use(allEndpointsRoute(guard, deps))
      .use(allDeliveriesRoute(guard, deps))
      .use(allEventsRoute(guard, deps))
      // Checks the key before it answers 404, so that strangers can't probe for paths.
      .all("", nothingHere, { operation: UNKNOWN_PATH })
      .all("/*", nothingHere, { operation: UNKNOWN_PATH })
  );
}
