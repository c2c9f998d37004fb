import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { BodyTooLarge, type ReceivedWebhook, rawJson, readBody, verify } from "../client";
import { textOfBody } from "../client/verify";
import { messageOf } from "../runtime/errors";
import { CommandFailed } from "./failure";
import type { Output } from "./output";
import { oneLine, plainJson } from "./plain";

const UNAUTHORIZED = 401;
const TOO_LARGE = 413;
const BROKEN = 500;

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
  private readonly server: Server;
  private readonly secret = Promise.withResolvers<string>();

  private constructor(private readonly options: ReceiverOptions) {
    this.server = createServer(async (request, response) => {
      response.statusCode = await this.receive(request).catch(statusOf);
      response.end();
    });
  }

  static async listen(options: ReceiverOptions): Promise<Receiver> {
    const { host, port } = options;
    const receiver = new Receiver(options);
    try {
      await once(receiver.server.listen(port, host), "listening");
      return receiver;
    } catch (error) {
      throw new CommandFailed(`Can't listen on ${host}, port ${port}: ${messageOf(error)}`);
    }
  }

  get url(): string {
    const { address, family, port } = this.server.address() as AddressInfo;
    return `http://${family === "IPv6" ? `[${address}]` : address}:${port}/`;
  }

  trust(secret: string): void {
    this.secret.resolve(secret);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** Returns the status to answer with. */
  private async receive(request: IncomingMessage): Promise<number> {
    const body = textOfBody(await readBody({ body: Readable.toWeb(request) }));
    const secret = await this.secret.promise;
    const { output, answer } = this.options;
    try {
      show(output, verify(body, request.headers, secret), rawJson(oneLine(body)));
      return answer;
    } catch (error) {
      const reason = messageOf(error);
      if (output.isJson) output.json({ verified: false, error: reason });
      output.say(`${new Date().toISOString()}  refused: ${reason}`);
      return UNAUTHORIZED;
    }
  }
}

function statusOf(error: unknown): number {
  return error instanceof BodyTooLarge ? TOO_LARGE : BROKEN;
}

function show(output: Output, webhook: ReceivedWebhook<unknown>, data: object): void {
  const { id, event, sequence, attempt, timestamp } = webhook;
  const which = `#${sequence ?? "?"}${attempt === 1 ? "" : `, attempt ${attempt ?? "?"}`}`;
  if (output.isJson) output.json({ verified: true, ...webhook, data });
  output.say(`${timestamp.toISOString()}  verified  ${id}  ${which}  ${event ?? "(no event)"}`);
  output.say(`  ${plainJson(data)}`);
}
