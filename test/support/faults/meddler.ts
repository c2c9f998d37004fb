import type { JetStreamClient, NatsConnection } from "nats";
import { type DeliveryId, newId } from "../../../src/runtime/ids";
import { decodeMessages, encodeMessages } from "../../../src/stream/message";
import { consumerName, STREAM, subjectOf } from "../../../src/stream/topology";
import type { Random } from "./random";
import { until } from "./until";

type Copy = { subject: string; data: Uint8Array };

const ALL = "hermod.deliveries.*.*";
/** Consumers that are gone are back by then, milliseconds. */
const MOST_WAIT_MS = 8_000;
/** Messages put into the stream at a time. */
const HANDFUL = 20;
const GARBAGE = [
  "",
  "\n",
  "[2]\n{}",
  "null\n",
  "{}",
  '[2,[["a","b","c",1,null,0,2]]]\n{}',
  "x".repeat(100_000),
];

/** Somebody who has the run of the stream: takes messages away, repeats and shuffles them, and adds others. */
export class Meddler {
  private readonly copies: Copy[] = [];
  private readonly stream: JetStreamClient;
  private readonly seen = new Set<DeliveryId>();
  /** Those that were written to. */
  private readonly dispatchers = new Set<string>();
  /** Messages taken away, and put in. */
  taken = 0;
  put = 0;

  constructor(
    private readonly nats: NatsConnection,
    private readonly random: Random,
  ) {
    this.stream = nats.jetstream();
    nats.subscribe(ALL, { callback: (_, { subject, data }) => this.copy({ subject, data: data.slice() }) });
  }

  /** Does all of it for so long, from the first messages that it could take away. */
  async meddle(forMs: number): Promise<void> {
    let end = performance.now() + forMs + MOST_WAIT_MS;
    const isOver = () => performance.now() > end;
    await until(() => this.copies.length > HANDFUL, { what: "messages" });
    const thieves = Array.from({ length: 4 }, () => this.steal(isOver));
    while (!isOver()) {
      if (this.taken > HANDFUL) end = Math.min(end, performance.now() + forMs);
      for (let i = 0; i < HANDFUL; i++) this.putOne();
      await Bun.sleep(10);
    }
    await Promise.all(thieves);
    await this.nats.flush();
  }

  // What is new also goes to dispatchers that it is not for, one of which there never was.
  private copy(copy: Copy): void {
    const id = decodeMessages(copy.data)[0]?.id;
    // What was put in comes back as well.
    if (!id || this.seen.has(id)) return;
    this.seen.add(id);
    this.copies.push(copy);
    this.dispatchers.add(copy.subject.split(".").at(-1) ?? "");
    const others = [...this.dispatchers, "nobody"]
      .map(subjectOf)
      .filter((subject) => subject !== copy.subject);
    this.nats.publish(this.random.pick(others), copy.data);
  }

  private async steal(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      // A consumer may be gone for a moment, after what was done to the stream before.
      await this.stealSome().catch(() => Bun.sleep(50));
    }
  }

  private async stealSome(): Promise<void> {
    const name = consumerName(this.random.pick([...this.dispatchers]));
    const consumer = await this.stream.consumers.get(STREAM, name);
    for await (const _ of await consumer.fetch({ max_messages: 10, expires: 1_000 })) {
      this.taken++;
    }
  }

  private putOne(): void {
    const copy = this.random.pick(this.copies);
    const { subject, data } = this.random.pick([copy, copy, copy, this.invented(copy)]);
    this.nats.publish(subject, data);
    this.put++;
  }

  // Rubbish, endpoints that nobody knows, or deliveries far beyond the last.
  private invented({ subject, data }: Copy): Copy {
    const kind = this.random.below(3);
    if (kind === 0) return { subject, data: new TextEncoder().encode(this.random.pick(GARBAGE)) };
    const messages = decodeMessages(data).map((each) =>
      kind === 1 ? { ...each, endpointId: newId("ep") } : { ...each, sequence: each.sequence + 1_000_000 },
    );
    return { subject, data: encodeMessages(messages) };
  }
}
