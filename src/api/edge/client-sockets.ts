import { dlopen, FFIType } from "bun:ffi";

/** A connection that a client opened to a port of this process. */
export type ClientConnection = Readonly<{
  fd: number;
  /** The client's IPv4 address, or the 64-bit network of its IPv6 address, in hexadecimal. */
  source: string;
  progress: SocketProgress;
  /** Milliseconds since either side has sent data. */
  silentMs: number;
}>;

/** The progress of a connection: the client has sent nothing, has sent data, or was answered at least once. */
export type SocketProgress = (typeof PROGRESS)[keyof typeof PROGRESS];
export const PROGRESS = { silent: 0, asking: 1, answered: 2 } as const;

const AF_INET = 2;
const AF_INET6 = 10;
const IPPROTO_TCP = 6;
const TCP_INFO = 11;
const SHUT_RDWR = 2;

/** Offsets in Linux' `struct tcp_info`. */
const LAST_DATA_SENT_MS = 44;
const LAST_DATA_RECEIVED_MS = 52;
const BYTES_RECEIVED = 128;
const DATA_SEGMENTS_SENT = 156;

/**
 * The TCP state of a connection that is open in both directions. `shutDown` moves it to another state until Bun closes it.
 */
const ESTABLISHED = 1;
const CLOSE_WAIT = 8;

/**
 * A search ends this many numbers above the highest socket that it or the previous search found. The kernel assigns the lowest
 * free number.
 */
const GAP = 512;

const FUNCTIONS = {
  getsockname: { args: [FFIType.i32, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 },
  getpeername: { args: [FFIType.i32, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 },
  getsockopt: {
    args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.ptr],
    returns: FFIType.i32,
  },
  shutdown: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 },
} as const;

type Libc = ReturnType<typeof dlopen<typeof FUNCTIONS>>["symbols"];

/**
 * Finds and ends connections that clients opened to this process, by asking the kernel about its file descriptors. Bun.serve
 * neither limits nor lists its connections, and runs no code of ours before a request is complete. Only on Linux.
 */
export class ClientSockets {
  private readonly address = new Uint8Array(28);
  private readonly info = new Uint8Array(256);
  private readonly length = new Int32Array(1);
  private readonly figures = new DataView(this.info.buffer);

  /** The number above the highest socket of the last search. */
  private end = 0;

  private constructor(private readonly libc: Libc) {}

  /** Loads the C library. Returns null if it is not a library of Linux. */
  static open(): ClientSockets | null {
    if (process.platform !== "linux") return null;
    for (const library of librariesOf(process.arch)) {
      try {
        return new ClientSockets(dlopen(library, FUNCTIONS).symbols);
      } catch {
        // Try the other C library.
      }
    }
    return null;
  }

  /** Returns the descriptors of the connections to a local port. Takes 0.4 µs per descriptor (measured). */
  connectedTo(port: number): number[] {
    const found: number[] = [];
    let end = 0;
    for (let fd = 0; fd < Math.max(end, this.end) + GAP; fd++) {
      if (!this.read(this.libc.getsockname, fd)) continue;
      end = fd + 1;
      if (this.isOfPort(port) && this.read(this.libc.getpeername, fd)) found.push(fd);
    }
    this.end = end;
    return found;
  }

  /** Returns the state of a connection; null once it has ended. */
  describe(fd: number): ClientConnection | null {
    if (!this.read(this.libc.getpeername, fd)) return null;
    const source = this.source();
    this.length[0] = this.info.length;
    if (this.libc.getsockopt(fd, IPPROTO_TCP, TCP_INFO, this.info, this.length) !== 0) return null;
    const { figures } = this;
    const state = figures.getUint8(0);
    if (state !== ESTABLISHED && state !== CLOSE_WAIT) return null;
    const sentMs = figures.getUint32(LAST_DATA_SENT_MS, true);
    const receivedMs = figures.getUint32(LAST_DATA_RECEIVED_MS, true);
    return { fd, source, progress: this.progress(), silentMs: Math.min(sentMs, receivedMs) };
  }

  private progress(): SocketProgress {
    if (this.figures.getUint32(DATA_SEGMENTS_SENT, true) > 0) return PROGRESS.answered;
    return this.figures.getBigUint64(BYTES_RECEIVED, true) > 0n ? PROGRESS.asking : PROGRESS.silent;
  }

  /** Shuts a connection down in both directions. Bun notices and closes the descriptor. */
  shutDown(fd: number): void {
    this.libc.shutdown(fd, SHUT_RDWR);
  }

  private read(call: Libc["getsockname"] | Libc["getpeername"], fd: number): boolean {
    this.length[0] = this.address.length;
    return call(fd, this.address, this.length) === 0;
  }

  private isOfPort(port: number): boolean {
    const [family, , high = 0, low = 0] = this.address;
    return (family === AF_INET || family === AF_INET6) && high * 256 + low === port;
  }

  /**
   * Returns the client's address. For IPv6 returns the /64 network, since its owner has all 2^64 addresses (RFC 6177).
   */
  private source(): string {
    if (this.address[0] === AF_INET) return hex(this.address.subarray(4, 8));
    const isMapped = hex(this.address.subarray(8, 20)) === MAPPED;
    return hex(isMapped ? this.address.subarray(20, 24) : this.address.subarray(8, 16));
  }
}

/** The beginning of an IPv4 address in IPv6, `::ffff:0:0/96`. */
const MAPPED = "00000000000000000000ffff";

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** Paths of glibc and musl. */
function librariesOf(arch: string): string[] {
  const name = arch === "arm64" ? "aarch64" : "x86_64";
  return ["libc.so.6", `libc.musl-${name}.so.1`];
}
