import type { Socket } from "bun";

/** Called with an answer's status, or 0 if the connection broke. */
type OnAnswer = (status: number) => void;

const END_OF_HEAD = Buffer.from("\r\n\r\n");
const LENGTH = /\r\ncontent-length: *(\d+)/i;

/** A kept connection with one request at a time. Reads only the status and the length of an answer. */
export class Connection {
  private socket: Socket | null = null;
  private unsent: Uint8Array | null = null;
  private received: Buffer | null = null;
  private onAnswer: OnAnswer | null = null;

  static async open(port: number): Promise<Connection> {
    const connection = new Connection();
    connection.socket = await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        data: (_, chunk) => connection.receive(chunk),
        drain: () => connection.flush(),
        close: () => connection.answer(0),
        error: () => connection.answer(0),
      },
    });
    connection.socket.setNoDelay(true);
    return connection;
  }

  send(request: Uint8Array, onAnswer: OnAnswer): void {
    this.onAnswer = onAnswer;
    this.unsent = request;
    this.flush();
  }

  close(): void {
    this.onAnswer = null;
    this.socket?.end();
  }

  private flush(): void {
    if (!this.unsent || !this.socket) return;
    const written = this.socket.write(this.unsent);
    if (written < 0) this.answer(0);
    else this.unsent = written === this.unsent.length ? null : this.unsent.subarray(written);
  }

  private receive(chunk: Buffer): void {
    const bytes = this.received ? Buffer.concat([this.received, chunk]) : chunk;
    const headEnd = bytes.indexOf(END_OF_HEAD);
    if (headEnd < 0) {
      this.received = Buffer.from(bytes);
      return;
    }
    const head = bytes.toString("latin1", 0, headEnd);
    const length = headEnd + END_OF_HEAD.length + Number(LENGTH.exec(head)?.[1] ?? 0);
    this.received = bytes.length < length ? Buffer.from(bytes) : null;
    if (!this.received) this.answer(Number(head.slice(9, 12)));
  }

  private answer(status: number): void {
    const { onAnswer } = this;
    this.onAnswer = null;
    onAnswer?.(status);
  }
}

export function openConnections(port: number, count: number): Promise<Connection[]> {
  return Promise.all(Array.from({ length: count }, () => Connection.open(port)));
}
