import { connect, DebugEvents, Events, type NatsConnection } from "nats";
import { describeError, type Log } from "../runtime/log";

/** How long a request waits for its answer, milliseconds. */
const REQUEST_TIMEOUT_MS = 5_000;
/** Half-open connections are found only by pings: two unanswered ones close the connection. */
const PING_INTERVAL_MS = 5_000;

/** A connection to NATS that never gives up; while it is away the service goes on from Postgres. */
export class StreamConnection {
  private connected = true;

  private constructor(
    readonly nats: NatsConnection,
    private readonly log: Log,
  ) {
    this.watch().catch((error) => log.error(describeError(error), "the watch over NATS ended"));
  }

  /** Waits for the first connection for as long as it takes. */
  static async open(url: string, log: Log): Promise<StreamConnection> {
    const nats = await connect({
      servers: url.split(","),
      name: "hermod",
      timeout: REQUEST_TIMEOUT_MS,
      pingInterval: PING_INTERVAL_MS,
      maxReconnectAttempts: -1,
      waitOnFirstConnect: true,
      reconnectTimeWait: 250,
      reconnectJitter: 100,
      ...credentialsOf(url),
    });
    return new StreamConnection(nats, log);
  }

  /** False while there is no server to talk to, as far as is known. */
  get isConnected(): boolean {
    return this.connected && !this.nats.isClosed();
  }

  /** True when the server answers now. */
  async ping(timeoutMs: number): Promise<boolean> {
    if (!this.isConnected) return false;
    const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), timeoutMs));
    return Promise.race([this.nats.flush().then(() => true), late]).catch(() => false);
  }

  async close(): Promise<void> {
    await this.nats.close();
  }

  private async watch(): Promise<void> {
    for await (const status of this.nats.status()) {
      if (status.type === Events.Disconnect) this.setConnected(false);
      if (status.type === Events.Reconnect) this.setConnected(true);
      if (status.type === DebugEvents.StaleConnection) this.setConnected(false);
    }
    this.connected = false;
  }

  private setConnected(connected: boolean): void {
    if (connected === this.connected) return;
    this.connected = connected;
    if (connected) this.log.info("NATS is back");
    else this.log.warn("NATS is away: deliveries go on from Postgres");
  }
}

// nats.js takes credentials as options, not from the address.
function credentialsOf(url: string): { user?: string; pass?: string; token?: string } {
  const first = url.split(",")[0] ?? "";
  if (!URL.canParse(first)) return {};
  const { username, password } = new URL(first);
  if (username && password) {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  }
  return username ? { token: decodeURIComponent(username) } : {};
}
