import { connect, createServer, type Server, type Socket } from "node:net";

export type ForwardProxyOptions = {
  /** The whole answer to every request, in place of a tunnel. */
  refusal?: string;
  /** The required `user:password`. */
  credentials?: string;
  /** The hosts and ports to which it opens tunnels; all unless given. */
  allowed?: RegExp;
};

/**
 * An HTTP proxy: tunnels by CONNECT, and forwards requests with absolute URLs, whose Host header it takes from the URL
 * (RFC 9112, 3.2.2). Everything it connects to is on this machine.
 */
export class ForwardProxy {
  /** The head of every request. */
  readonly asked: string[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly options: ForwardProxyOptions,
  ) {}

  static async open(options: ForwardProxyOptions = {}): Promise<ForwardProxy> {
    const server = createServer();
    const proxy = new ForwardProxy(server, options);
    server.on("connection", (socket: Socket) => proxy.accept(socket));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  /** Host and port. */
  get address(): string {
    const address = this.server.address();
    return `127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  }

  /** The first line of every request. */
  get requestLines(): string[] {
    return this.asked.map((head) => head.split("\r\n")[0] ?? "");
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  private accept(socket: Socket): void {
    this.keep(socket);
    socket.once("data", (data) => this.serve(socket, Buffer.from(data)));
  }

  private serve(socket: Socket, data: Buffer): void {
    const text = data.toString("latin1");
    const head = text.slice(0, text.indexOf("\r\n\r\n"));
    this.asked.push(head);
    const refusal = this.options.refusal ?? this.loginRefusal(head);
    const [, tunnel] = /^CONNECT (\S+) /.exec(head) ?? [];
    const { allowed = /^/ } = this.options;
    if (refusal !== null) socket.end(refusal);
    else if (tunnel && !allowed.test(tunnel))
      socket.end("HTTP/1.1 403 Filtered\r\ncontent-length: 0\r\n\r\n");
    else if (tunnel) this.join(socket, tunnel, () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
    else this.forward(socket, text);
  }

  private forward(socket: Socket, text: string): void {
    const [, authority = "", path] = /^\w+ http:\/\/([^\s/]+)(\S*)/.exec(text) ?? [];
    const own = text.replace(/ \S+ /, ` ${path} `).replace(/^proxy-.*\r\n/gim, "");
    const forwarded = own.replace(/^host: .*\r\n/gim, `Host: ${authority}\r\n`);
    this.join(socket, authority, (receiver) => receiver.write(forwarded, "latin1"));
  }

  private loginRefusal(head: string): string | null {
    const { credentials } = this.options;
    if (credentials === undefined || head.includes(`Basic ${Buffer.from(credentials).toString("base64")}`))
      return null;
    return "HTTP/1.1 407 Who are you\r\ncontent-length: 8\r\n\r\ninternal";
  }

  private join(socket: Socket, authority: string, begin: (receiver: Socket) => void): void {
    const [host = "", port] = authority.split(":");
    const address = host.startsWith("127.") ? host : "127.0.0.1";
    const receiver = this.keep(connect(Number(port), address));
    receiver.on("connect", () => {
      begin(receiver);
      socket.pipe(receiver).pipe(socket);
    });
    receiver.on("error", () => socket.end("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n"));
  }

  private keep(socket: Socket): Socket {
    this.sockets.add(socket);
    socket.on("error", () => {});
    return socket.on("close", () => this.sockets.delete(socket));
  }
}
