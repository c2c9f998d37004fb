import { connect, createServer, type Server, type Socket } from "node:net";

/** Routes each connection to a backend by the Host of its first request, as a TCP load balancer may. */
export class HostRouter {
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  /** `ports`: the backend's port by host name. */
  static async open(ports: Readonly<Record<string, number>>): Promise<HostRouter> {
    const server = createServer();
    const router = new HostRouter(server);
    server.on("connection", (socket: Socket) => router.accept(socket, ports));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return router;
  }

  get port(): number {
    const address = this.server.address();
    return typeof address === "object" && address ? address.port : 0;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  private accept(socket: Socket, ports: Readonly<Record<string, number>>): void {
    this.keep(socket);
    let head = "";
    const route = (bytes: Buffer) => {
      head += bytes.toString("latin1");
      const host = /\r\nhost: ([^:\r]+)/i.exec(head)?.[1];
      if (host === undefined) return;
      socket.off("data", route);
      const backend = this.keep(connect(ports[host] ?? 0, "127.0.0.1"));
      backend.write(head, "latin1");
      socket.pipe(backend).pipe(socket);
    };
    socket.on("data", route);
  }

  private keep(socket: Socket): Socket {
    this.sockets.add(socket);
    socket.on("error", () => {});
    return socket.on("close", () => this.sockets.delete(socket));
  }
}
