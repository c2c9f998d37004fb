import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";

/** One request as it arrived. */
export type Received = { head: string; body: string; socket: Socket };

export type ReceiverOptions = {
  /** Called for each complete request; `count` begins at 1. */
  onRequest?(request: Received, count: number): void;
  /** Called for each new connection. */
  onConnection?(socket: Socket): void;
  tls?: TlsOptions;
  host?: string;
  /** A free port unless given. */
  port?: number;
};

/** A server on a raw socket, whose behaviour, right or wrong, the test decides. */
export class Receiver {
  readonly requests: Received[] = [];
  /** Number of connections made so far. */
  connections = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly options: ReceiverOptions,
  ) {}

  static async open(options: ReceiverOptions = {}): Promise<Receiver> {
    const server = options.tls ? createTlsServer(options.tls) : createServer();
    const receiver = new Receiver(server, options);
    server.on(options.tls ? "secureConnection" : "connection", (socket: Socket) => receiver.accept(socket));
    await new Promise<void>((resolve) =>
      server.listen(options.port ?? 0, options.host ?? "127.0.0.1", resolve),
    );
    return receiver;
  }

  /** Answers every request with these bytes. */
  static answering(...answers: string[]): Promise<Receiver> {
    return Receiver.open({
      onRequest: ({ socket }, count) => socket.write(answers[Math.min(count, answers.length) - 1] ?? ""),
    });
  }

  get port(): number {
    const address = this.server.address();
    return typeof address === "object" && address ? address.port : 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** Number of open connections. */
  get open(): number {
    return this.sockets.size;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  private accept(socket: Socket): void {
    this.connections++;
    this.sockets.add(socket);
    socket.on("close", () => this.sockets.delete(socket));
    socket.on("error", () => {});
    this.options.onConnection?.(socket);
    let pending = "";
    socket.on("data", (chunk) => {
      pending = this.take(pending + chunk.toString("latin1"), socket);
    });
  }

  private take(text: string, socket: Socket): string {
    const end = text.indexOf("\r\n\r\n");
    if (end < 0) return text;
    const head = text.slice(0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (text.length < end + 4 + length) return text;
    const request = { head, body: text.slice(end + 4, end + 4 + length), socket };
    this.requests.push(request);
    this.options.onRequest?.(request, this.requests.length);
    return this.take(text.slice(end + 4 + length), socket);
  }
}

/** An answer with a body and its length. */
export function answer(status: number, body = "", headers: Record<string, string> = {}): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} X\r\n${lines.join("")}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
