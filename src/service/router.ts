import { BasePath } from "../api/edge/base-path";
import { type HttpServer, serve } from "../api/edge/serve";
import { refuseUnknownParameters } from "../api/lists/query";
import { basePathOf } from "../api/own-url";
import { SessionCookie } from "../api/session-cookie";
import type { Metrics } from "../metrics/metrics";
import { addProcessFigures } from "../metrics/process-figures";
import { RouterMeter } from "../metrics/router-meter";
import { mostWaiting } from "../router/remote-cell";
import { RequestRouter } from "../router/router";
import { systemClock, within } from "../runtime/clock";
import type { Log } from "../runtime/log";
import { connectionsWithin, openFilesLimit, sentAtOnce } from "../runtime/open-files";
import type { StreamConnection } from "../stream/connection";
import { openDirectory } from "./cells";
import type { Config } from "./config";
import { createMetrics, exportMetrics } from "./measuring";
import { serveMonitor } from "./monitor";

export type RunningRouter = Readonly<{
  host: string;
  port: number;
  /** The port of metrics and health; null if it is not configured. */
  metricsPort: number | null;
  stop(): Promise<void>;
}>;

/** The last export of metrics may take this long after the time for requests. */
const LAST_EXPORT_MS = 1_000;

/** Starts a router, which has neither Postgres nor a stream. */
export async function startRouter(config: Config, log: Log): Promise<RunningRouter> {
  if (config.cells === null) throw new Error("a router needs cells");
  const cells = config.cells.all;
  const metrics = createMetrics(config);
  const { connection, directory } = openDirectory(config.cells, config, { metrics, log });
  const basePath = new BasePath(basePathOf(config));
  const cookie = new SessionCookie(config.production, basePath.path);
  const isReady = reached(connection);
  const names = cells.map(({ name }) => name);
  const meter = metrics && new RouterMeter(metrics, names);
  const clock = systemClock;
  const connections = connectionsWithin(config.apiConnections, openFilesLimit());
  const router = new RequestRouter({
    cells,
    directory,
    cookie,
    basePath,
    isReady,
    mostWaiting: mostWaiting(Math.min(connections, sentAtOnce())),
    meter,
    clock,
    log,
  });
  const listener = listenerOf(router);
  meter?.show(() => listener.server?.pendingRequests ?? 0);
  const monitor = metrics && startRouterMonitor(metrics, router, config, log);
  const metricExport = await exportMetrics(metrics, config, log);
  const server = serve(listener, { ...config, limit: { connections, log } });
  const { host, port } = server;
  log.info({ host, port }, "router listening");
  const stop = async () => {
    await within(clock, config.drainTimeoutMs, server.stop());
    await within(clock, LAST_EXPORT_MS, Promise.resolve(metricExport?.close()));
    await Promise.all([server.close(), monitor?.close()]);
    await connection.close();
  };
  return { host, port, metricsPort: monitor?.port ?? null, stop };
}

/** Returns whether a connection was ever made. */
function reached({ ready }: StreamConnection): () => boolean {
  let isReached = false;
  ready.then(
    () => {
      isReached = true;
    },
    // The connection logs its own failure.
    () => {},
  );
  return () => isReached;
}

/** Serves a router's metrics and health. Null without a port. */
function startRouterMonitor(
  metrics: Metrics,
  router: RequestRouter,
  config: Config,
  log: Log,
): HttpServer | null {
  addProcessFigures(metrics, "router");
  const ready = async ({ url }: Request) => {
    refuseUnknownParameters(url, []);
    return router.health("ready");
  };
  return serveMonitor({ metrics, ready, config, clock: systemClock, log });
}

/** Gives Bun's server the form that `serve` knows. */
function listenerOf(router: RequestRouter) {
  let server: Bun.Server<undefined> | null = null;
  return {
    get server() {
      return server;
    },
    listen: (options: object) => {
      server = Bun.serve({
        ...options,
        fetch: (request, socket) => router.handle(request, socket.requestIP(request)?.address ?? "unknown"),
      });
    },
  };
}
