import type { JsMsg, NatsConnection } from "nats";
import { Group } from "./group";
import { type Delivery, type Endpoint, findEndpoint, type Sql, updateStatuses } from "./rows";
import { consume, decode } from "./stream";

type Message = { delivery: Delivery; raw: JsMsg };
type Result = { id: string; status: number; raw: JsMsg };

/** Delivers messages from the stream, one at a time to each endpoint. */
export class Delivering {
  /** Waiting deliveries, by endpoint. */
  private readonly queues = new Map<string, Message[]>();
  private readonly endpoints = new Map<string, Promise<Endpoint>>();
  private readonly results = new Group<Result>((results) => this.record(results));

  constructor(private readonly sql: Sql) {}

  start(nats: NatsConnection): Promise<void> {
    return consume(nats, (raw) => this.receive(raw));
  }

  private receive(raw: JsMsg): void {
    const message = { delivery: decode(raw.data), raw };
    const queue = this.queues.get(message.delivery.endpointId);
    if (queue) queue.push(message);
    else this.work(message).catch(fail);
  }

  private async work(first: Message): Promise<void> {
    const { endpointId } = first.delivery;
    const queue = [first];
    this.queues.set(endpointId, queue);
    const endpoint = await this.endpoint(endpointId);
    for (let i = 0; i < queue.length; i++) {
      const message = queue[i];
      if (message) await this.deliver(message, endpoint);
      // Drops delivered ones in chunks, since shifting a long array moves all of it.
      if (i === 1_000) i -= queue.splice(0, 1_000).length;
    }
    this.queues.delete(endpointId);
  }

  // Starts the next one after this one's record has committed, so that a crash never reverses them.
  private async deliver({ delivery, raw }: Message, endpoint: Endpoint): Promise<void> {
    const status = await post(delivery, endpoint);
    await this.results.submit({ id: delivery.id, status, raw });
  }

  private endpoint(id: string): Promise<Endpoint> {
    const known = this.endpoints.get(id) ?? findEndpoint(this.sql, id);
    this.endpoints.set(id, known);
    return known;
  }

  private async record(results: Result[]): Promise<void> {
    await updateStatuses(this.sql, results);
    // In one turn of the event loop, so that they leave in one write.
    for (const { raw } of results) raw.ack();
  }
}

async function post({ id, sequence, data }: Delivery, { url, secret }: Endpoint): Promise<number> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = new Bun.CryptoHasher("sha256", secret)
    .update(`${id}.${timestamp}.${data}`)
    .digest("base64");
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
    "webhook-sequence": String(sequence),
  };
  const response = await fetch(url, { method: "POST", headers, body: data });
  await response.text();
  return response.status;
}

function fail(error: unknown): never {
  console.error("the bare pipeline can't go on", error);
  process.exit(1);
}
