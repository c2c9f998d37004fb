import { hasCode } from "../../runtime/errors";
import type { Log } from "../../runtime/log";
import type { Config } from "../../service/config";
import { internalError } from "../errors";
import { errorAnswer } from "../failure";
import { ClientSockets } from "./client-sockets";
import { boundsOf, ConnectionLimit } from "./connection-limit";

/**
 * Seconds without a request, or with a body slower than 16 KiB a second, until a connection is closed. Balancers reuse
 * connections for up to 60 or 75 s, and lose a request if we close one first. Bun itself gives a request's head 10 to
 * 12 s.
 */
export const IDLE_TIMEOUT_SECONDS = 90;

/** Error codes of a listen on an address that the machine does not have. */
const NO_ADDRESS = ["EAFNOSUPPORT", "EADDRNOTAVAIL"];

/**
 * Turns off Bun's own limit, which answers an empty 413 before any route runs. `readBody` counts bodies instead, and
 * Bun drops unread bodies as they arrive.
 */
const SERVER_BODY_LIMIT = Number.MAX_SAFE_INTEGER;

const VARIABLES = { host: "HOST", port: "PORT" };

/** The part of Elysia that can listen. */
type Listener = {
  listen(options: object): unknown;
  readonly server: { port?: number; stop(now: boolean): Promise<void> } | null;
};

export type ServeOptions = Pick<Config, "host" | "port"> & {
  /** Names of the variables that set host and port, for error messages. */
  variables?: Readonly<{ host: string; port: string }>;
  /** 90 by default. */
  idleTimeoutSeconds?: number;
  /** Limits the connections of clients. Without it only the idle timeout does. */
  limit?: { connections: number; log: Log };
};

export type HttpServer = {
  /** The address in use: `0.0.0.0` in place of `::` on a machine without IPv6. */
  host: string;
  /** The port in use; the assigned one if 0 was asked for. */
  port: number;
  /** Stops accepting connections, and resolves when the running requests are answered. */
  stop(): Promise<void>;
  /** Closes every connection at once. */
  close(): Promise<void>;
};

function lastResort(): Response {
  const { body, headers } = errorAnswer(internalError(), null);
  return new Response(body, { status: 500, headers: { ...headers, "x-request-id": crypto.randomUUID() } });
}

/** Listens for the app. Throws if the port is taken, or the host is not this machine's. */
export function serve(app: Listener, options: ServeOptions): HttpServer {
  const host = listen(app, options);
  const { server } = app;
  if (server === null) throw new Error("the HTTP server did not start");
  const port = server.port ?? options.port;
  const limit = options.limit ? limitConnections(port, options.limit) : null;
  return {
    host,
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
    log.info({ port }, "client connections are not limited; the limit needs Linux with glibc or musl");
    return null;
  }
  const limit = new ConnectionLimit(sockets, { port, bounds: boundsOf(connections), log });
  limit.start();
  return limit;
}

/** Returns the host that is listened on. */
function listen(
  app: Listener,
  { host, port, variables = VARIABLES, idleTimeoutSeconds = IDLE_TIMEOUT_SECONDS }: ServeOptions,
): string {
  const options = {
    hostname: host,
    port,
    // Otherwise two services that share a port by accident would each get a part of the requests.
    reusePort: false,
    // In development mode Bun's error page shows source code.
    development: false,
    idleTimeout: idleTimeoutSeconds,
    maxRequestBodySize: SERVER_BODY_LIMIT,
    // Handles what the app's own handler can't: a thrown value that is no object.
    error: lastResort,
  };
  try {
    return listenAnywhere(app, options);
  } catch (cause) {
    throw new Error(`${variables.host} ${host} with ${variables.port} ${port} can't be listened on`, {
      cause,
    });
  }
}

/** Listens on all IPv4 addresses if the machine has no IPv6 (`::`). */
function listenAnywhere(app: Listener, options: { hostname: string }): string {
  try {
    app.listen(options);
    return options.hostname;
  } catch (error) {
    if (options.hostname !== "::" || !hasCode(error, ...NO_ADDRESS)) throw error;
    app.listen({ ...options, hostname: "0.0.0.0" });
    return "0.0.0.0";
  }
}
