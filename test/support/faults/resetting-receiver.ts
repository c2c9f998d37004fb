import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { Receipt } from "./receipt";
import type { ReceiptBook, Subscription } from "./receipt-book";

const END_OF_HEAD = "\r\n\r\n";

/** Resets the connection instead of answering, a given number of times. */
export class ResettingReceiver {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private subscription: Subscription | null = null;

  private constructor(
    private readonly book: ReceiptBook,
    private readonly resets: (receipt: Receipt) => boolean,
  ) {
    this.server = createServer((socket) => this.serve(socket));
  }

  static async listen(book: ReceiptBook, resets: (receipt: Receipt) => boolean): Promise<ResettingReceiver> {
    const receiver = new ResettingReceiver(book, resets);
    receiver.server.listen(0, "127.0.0.1");
    await once(receiver.server, "listening");
    return receiver;
  }

  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    return `http://127.0.0.1:${address.port}/`;
  }

  open(subscription: Subscription): void {
    this.subscription = subscription;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, "close");
  }

  private serve(socket: Socket): void {
    let text = "";
    this.sockets.add(socket);
    socket.on("close", () => this.sockets.delete(socket));
    socket.on("error", () => {});
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => {
      text += chunk;
      const headEnd = text.indexOf(END_OF_HEAD);
      if (headEnd < 0) return;
      const headers = headersOf(text.slice(0, headEnd));
      const bodyStart = headEnd + END_OF_HEAD.length;
      const bodyEnd = bodyStart + Number(headers.get("content-length"));
      if (text.length < bodyEnd) return;
      this.answer(socket, headers, Buffer.from(text.slice(bodyStart, bodyEnd), "latin1").toString());
      text = text.slice(bodyEnd);
    });
  }

  private answer(socket: Socket, headers: Headers, body: string): void {
    if (!this.subscription) return void socket.resetAndDestroy();
    const receipt = this.book.begin(this.subscription, headers);
    this.book.read(receipt, this.subscription, headers, body);
    const isReset = this.resets(receipt);
    this.book.end(receipt, isReset ? null : 200);
    if (isReset) socket.resetAndDestroy();
    else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
  }
}

function headersOf(head: string): Headers {
  const headers = new Headers();
  for (const line of head.split("\r\n").slice(1)) {
    const colon = line.indexOf(":");
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return headers;
}
