import type { Config } from "../config";
import { hasCode } from "../runtime/errno";
import type { Log } from "../runtime/log";
import { ClientSockets } from "./client-sockets";
import { boundsOf, ConnectionLimit } from "./connection-limit";
import { internalError } from "./errors";
import { errorAnswer } from "./failure";

/**
 * Closes a connection after this many seconds without a request, or while a body is awaited that comes slower than 16 KiB a
 * second. Balancers reuse connections for up to 60 s, or 75: one that we closed first costs a request. A request's head has
 * 10 to 12 s, by Bun.
 */
export const IDLE_TIMEOUT_SECONDS = 90;

/** Codes of a listen that failed since the machine has no such address. */
const NO_ADDRESS = ["EAFNOSUPPORT", "EADDRNOTAVAIL"];

/**
 * Turns Bun's own limit off: it answers an empty 413 before any route sees the request. `readBody` counts bodies instead, and
 * Bun drops a body that is not read as it arrives.
 */
const SERVER_BODY_LIMIT = Number.MAX_SAFE_INTEGER;

const VARIABLES = { host: "HOST", port: "PORT" };

/** The part of Elysia that takes a port. */
type Listener = {
  listen(options: object): unknown;
  readonly server: { port?: number; stop(now: boolean): Promise<void> } | null;
};

export type ServeOptions = Pick<Config, "host" | "port"> & {
  /** The variables that set host and port, for errors. */
  variables?: Readonly<{ host: string; port: string }>;
  /** 90 unless given. */
  idleTimeoutSeconds?: number;
  /** Limits the connections of clients. Without it only time does. */
  limit?: { connections: number; log: Log };
};

export type HttpServer = {
  /** The port in use, also when 0 was asked for. */
  port: number;
  /** Takes no new connection and resolves when the requests under way are answered. */
  stop(): Promise<void>;
  /** Cuts every connection. */
  close(): Promise<void>;
};

function lastResort(): Response {
  const { body, headers } = errorAnswer(internalError(null), null);
  return new Response(body, { status: 500, headers });
}

/** Gives the app a port. Throws when it is taken, or the host is none of this machine's. */
export function serve(app: Listener, options: ServeOptions): HttpServer {
  listen(app, options);
  const { server } = app;
  if (server === null) throw new Error("the HTTP server did not start");
  const port = server.port ?? options.port;
  const limit = options.limit ? limitConnections(port, options.limit) : null;
  return {
    port,
    stop: async () => server.stop(false),
    close: async () => {
      await Promise.all([server.stop(true), limit?.stop()]);
    },
  };
}

function limitConnections(port: number, { connections, log }: { connections: number; log: Log }) {
  const sockets = ClientSockets.open();
  if (sockets === null) {
    log.info({ port }, "connections of clients are not limited: the C library of Linux is needed for that");
    return null;
  }
  const limit = new ConnectionLimit(sockets, { port, bounds: boundsOf(connections), log });
  limit.start();
  return limit;
}

function listen(
  app: Listener,
  { host, port, variables = VARIABLES, idleTimeoutSeconds = IDLE_TIMEOUT_SECONDS }: ServeOptions,
): void {
  const options = {
    hostname: host,
    port,
    // Two services that share a port by accident would each get a part of the requests.
    reusePort: false,
    // In development Bun answers errors with a page that shows source code.
    development: false,
    idleTimeout: idleTimeoutSeconds,
    maxRequestBodySize: SERVER_BODY_LIMIT,
    // For what the app's own handler can't take: a thrown value that is no object.
    error: lastResort,
  };
  try {
    listenAnywhere(app, options);
  } catch (cause) {
    throw new Error(`${variables.host} ${host} with ${variables.port} ${port} can't be listened on`, {
      cause,
    });
  }
}

/** Takes every IPv4 address instead of `::`, every address, on a machine without IPv6. */
function listenAnywhere(app: Listener, options: { hostname: string }): void {
  try {
    app.listen(options);
  } catch (error) {
    if (options.hostname !== "::" || !hasCode(error, ...NO_ADDRESS)) throw error;
    app.listen({ ...options, hostname: "0.0.0.0" });
  }
}
