import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { AnswerReader } from "./answer-reader";
import { ConnectionLost } from "./failure";

/** The answer to the request that was sent. */
type Expected = { reader: AnswerReader; resolve(): void; reject(reason: unknown): void };

/** A connection to a receiver, or to one by way of a proxy, that carries one exchange at a time. */
export class Connection {
  /** Told once, when it can't be used any more, and whether it was ended from the other side. */
  onLost: (byReceiver: boolean) => void = () => {};
  private expected: Expected | null = null;
  private isLost: boolean;

  /** `carrier`: what the bytes leave by, if that is another. */
  constructor(
    private readonly socket: Socket,
    private readonly carrier: Duplex = socket,
  ) {
    this.isLost = socket.destroyed;
    socket.on("data", (bytes: Buffer) => this.take(bytes));
    socket.on("end", () => this.end());
    socket.on("error", (error) => this.lose(error, true));
    socket.on("close", () => this.lose(new ConnectionLost(), true));
  }

  /**
   * Sends a request and has `reader` read its answer; resolves as soon as that wants no more. Rejects with what the reader
   * throws, or an error of the connection, which then is lost. Tells, if asked, when none of the request is held here any more.
   */
  send(request: Uint8Array, reader: AnswerReader, onSent?: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.expected = { reader, resolve, reject };
      if (this.isLost) this.fail(new ConnectionLost());
      else this.socket.write(request, onSent && (() => this.whenCarried(onSent)));
    });
  }

  /** Whether the exchange that ended left nothing behind, so that another may follow. */
  isFreeAfter(reader: AnswerReader): boolean {
    return !this.isLost && reader.keepsConnection && this.carrier.writableLength === 0;
  }

  /** Ends it at once, and with it the exchange under way. */
  destroy(): void {
    this.lose(new ConnectionLost(), false);
  }

  /** It was idle for long enough. */
  expire(): void {
    this.destroy();
  }

  // TLS itself holds nothing back.
  private whenCarried(done: () => void): void {
    if (this.carrier.writableLength === 0) done();
    else this.carrier.once("drain", done);
  }

  private take(bytes: Buffer): void {
    try {
      // Where nothing was asked for, whatever it is must not be taken for the next answer.
      if (!this.expected) this.destroy();
      else if (this.expected.reader.take(bytes)) this.finish();
    } catch (error) {
      this.lose(error, false);
    }
  }

  private end(): void {
    if (this.expected?.reader.end()) this.finish();
    this.lose(new ConnectionLost(), true);
  }

  private finish(): void {
    const { expected } = this;
    this.expected = null;
    expected?.resolve();
  }

  private lose(reason: unknown, byReceiver: boolean): void {
    if (this.isLost) return;
    this.isLost = true;
    this.socket.destroy();
    this.fail(reason);
    this.onLost(byReceiver);
  }

  private fail(reason: unknown): void {
    const { expected } = this;
    this.expected = null;
    expected?.reject(reason);
  }
}
