import { connect, createServer, type Server, type Socket } from "node:net";

export type SlowRelayOptions = {
  /** Delay of each byte in each direction, in milliseconds. */
  delayMs?: number;
  /** Most bytes per round trip in each direction. */
  window?: number;
};

/** Relays connections to a local port like a long, narrow link. */
export class SlowRelay {
  /** Number of writes that arrived after the other end had closed the connection. */
  late = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly options: Required<SlowRelayOptions>,
  ) {}

  static async open(port: number, options: SlowRelayOptions = {}): Promise<SlowRelay> {
    const server = createServer({ allowHalfOpen: true });
    const relay = new SlowRelay(server, { delayMs: 40, window: 131_072, ...options });
    server.on("connection", (socket: Socket) => relay.accept(socket, port));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return relay;
  }

  get port(): number {
    const address = this.server.address();
    return typeof address === "object" && address ? address.port : 0;
  }

  /** Number of open connections. */
  get open(): number {
    return this.sockets.size / 2;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  private accept(near: Socket, port: number): void {
    const far = connect({ host: "127.0.0.1", port, allowHalfOpen: true, noDelay: true });
    near.setNoDelay();
    this.carry(near, far);
    this.carry(far, near);
  }

  private carry(from: Socket, to: Socket): void {
    this.sockets.add(from);
    const lane = new Direction(from, to, this.options, () => this.late++);
    from.on("data", (bytes: Buffer) => lane.take(bytes));
    from.on("end", () => lane.end());
    // A reset overtakes no bytes, but drops those that were not read here.
    from.on("error", () => setTimeout(() => to.resetAndDestroy(), this.options.delayMs));
    from.on("close", () => this.sockets.delete(from));
  }
}

/** One direction of a connection. Each byte arrives late, at most `window` bytes per round trip. */
class Direction {
  private waiting = Buffer.alloc(0);
  private room: number;
  private hasEnded = false;

  constructor(
    private readonly from: Socket,
    private readonly to: Socket,
    private readonly options: Required<SlowRelayOptions>,
    private readonly onLate: () => void,
  ) {
    this.room = options.window;
  }

  take(bytes: Buffer): void {
    this.waiting = Buffer.concat([this.waiting, bytes]);
    this.send();
  }

  end(): void {
    this.hasEnded = true;
    this.send();
  }

  private send(): void {
    const { window, delayMs } = this.options;
    const bytes = this.waiting.subarray(0, this.room);
    this.waiting = this.waiting.subarray(bytes.length);
    this.room -= bytes.length;
    if (bytes.length > 0) {
      setTimeout(() => this.arrive(bytes), delayMs);
      setTimeout(() => this.regain(bytes.length), 2 * delayMs);
    }
    if (this.waiting.length > 0) this.from.pause();
    else if (this.hasEnded) setTimeout(() => this.to.end(), delayMs);
    else if (this.room > window / 2) this.from.resume();
  }

  private arrive(bytes: Buffer): void {
    if (this.to.readableEnded || this.to.destroyed) this.onLate();
    this.to.write(bytes);
  }

  private regain(bytes: number): void {
    this.room += bytes;
    if (this.waiting.length > 0 || !this.hasEnded) this.send();
  }
}
