import { Elysia } from "elysia";
import type { Metrics } from "../metrics/metrics";
import type { Clock } from "../runtime/clock";
import type { Log } from "../runtime/log";
import { identifyAnswers } from "./edge/answering";
import { KnownPaths } from "./edge/known-paths";
import { answerError, toApiError } from "./failure";
import { FailureLog } from "./failure-log";
import { healthRoutes, type ReadyCheck } from "./health";

export type MonitorOptions = { metrics: Pick<Metrics, "write">; ready: ReadyCheck; clock: Clock; log: Log };

/**
 * Serves metrics and health of a process with any role. Needs no key, so it has a port of its own for the internal network.
 */
export function createMonitor({ metrics, ready, clock, log }: MonitorOptions) {
  const failures = new FailureLog({ log, clock });
  const app = new Elysia({ name: "monitor" });
  identifyAnswers(app, { clock, requestLog: null, tracing: null });
  const knownPaths = new KnownPaths(() => app.routes);
  return app
    .onError(({ error, request, set }) => answerError(set, toApiError(error, request, failures), null))
    .use(healthRoutes(ready))
    .get("/metrics", async ({ request }) => {
      const wantsOpen = request.headers.get("accept")?.includes("application/openmetrics-text");
      const { contentType, text } = await metrics.write(wantsOpen ? "openmetrics" : "text");
      const headers = { "content-type": contentType, "cache-control": "no-store", vary: "accept" };
      return new Response(text, { headers });
    })
    .all("/*", ({ request, path }) => {
      throw knownPaths.refusalOf(request.method, path);
    });
}
