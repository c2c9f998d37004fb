import { type ReceivedWebhook, rawJson, verify } from "../client";
import { messageOf } from "../runtime/errors";
import { CommandFailed } from "./failure";
import type { Output } from "./output";
import { oneLine, plainJson } from "./plain";

/** Twice the largest payload, which is 1 MiB. */
const MAX_BODY_BYTES = 2 * 1_048_576;
const UNAUTHORIZED = 401;

export type ReceiverOptions = {
  host: string;
  /** The port; 0 takes a free one. */
  port: number;
  /** The status in answers to verified webhooks. */
  answer: number;
  output: Output;
};

/** Receives webhooks, verifies them and shows them. Requests that arrive before the secret is known wait for it. */
export class Receiver implements AsyncDisposable {
  private readonly server: Bun.Server<undefined>;
  private readonly secret = Promise.withResolvers<string>();

  constructor(private readonly options: ReceiverOptions) {
    this.server = this.listen(options);
  }

  get url(): string {
    return new URL("/", this.server.url).href;
  }

  trust(secret: string): void {
    this.secret.resolve(secret);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop(true);
  }

  private listen({ host, port }: ReceiverOptions): Bun.Server<undefined> {
    try {
      return Bun.serve({
        hostname: host,
        port,
        maxRequestBodySize: MAX_BODY_BYTES,
        fetch: (request) => this.receive(request),
        // Otherwise Bun would show an error page of its own.
        error: () => new Response(null, { status: 500 }),
      });
    } catch (error) {
      const reason = messageOf(error);
      throw new CommandFailed(`Can't listen on ${host}, port ${port}: ${reason}`);
    }
  }

  private async receive(request: Request): Promise<Response> {
    const body = await request.text();
    const secret = await this.secret.promise;
    const { output, answer } = this.options;
    try {
      show(output, verify(body, request.headers, secret), rawJson(oneLine(body)));
      return new Response(null, { status: answer });
    } catch (error) {
      const reason = messageOf(error);
      if (output.isJson) output.json({ verified: false, error: reason });
      output.say(`${new Date().toISOString()}  refused: ${reason}`);
      return new Response(null, { status: UNAUTHORIZED });
    }
  }
}

function show(output: Output, webhook: ReceivedWebhook<unknown>, data: object): void {
  const { id, event, sequence, attempt, timestamp } = webhook;
  const which = `#${sequence ?? "?"}${attempt === 1 ? "" : `, attempt ${attempt ?? "?"}`}`;
  if (output.isJson) output.json({ verified: true, ...webhook, data });
  output.say(`${timestamp.toISOString()}  verified  ${id}  ${which}  ${event ?? "(no event)"}`);
  output.say(`  ${plainJson(data)}`);
}
