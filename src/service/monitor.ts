import { type HttpServer, serve } from "../api/edge/serve";
import { serversReady } from "../api/health";
import { createMonitor, type MonitorOptions } from "../api/monitor";
import { readAllCounts } from "../deliveries/counts";
import type { Metrics } from "../metrics/metrics";
import { addProcessFigures } from "../metrics/process-figures";
import { recentStorage, type Storage } from "../retention/storage";
import type { Config } from "./config";
import type { Core } from "./core";
import { natsAnswers, postgresAnswers, readinessOf } from "./readiness";

const VARIABLES = { host: "HERMOD_METRICS_HOST", port: "HERMOD_METRICS_PORT" };

/** Most connections of monitoring systems and orchestrators. */
export const CONNECTIONS = 64;

/** Reading a figure may take this long. A scrape waits ten seconds for all figures. */
const LOOK_MS = 2_000;

/**
 * Adds the figures of the process to its metrics, and serves them and health on their own port. Null without a port.
 * `ownsFirst` is null without a dispatcher.
 */
export function startMonitor(core: Core, role: string, ownsFirst: (() => boolean) | null): HttpServer | null {
  const { metrics, clock } = core;
  if (metrics === null) return null;
  addProcessFigures(metrics, role);
  addSurroundings(metrics, core);
  addInstallation(metrics, core);
  if (ownsFirst !== null) addStorage(metrics, core, ownsFirst);
  return serveMonitor({
    ...core,
    metrics,
    ready: serversReady({ readiness: () => readinessOf(core), clock }),
  });
}

/** Serves metrics and health on their own port. Null without a port. */
export function serveMonitor({ config, ...options }: MonitorOptions & { config: Config }): HttpServer | null {
  const { metricsPort: port, metricsHost: host } = config;
  const { log } = options;
  if (port === null) return null;
  const app = createMonitor(options);
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
  metrics.gauge(
    { name: "hermod_postgres_writable", help: "0 while Postgres refuses writes: disk full or read-only." },
    () => Number(core.writability.isWritable),
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

/** Adds the settings that alerts compare figures with. */
function addInstallation(metrics: Metrics, { topology, config }: Core): void {
  metrics.gauge(
    { name: "hermod_partitions_configured", help: "Partitions of the installation: HERMOD_PARTITIONS." },
    () => topology.partitions,
  );
  metrics.gauge(
    { name: "hermod_retention_seconds", help: "How long deliveries are kept: HERMOD_RETENTION." },
    () => config.retentionMs / 1_000,
  );
}

/** Adds the figures of the storage. One process shows them: the owner of the first partition. */
function addStorage(metrics: Metrics, { queries, clock }: Core, ownsFirst: () => boolean): void {
  const read = recentStorage(queries, clock);
  const show = (name: string, help: string, figure: (storage: Storage) => number | null) =>
    metrics.gauge({ name, help }, async () => {
      const value = ownsFirst() ? figure(await read()) : null;
      if (value === null) throw new Error("another process shows it");
      return value;
    });
  show("hermod_storage_bytes", "Size of all tables with their indexes.", ({ bytes }) => bytes);
  show("hermod_files_bytes", "Size of the files with old deliveries.", ({ fileBytes }) => fileBytes);
  show(
    "hermod_oldest_range_seconds",
    "Age of the oldest time range of deliveries, from its start.",
    ({ oldestRange }) => (oldestRange === null ? null : (clock.now() - oldestRange) / 1_000),
  );
  show(
    "hermod_oldest_transaction_seconds",
    "Age of the oldest open transaction in the database.",
    ({ oldestTransactionMs }) => oldestTransactionMs / 1_000,
  );
}
