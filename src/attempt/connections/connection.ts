import type { Socket } from "node:net";
import { ConnectionLost } from "../failure";
import type { AnswerReader } from "../http1/answer-reader";
import type { ResolvedTarget } from "../targets/route";
import { SocketWrites, type Writes } from "./socket";

/** A connection, and the target that it leads to. */
export type Connected = Readonly<{ target: ResolvedTarget; connection: Connection }>;

/** The end of an exchange on a connection. */
export type Sent = Readonly<{
  /** The part of the answer that arrived. */
  answer: AnswerReader;
  /** True if the kernel took the whole request before the connection was lost. */
  isWritten: boolean;
  /** Why the answer is incomplete; null if it is complete, or if all that Hermod keeps has arrived. */
  error: unknown;
  /** True if the connection was idle before. */
  isReused: boolean;
}>;

type RunningExchange = {
  readonly reader: AnswerReader;
  readonly resolve: (sent: Sent) => void;
  /** True once no more of the answer is wanted. */
  isAnswered: boolean;
  error: unknown;
};

/** Most bytes that are read and dropped while a connection is being ended. */
export const MAX_DROPPED_BYTES = 262_144;

/** Carries one exchange at a time to a receiver, directly or through a proxy. */
export class Connection {
  /** Called once, when the connection is closed. */
  onLost: () => void = () => {};
  /** Called for bytes between exchanges, which must not be read as the next answer. */
  onSpent: () => void = () => {};
  /** True if the connection was idle before, between two exchanges. */
  isReused = false;
  /** Duration of the TLS handshake; null without TLS. */
  tlsMs: number | null = null;
  private underway: RunningExchange | null = null;
  private lost: boolean;
  /** True if no exchange may follow: unexpected bytes arrived, the receiver ended its side, or the deadline passed. */
  private isSpent = false;
  private isEnding = false;
  private dropped = 0;

  constructor(
    private readonly socket: Socket,
    private readonly writes: Writes = new SocketWrites(socket),
  ) {
    this.lost = socket.destroyed;
    socket.on("data", (bytes: Buffer) => this.receive(bytes));
    socket.on("end", () => this.finish());
    socket.on("error", (error) => this.lose(error));
    socket.on("close", () => this.lose(new ConnectionLost()));
  }

  /**
   * Sends a request and passes the answer to `reader`. Resolves at the end of the answer; after a 2xx not before the kernel
   * has taken the whole request. Calls `onWritten` once the kernel has taken it.
   */
  send(request: Uint8Array, reader: AnswerReader, onWritten?: () => void): Promise<Sent> {
    return new Promise((resolve) => {
      this.underway = { reader, resolve, isAnswered: false, error: null };
      if (this.lost || this.isSpent) this.settle(new ConnectionLost());
      else this.writes.write(request);
      if (onWritten) this.writes.whenDone(onWritten);
    });
  }

  /** True once the connection is closed. */
  get isLost(): boolean {
    return this.lost;
  }

  /** Ends the current exchange, or keeps the next one from beginning. Leaves the socket open. */
  giveUp(): void {
    this.isSpent = true;
    this.settle(new ConnectionLost());
  }

  /** True if another exchange may follow: the last one left nothing unread or unwritten. */
  isFreeAfter(reader: AnswerReader): boolean {
    return !this.lost && !this.isSpent && reader.keepsConnection && this.writes.isDone;
  }

  /** Closes the connection now, and ends the current exchange. */
  destroy(): void {
    this.lose(new ConnectionLost());
  }

  /**
   * Closes our side, and drops input until the receiver closes its own. Closing a socket with unread input would reset the
   * connection, and the kernel would drop the part of the request that it has not sent.
   */
  end(): void {
    this.isEnding = true;
    this.socket.end();
  }

  /** Called when the time for being idle, or for ending, is over. */
  expire(): void {
    this.destroy();
  }

  private receive(bytes: Buffer): void {
    const { underway } = this;
    if (this.isEnding) this.drop(bytes);
    else if (underway && !underway.isAnswered) this.read(underway.reader, bytes);
    else {
      this.isSpent = true;
      if (!underway) this.onSpent();
    }
  }

  private read(reader: AnswerReader, bytes: Buffer): void {
    try {
      if (reader.read(bytes)) this.answered(null);
    } catch (error) {
      this.answered(error);
    }
  }

  private drop(bytes: Buffer): void {
    this.dropped += bytes.length;
    if (this.dropped > MAX_DROPPED_BYTES) this.destroy();
  }

  /** Called when the receiver has closed its side. It may still read. */
  private finish(): void {
    this.isSpent = true;
    const { underway } = this;
    if (underway && !underway.isAnswered) this.answered(underway.reader.end() ? null : new ConnectionLost());
    if (!this.underway) this.lose(new ConnectionLost());
  }

  private answered(error: unknown): void {
    const { underway } = this;
    if (!underway) return;
    underway.isAnswered = true;
    underway.error = error;
    if (!underway.reader.isSuccess) this.settle(error);
    else this.writes.whenDone(() => underway === this.underway && this.settle(error));
  }

  private settle(error: unknown): void {
    const { underway, isReused } = this;
    this.underway = null;
    underway?.resolve({ answer: underway.reader, isWritten: this.writes.isDone, error, isReused });
  }

  private lose(reason: unknown): void {
    if (this.lost) return;
    this.lost = true;
    this.settle(this.underway?.error ?? reason);
    this.socket.destroy();
    this.onLost();
  }
}
