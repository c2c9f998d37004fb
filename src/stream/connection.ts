import { readFileSync } from "node:fs";
import {
  type Authenticator,
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  DebugEvents,
  Events,
  type NatsConnection,
} from "nats";
import { systemClock, within } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";

/** A request without an answer fails after this time. */
const REQUEST_TIMEOUT_MS = 5_000;
/** Time between pings, which find half-open connections: two unanswered pings close the connection. */
const PING_INTERVAL_MS = 5_000;
/** If the first connection takes longer, the log gets a warning. */
const FIRST_CONNECT_MS = 2_000;

/** What the log says of a connection's outages. */
export type ConnectionWords = Readonly<{ unusable: string; lost: string; regained: string }>;

const OF_DELIVERIES: ConnectionWords = {
  unusable:
    "could not connect to NATS; deliveries continue from Postgres: check NATS_URL and its credentials",
  lost: "NATS is unreachable, or refuses Hermod: deliveries continue from Postgres",
  regained: "NATS is back",
};

/**
 * Connects to NATS and reconnects for ever, also if the first try fails. Nothing waits for the connection: without it the
 * service delivers from Postgres.
 */
export class StreamConnection {
  /** Resolves with the client at the first connection. Later connections are in `live`. */
  readonly ready: Promise<NatsConnection>;
  private nats: NatsConnection | null = null;
  private connected = false;
  private closed = false;
  /** True from the logged warning that NATS is unreachable until the line that it is back. */
  private isOutageLogged = false;
  private readonly regainListeners: (() => void)[] = [];

  constructor(
    url: string,
    private readonly log: Log,
    credentialsFile: string | null = null,
    private readonly words = OF_DELIVERIES,
  ) {
    this.ready = connect({
      ...natsOptions(url, credentialsFile),
      name: "hermod",
      // A process passes its own messages on in memory.
      noEcho: true,
      timeout: REQUEST_TIMEOUT_MS,
      pingInterval: PING_INTERVAL_MS,
      maxReconnectAttempts: -1,
      waitOnFirstConnect: true,
      // A server may refuse the credentials for a moment while its accounts are being changed.
      ignoreAuthErrorAbort: true,
      reconnectTimeWait: 250,
      reconnectJitter: 100,
    }).then((nats) => {
      this.begin(nats);
      return nats;
    });
    const late = setTimeout(() => this.lose(), FIRST_CONNECT_MS);
    this.ready
      .catch((error) => log.error(describeError(error), this.words.unusable))
      .finally(() => clearTimeout(late));
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** The client, or null while the connection is known to be lost. */
  get live(): NatsConnection | null {
    return this.connected && this.nats && !this.nats.isClosed() ? this.nats : null;
  }

  /** Calls `listener` whenever NATS is back. Messages that others published meanwhile may be lost. */
  onRegained(listener: () => void): void {
    this.regainListeners.push(listener);
  }

  /** Resolves to true if the server answers within `timeoutMs`. */
  async answers(timeoutMs: number): Promise<boolean> {
    if (!this.live) return false;
    return within(systemClock, timeoutMs, this.live.flush()).catch(() => false);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.nats?.close();
  }

  private begin(nats: NatsConnection): void {
    this.nats = nats;
    this.regain();
    if (this.closed) nats.close();
    else
      this.watch(nats).catch((error) =>
        this.log.error(
          describeError(error),
          "could not follow the state of the NATS connection: its outages are no longer logged",
        ),
      );
  }

  private async watch(nats: NatsConnection): Promise<void> {
    for await (const status of nats.status()) {
      if (status.type === Events.Disconnect || status.type === DebugEvents.StaleConnection) this.lose();
      else if (status.type === Events.Reconnect) this.regain();
    }
    this.connected = false;
  }

  private lose(): void {
    this.connected = false;
    if (this.isOutageLogged || this.closed) return;
    this.isOutageLogged = true;
    this.log.warn(this.words.lost);
  }

  private regain(): void {
    this.connected = true;
    // After refusals the client reports a reconnect several times, once for each refusal.
    if (!this.isOutageLogged) return;
    this.isOutageLogged = false;
    if (!this.closed) this.log.info(this.words.regained);
    for (const listener of this.regainListeners) listener();
  }
}

/** Returns the servers of NATS_URL, and the credentials for them. */
export function natsOptions(url: string, credentialsFile: string | null): ConnectionOptions {
  return { ...serversOf(url), ...(credentialsFile && { authenticator: credentialsIn(credentialsFile) }) };
}

// Moves credentials and TLS from the addresses to options: nats.js ignores them in addresses.
function serversOf(url: string): Pick<ConnectionOptions, "servers" | "user" | "pass" | "token" | "tls"> {
  const addresses = url.split(",").map((text) => ({ text: text.trim(), parsed: URL.parse(text.trim()) }));
  const servers = addresses.map(({ text, parsed }) => parsed?.host || text);
  const credentials = credentialsOf(addresses[0]?.parsed ?? null);
  // TLS for one server means TLS for all. Otherwise a server without TLS would get everything unencrypted.
  const isSecure = addresses.some(({ parsed }) => parsed?.protocol === "tls:");
  return isSecure ? { servers, ...credentials, tls: {} } : { servers, ...credentials };
}

function credentialsOf(first: URL | null): Pick<ConnectionOptions, "user" | "pass" | "token"> {
  const user = decodeURIComponent(first?.username ?? "");
  const pass = decodeURIComponent(first?.password ?? "");
  if (user && pass) return { user, pass };
  return user ? { token: user } : {};
}

/**
 * Authenticates with a credentials file of NATS' own tools, which holds a JWT and its seed. Reads the file again at every
 * connection, since JWTs expire and files are renewed. If it can't be read then, uses the last content. Throws if the file
 * can't be read now.
 */
export function credentialsIn(file: string): Authenticator {
  let known = read(file);
  return credsAuthenticator(() => {
    try {
      known = read(file);
    } catch {
      // The file is being written, or gone. The server decides whether the last credentials are still valid.
    }
    return known;
  });
}

function read(file: string): Uint8Array {
  const text = readFileSync(file);
  try {
    credsAuthenticator(text)("any");
  } catch {
    throw new Error(`${file} has no JWT and seed`);
  }
  return text;
}
