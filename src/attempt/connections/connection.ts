import type { Socket } from "node:net";
import { ConnectionLost } from "../failure";
import type { AnswerReader } from "../http1/answer-reader";
import { SocketWrites, type Writes } from "./writes";

/** How an exchange on a connection ended. */
export type Sent = Readonly<{
  /** Whether the kernel took the whole request before the connection was lost. */
  isWritten: boolean;
  /** Why the answer is not whole; null if it is, or its first KiB is there. */
  flaw: unknown;
}>;

type Underway = {
  readonly reader: AnswerReader;
  readonly resolve: (sent: Sent) => void;
  /** No more of the answer is wanted. */
  isAnswered: boolean;
  flaw: unknown;
};

/** Most bytes that are read and dropped of a connection that is being ended. */
export const MAX_DROPPED_BYTES = 262_144;

/** A connection to a receiver, or to one by way of a proxy, that carries one exchange at a time. */
export class Connection {
  /** Called once, when it is closed. */
  onLost: () => void = () => {};
  /** Called when something comes between exchanges: it must not be taken for the next answer. */
  onSpent: () => void = () => {};
  private underway: Underway | null = null;
  private lost: boolean;
  /** It carries no further exchange: something came that nobody asked for, the other side ended, or we gave up. */
  private isSpent = false;
  private isEnding = false;
  private dropped = 0;

  constructor(
    private readonly socket: Socket,
    private readonly writes: Writes = new SocketWrites(socket),
  ) {
    this.lost = socket.destroyed;
    socket.on("data", (bytes: Buffer) => this.take(bytes));
    socket.on("end", () => this.finish());
    socket.on("error", (error) => this.lose(error));
    socket.on("close", () => this.lose(new ConnectionLost()));
  }

  /**
   * Sends a request and has `reader` read its answer. Resolves once the answer is over; one of 2xx counts only when the
   * request is written, so that is waited for too. `onWritten` is called when none of the request is in memory any more.
   */
  send(request: Uint8Array, reader: AnswerReader, onWritten?: () => void): Promise<Sent> {
    return new Promise((resolve) => {
      this.underway = { reader, resolve, isAnswered: false, flaw: null };
      if (this.lost || this.isSpent) this.settle(new ConnectionLost());
      else this.writes.write(request);
      if (onWritten) this.writes.whenDone(onWritten);
    });
  }

  /** Whether it is closed. */
  get isLost(): boolean {
    return this.lost;
  }

  /** Ends the exchange under way, or keeps the next one from beginning. Leaves the socket to who has the connection. */
  giveUp(): void {
    this.isSpent = true;
    this.settle(new ConnectionLost());
  }

  /** Whether the exchange that ended left nothing behind, so that another may follow. */
  isFreeAfter(reader: AnswerReader): boolean {
    return !this.lost && !this.isSpent && reader.keepsConnection && this.writes.isDone;
  }

  /** Ends it at once, and with it the exchange under way. */
  destroy(): void {
    this.lose(new ConnectionLost());
  }

  /**
   * Sends nothing more, and drops what comes until the receiver ends the connection too. A socket that is closed with bytes
   * unread resets the connection instead, and the kernel then drops what it has not sent yet of a request.
   */
  end(): void {
    this.isEnding = true;
    this.socket.end();
  }

  /** It was idle, or ending, for long enough. */
  expire(): void {
    this.destroy();
  }

  private take(bytes: Buffer): void {
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
      if (reader.take(bytes)) this.answered(null);
    } catch (error) {
      this.answered(error);
    }
  }

  private drop(bytes: Buffer): void {
    this.dropped += bytes.length;
    if (this.dropped > MAX_DROPPED_BYTES) this.destroy();
  }

  /** The other side sends no more, but may still read. */
  private finish(): void {
    this.isSpent = true;
    const { underway } = this;
    if (underway && !underway.isAnswered) this.answered(underway.reader.end() ? null : new ConnectionLost());
    if (!this.underway) this.lose(new ConnectionLost());
  }

  private answered(flaw: unknown): void {
    const { underway } = this;
    if (!underway) return;
    underway.isAnswered = true;
    underway.flaw = flaw;
    if (!underway.reader.isSuccess) this.settle(flaw);
    else this.writes.whenDone(() => underway === this.underway && this.settle(flaw));
  }

  private settle(flaw: unknown): void {
    const { underway } = this;
    this.underway = null;
    underway?.resolve({ isWritten: this.writes.isDone, flaw });
  }

  private lose(reason: unknown): void {
    if (this.lost) return;
    this.lost = true;
    this.settle(this.underway?.flaw ?? reason);
    this.socket.destroy();
    this.onLost();
  }
}
