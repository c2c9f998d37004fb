import { once } from "node:events";
import { createConnection, createServer, type Server, type Socket } from "node:net";

type Pair = { client: Socket; server: Socket };

/** Forwards connections to a server, and fails the way networks do. */
export class TcpProxy {
  private readonly listener: Server;
  private readonly pairs = new Set<Pair>();
  private readonly readers = new Set<(bytes: Buffer) => void>();
  private mode: "open" | "stalled" | "closed" = "open";

  private constructor(
    private readonly host: string,
    private readonly port: number,
  ) {
    this.listener = createServer((client) => this.accept(client));
  }

  /** Opens a proxy to the server of this URL. */
  static async to(url: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(url);
    const proxy = new TcpProxy(hostname, Number(port));
    proxy.listener.listen(0, "127.0.0.1");
    await once(proxy.listener, "listening");
    return proxy;
  }

  /** Returns the URL with this proxy's address. */
  urlFor(url: string): string {
    const address = this.listener.address();
    if (address === null || typeof address === "string") throw new Error("the proxy does not listen");
    const through = new URL(url);
    through.host = `127.0.0.1:${address.port}`;
    return through.href;
  }

  /** Resolves once a client sends a matching chunk, before the server can answer it. */
  async untilSent(pattern: RegExp): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const read = (bytes: Buffer) => pattern.test(bytes.toString("latin1")) && resolve();
    this.readers.add(read);
    await promise;
    this.readers.delete(read);
  }

  /** Resets every connection. New ones get through. */
  cut(): void {
    for (const { client, server } of this.pairs) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  }

  /** Resets every connection, and each new one too. */
  close(): void {
    this.mode = "closed";
    this.cut();
  }

  /** Keeps connections and accepts new ones, but passes nothing in either direction. */
  stall(): void {
    this.mode = "stalled";
    for (const { client, server } of this.pairs) {
      client.pause();
      server.pause();
    }
  }

  /** Drops the server's side silently: clients still send, and are never answered. */
  halfOpen(): void {
    this.mode = "stalled";
    for (const { client, server } of this.pairs) {
      server.destroy();
      client.unpipe(server);
      client.resume();
    }
  }

  /** Passes everything again, also what was stalled. */
  open(): void {
    this.mode = "open";
    for (const { client, server } of this.pairs) {
      if (server.destroyed) client.resetAndDestroy();
      client.resume();
      server.resume();
    }
  }

  async end(): Promise<void> {
    this.close();
    this.listener.close();
    await once(this.listener, "close");
  }

  private accept(client: Socket): void {
    if (this.mode === "closed") return void client.resetAndDestroy();
    const server = createConnection({ host: this.host, port: this.port });
    const pair = { client, server };
    this.pairs.add(pair);
    client.setNoDelay(true);
    server.setNoDelay(true);
    client.on("data", (bytes: Buffer) => {
      for (const read of this.readers) read(bytes);
    });
    client.pipe(server);
    server.pipe(client);
    if (this.mode === "stalled") {
      client.pause();
      server.pause();
    }
    this.link(pair);
  }

  // A side that ends takes the other with it, except in a half-open pair, whose client must not learn of it.
  private link(pair: Pair): void {
    const { client, server } = pair;
    for (const socket of [client, server]) socket.on("error", () => {});
    client.on("close", () => {
      server.destroy();
      this.pairs.delete(pair);
    });
    server.on("close", () => {
      if (this.mode !== "stalled") client.destroy();
    });
  }
}
