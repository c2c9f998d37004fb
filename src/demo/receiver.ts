import { type ReceivedWebhook, readBody, verify } from "../client";

/** One of the demo's receivers, and how it behaves. */
export type Behaviour = Readonly<{
  name: string;
  about: string;
  /** Chance that it answers 503, from 0 to 1. */
  failure: number;
  /** How long it takes to answer, milliseconds. */
  delayMs: number;
}>;

export const BEHAVIOURS: readonly Behaviour[] = [
  { name: "warehouse", about: "answers at once", failure: 0, delayMs: 0 },
  { name: "billing", about: "fails one time in five", failure: 0.2, delayMs: 20 },
  { name: "analytics", about: "takes a second and a half", failure: 0, delayMs: 1_500 },
];

/** Answers the webhooks of all behaviours on one port, a path each, and reports the webhooks that it received. */
export class DemoReceiver implements AsyncDisposable {
  private readonly secrets = new Map<string, string>();
  private readonly server: Bun.Server<undefined>;

  constructor(
    private readonly report: (line: string) => void,
    private readonly random: () => number = Math.random,
  ) {
    this.server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => this.receive(request) });
  }

  urlOf({ name }: Behaviour): string {
    return new URL(`/${name}`, this.server.url).href;
  }

  /** Verifies what comes to a behaviour's path with this secret from now on. */
  trust({ name }: Behaviour, secret: string): void {
    this.secrets.set(name, secret);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop(true);
  }

  private async receive(request: Request): Promise<Response> {
    const name = new URL(request.url).pathname.slice(1);
    const behaviour = BEHAVIOURS.find((each) => each.name === name);
    const secret = this.secrets.get(name);
    if (!behaviour || !secret) return new Response(null, { status: 404 });
    const webhook = verify(await readBody(request), request.headers, secret);
    await Bun.sleep(behaviour.delayMs);
    const status = this.random() < behaviour.failure ? 503 : 200;
    this.report(lineOf(name, webhook, status));
    return new Response(null, { status });
  }
}

function lineOf(
  name: string,
  { sequence, attempt, event }: ReceivedWebhook<unknown>,
  status: number,
): string {
  const repeated = attempt === 1 ? "" : `  attempt ${attempt}`;
  return `${name.padEnd(10)} #${String(sequence).padEnd(5)} ${String(event).padEnd(16)} ${status}${repeated}`;
}
