import { type Behaviour, healthy, isEndless } from "./behaviour";
import type { ReceiptBook, Subscription } from "./receipt-book";

type Receiver = Subscription & { behaviour: Behaviour };

/** Serves all receivers on one port, one per path, and records each request. */
export class Receivers {
  private readonly byPath = new Map<string, Receiver>();
  private readonly server: Bun.Server<undefined>;
  private paths = 0;

  constructor(private readonly book: ReceiptBook) {
    this.server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      fetch: (request) => this.receive(request),
    });
  }

  /** Returns a URL that is answered 404 until `open` assigns it. */
  newUrl(): string {
    return new URL(`/${++this.paths}`, this.server.url).href;
  }

  /** Assigns the URL's requests to this endpoint from now on. */
  open(url: string, subscription: Subscription, behaviour: Behaviour = healthy): void {
    this.byPath.set(new URL(url).pathname, { ...subscription, behaviour });
  }

  /** Changes the behaviour of an endpoint's receiver. */
  change(endpoint: string, behaviour: Behaviour): void {
    for (const receiver of this.byPath.values()) {
      if (receiver.endpoint === endpoint) receiver.behaviour = behaviour;
    }
  }

  async close(): Promise<void> {
    await this.server.stop(true);
  }

  private async receive(request: Request): Promise<Response> {
    const receiver = this.byPath.get(new URL(request.url).pathname);
    if (!receiver) return new Response("nobody", { status: 404 });
    const receipt = this.book.begin(receiver, request.headers);
    const gone = new Promise<null>((resolve) => {
      request.signal.addEventListener("abort", () => resolve(null), { once: true });
    });
    this.book.read(receipt, receiver, request.headers, await request.text());
    const response = await Promise.race([receiver.behaviour(receipt), gone]);
    // An endless answer is acknowledged by its head. The request stays under way until its client gives up.
    if (response && isEndless(response)) gone.then(() => this.book.end(receipt, response.status));
    else this.book.end(receipt, response?.status ?? null);
    return response ?? new Response(null, { status: 499 });
  }
}
