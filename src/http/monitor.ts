import { Elysia } from "elysia";
import type { Metrics } from "../metrics/metrics";
import type { Log } from "../runtime/log";
import { notFound } from "./errors";
import { answerError, toApiError } from "./failure";
import { type HealthOptions, healthRoutes } from "./health";

export type MonitorOptions = HealthOptions & { metrics: Pick<Metrics, "contentType" | "text">; log: Log };

/** For who watches over a process of any role; needs no key, so it has a port of its own that stays inside. */
export function createMonitor({ metrics, readiness, clock, log }: MonitorOptions) {
  return new Elysia({ name: "monitor" })
    .onError(({ error, set }) => answerError(set, toApiError(error, log), null))
    .use(healthRoutes({ readiness, clock }))
    .get("/metrics", async () => {
      const headers = { "content-type": metrics.contentType, "cache-control": "no-store" };
      return new Response(await metrics.text(), { headers });
    })
    .all("/*", () => {
      throw notFound("There is nothing at this path");
    });
}
