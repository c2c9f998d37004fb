import { BasePath } from "../api/edge/base-path";
import { serve } from "../api/edge/serve";
import { basePathOf } from "../api/own-url";
import { SessionCookie } from "../api/session-cookie";
import { RequestRouter } from "../router/router";
import { systemClock, within } from "../runtime/clock";
import type { Log } from "../runtime/log";
import { connectionsWithin, openFilesLimit } from "../runtime/open-files";
import { openDirectory } from "./cells";
import type { Config } from "./config";

export type RunningRouter = Readonly<{ host: string; port: number; stop(): Promise<void> }>;

/** Starts a router, which has neither Postgres nor a stream. */
export async function startRouter(config: Config, log: Log): Promise<RunningRouter> {
  if (config.cells === null) throw new Error("a router needs cells");
  const { connection, directory } = openDirectory(config.cells, config, log);
  const basePath = new BasePath(basePathOf(config));
  const cookie = new SessionCookie(config.production, basePath.path);
  let isReady = false;
  connection.ready.then(
    () => {
      isReady = true;
    },
    // The connection logs its own failure.
    () => {},
  );
  const cells = config.cells.all;
  const router = new RequestRouter({ cells, directory, cookie, basePath, log, isReady: () => isReady });
  const connections = connectionsWithin(config.apiConnections, openFilesLimit());
  const server = serve(listenerOf(router), { ...config, limit: { connections, log } });
  const { host, port } = server;
  log.info({ host, port }, "router listening");
  const stop = async () => {
    await within(systemClock, config.drainTimeoutMs, server.stop());
    await server.close();
    await connection.close();
  };
  return { host, port, stop };
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
