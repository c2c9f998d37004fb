import type { Socket } from "node:net";
import { ConnectionLost, orOwnFailure, orOwnFailureToConnect } from "../failure";

/** Registers a socket, which is destroyed if its connection is given up or never made. */
export type Keep = <S extends Socket>(socket: S) => S;

/** Resolves at the event. Rejects if the socket fails or closes first, with `OwnFailure` if this machine is the cause. */
export function socketEvent(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  const judge = event === "connect" ? orOwnFailureToConnect : orOwnFailure;
  return new Promise((resolve, reject) => {
    socket
      .once(event, resolve)
      .once("error", (error) => reject(judge(error)))
      .once("close", () => reject(new ConnectionLost()));
  });
}

/** The writing side of a connection. */
export interface Writes {
  write(bytes: Uint8Array): void;
  /** True if the kernel has taken every byte. Stays false if the receiver resets the connection before. */
  readonly isDone: boolean;
  /** Calls back once the kernel has taken every byte; at once if it has. */
  whenDone(call: () => void): void;
}

/** Callbacks for the moment when something is done; run at once if it is done already. */
export class DoneCallbacks {
  private calls: (() => void)[] = [];

  constructor(private readonly isDone: () => boolean) {}

  add(call: () => void): void {
    if (this.isDone()) call();
    else this.calls.push(call);
  }

  /** Runs the callbacks if it is done by now. */
  check(): void {
    if (this.calls.length === 0 || !this.isDone()) return;
    const calls = this.calls;
    this.calls = [];
    for (const call of calls) call();
  }
}

/**
 * Writes to a socket, and counts the bytes that the kernel takes. Bun's own callback is no proof: it comes without an error
 * even if the receiver has reset the connection and the rest was thrown away.
 */
export class SocketWrites implements Writes {
  private asked: number;
  private readonly waiting = new DoneCallbacks(() => this.isDone);

  constructor(private readonly socket: Socket) {
    this.asked = socket.bytesWritten;
  }

  write(bytes: Uint8Array): void {
    this.asked += bytes.length;
    // The event `drain` would not do: it does not come once the receiver has closed its side.
    this.socket.write(bytes, this.tookSome);
  }

  get isDone(): boolean {
    return this.socket.writableLength === 0 && this.socket.bytesWritten >= this.asked;
  }

  whenDone(call: () => void): void {
    this.waiting.add(call);
  }

  private readonly tookSome = (): void => this.waiting.check();
}

/** Writes to TLS, which buffers nothing: the kernel has everything once the transport below has nothing left. */
export class TlsWrites implements Writes {
  constructor(
    private readonly secured: Socket,
    private readonly transport: Readonly<{ isDrained: boolean; whenDrained(call: () => void): void }>,
  ) {}

  write(bytes: Uint8Array): void {
    this.secured.write(bytes);
  }

  get isDone(): boolean {
    return this.transport.isDrained;
  }

  whenDone(call: () => void): void {
    this.transport.whenDrained(call);
  }
}
