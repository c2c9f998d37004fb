import type { Random } from "../support/faults/random";

type LinkOptions = Readonly<{
  random: Random;
  /** The time of a request on its way to the receiver and back. */
  roundTripMs: number;
  /** The share of answers that are lost. The receiver has done its work then, and Hermod sends again. */
  lost: number;
}>;

/** A link between Hermod and a receiver. Requests overtake each other on it, since each takes its own share of the round trip. */
export class DistantLink implements Disposable {
  /** The receiver's port; null while it is down. */
  receiver: number | null = null;
  /** Requests that the receiver answered 2xx. */
  answered = 0;
  private readonly server: Bun.Server<undefined>;

  constructor(private readonly options: LinkOptions) {
    const fetch = (request: Request) => this.pass(request);
    this.server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
  }

  get url(): string {
    return this.server.url.href;
  }

  [Symbol.dispose](): void {
    this.server.stop(true);
  }

  private async pass(request: Request): Promise<Response> {
    const { random, roundTripMs, lost } = this.options;
    const body = await request.arrayBuffer();
    const thereMs = roundTripMs * random.next();
    await Bun.sleep(thereMs);
    const status = await this.ask(request.headers, body);
    await Bun.sleep(roundTripMs - thereMs);
    return new Response(null, { status: random.next() < lost ? 503 : status });
  }

  private async ask(headers: Headers, body: ArrayBuffer): Promise<number> {
    const sent = { method: "POST", headers, body };
    const answer = await fetch(`http://127.0.0.1:${this.receiver ?? 0}/`, sent).catch(() => null);
    if (answer?.ok) this.answered++;
    return answer?.status ?? 503;
  }
}
