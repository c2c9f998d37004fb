import { readAllCounts } from "../deliveries/counts";
import { type HttpServer, serve } from "../http/edge/serve";
import { createMonitor } from "../http/monitor";
import type { Metrics } from "../metrics/metrics";
import { addProcessFigures } from "../metrics/process-figures";
import type { Core } from "./core";
import { natsAnswers, postgresAnswers, readinessOf } from "./readiness";

const VARIABLES = { host: "HERMOD_METRICS_HOST", port: "HERMOD_METRICS_PORT" };

/** Most connections of monitoring systems and orchestrators. */
export const CONNECTIONS = 64;

/** Reading a figure may take this long. A scrape waits ten seconds for all figures. */
const LOOK_MS = 2_000;

/** Adds the figures of the process to its metrics, and serves them and health on their own port. Null without a port. */
export function startMonitor(core: Core, role: string): HttpServer | null {
  const { metrics, log, clock } = core;
  const { metricsPort: port, metricsHost: host } = core.config;
  if (metrics === null) return null;
  addProcessFigures(metrics, role);
  addSurroundings(metrics, core);
  if (port === null) return null;
  const app = createMonitor({ metrics, readiness: () => readinessOf(core), clock, log });
  const limit = { connections: CONNECTIONS, log };
  const server = serve(app, { host, port, variables: VARIABLES, limit });
  log.info({ host: server.host, port: server.port }, "metrics and health endpoint listening");
  return server;
}

function addSurroundings(metrics: Metrics, core: Core): void {
  const { queries } = core;
  metrics.gauge({ name: "hermod_postgres_up", help: "1 while Postgres answers." }, async () =>
    Number(await postgresAnswers(core)),
  );
  metrics.gauge({ name: "hermod_nats_up", help: "1 while NATS answers." }, async () =>
    Number(await natsAnswers(core)),
  );
  metrics.gauge(
    {
      name: "hermod_deliveries_pending",
      help: "Pending deliveries of all accounts, the same at every process.",
    },
    async () => (await queries.run(readAllCounts, LOOK_MS)).pending,
  );
}
