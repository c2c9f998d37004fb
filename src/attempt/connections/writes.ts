import type { Socket } from "node:net";

/** The writing side of a connection. */
export interface Writes {
  write(bytes: Uint8Array): void;
  /** Whether the kernel has taken every byte. Never true once the receiver has reset the connection before that. */
  readonly isDone: boolean;
  /** Calls back once the kernel has taken every byte; at once if it has. */
  whenDone(call: () => void): void;
}

/** Calls back once something is done that may be done already. */
export class Waiting {
  private calls: (() => void)[] = [];

  constructor(private readonly isDone: () => boolean) {}

  add(call: () => void): void {
    if (this.isDone()) call();
    else this.calls.push(call);
  }

  /** Something happened by which it may be done. */
  check(): void {
    if (this.calls.length === 0 || !this.isDone()) return;
    const calls = this.calls;
    this.calls = [];
    for (const call of calls) call();
  }
}

/**
 * Writes to a socket and counts what the kernel takes. The count is needed: Bun calls back without an error also where the
 * receiver has reset the connection and the rest was thrown away.
 */
export class SocketWrites implements Writes {
  private asked: number;
  private readonly waiting = new Waiting(() => this.isDone);

  constructor(private readonly socket: Socket) {
    this.asked = socket.bytesWritten;
  }

  write(bytes: Uint8Array): void {
    this.asked += bytes.length;
    // Not the event `drain`: there is none once the receiver has closed its side.
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

/** Writes to TLS, which holds nothing back: the kernel has all once the transport below has none left. */
export class SecureWrites implements Writes {
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
