import { hasCode } from "../../runtime/errors";
import type { Log } from "../../runtime/log";
import { internalError } from "../errors";
import { errorAnswer } from "../failure";
import { ClientSockets } from "./client-sockets";
import { boundsOf, ConnectionLimit } from "./connection-limit";

/**
 * A connection is closed after this many seconds without a request, or with a body slower than 16 KiB per second. Balancers reuse
 * connections for up to 60 or 75 s, and lose a request if we close one first. Bun itself closes a connection if a request's head
 * takes longer than 10 to 12 s.
 */
export const IDLE_TIMEOUT_SECONDS = 90;

/** Error codes of a listen on an address that the machine does not have. */
const NO_ADDRESS = ["EAFNOSUPPORT", "EADDRNOTAVAIL"];

/**
 * Turns off Bun's own limit, which answers an empty 413 before any route runs. `readBody` limits bodies instead, and Bun drops
 * unread bodies as they arrive.
 */
const SERVER_BODY_LIMIT = Number.MAX_SAFE_INTEGER;

const VARIABLES = { host: "HOST", port: "PORT" };

/** The part of Elysia that can listen. */
type Listener = {
  listen(options: object): unknown;
  readonly server: { port?: number; stop(now: boolean): Promise<void> } | null;
};

export type ServeOptions = {
  host: string;
  /** 0 for a free port. */
  port: number;
  /** Names of the variables that set host and port, for error messages. */
  variables?: Readonly<{ host: string; port: string }>;
  /** `IDLE_TIMEOUT_SECONDS` by default. */
  idleTimeoutSeconds?: number;
  /** Limits the connections of clients. Without it only the idle timeout limits them. */
  limit?: { connections: number; log: Log };
};

export type HttpServer = {
  /** The address in use: `0.0.0.0` in place of `::` on a machine without IPv6. */
  host: string;
  /** The port in use; an assigned port if 0 was configured. */
  port: number;
  /** Stops accepting connections. Resolves once the running requests are answered. */
  stop(): Promise<void>;
  /** Closes every connection at once. */
  close(): Promise<void>;
};

function lastResort(): Response {
  const { body, headers } = errorAnswer(internalError(), null);
  return new Response(body, { status: 500, headers: { ...headers, "x-request-id": crypto.randomUUID() } });
}

/** Listens for the app. Throws if the port is taken, or the host is no address of this machine. */
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

/** Listens, and returns the host in use. */
function listen(
  app: Listener,
  { host, port, variables = VARIABLES, idleTimeoutSeconds = IDLE_TIMEOUT_SECONDS }: ServeOptions,
): string {
  const options = {
    hostname: host,
    port,
    // Otherwise two services that share a port by accident would each get a part of the requests.
    reusePort: false,
    // In development mode Bun's error page would show source code.
    development: false,
    idleTimeout: idleTimeoutSeconds,
    maxRequestBodySize: SERVER_BODY_LIMIT,
    // Handles a thrown value that is no object, which the app's own handler can't handle.
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
