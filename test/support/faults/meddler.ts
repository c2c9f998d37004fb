import type { JetStreamClient, NatsConnection } from "nats";
import { newId } from "../../../src/runtime/ids";
import { decodeMessage, encodeMessage } from "../../../src/stream/message";
import { partitionOf } from "../../../src/stream/partition";
import { consumerName, STREAM, subjectOf } from "../../../src/stream/topology";
import type { Random } from "./random";
import { until } from "./until";

type Copy = { subject: string; data: Uint8Array };

const ALL = "hermod.deliveries.*.*";
/** Consumers that are gone are back by then, milliseconds. */
const MOST_WAIT_MS = 8_000;
/** Messages put into the stream at a time. */
const HANDFUL = 20;
const GARBAGE = ["", "\n", "[1]\n{}", "null\n", "{}", '[1,"a","b","c",1,null,0]\n{}', "x".repeat(100_000)];

/** Somebody who has the run of the stream: takes messages away, repeats and shuffles them, and adds others. */
export class Meddler {
  private readonly copies: Copy[] = [];
  private readonly stream: JetStreamClient;
  /** Messages taken away, and put in. */
  taken = 0;
  put = 0;

  constructor(
    private readonly nats: NatsConnection,
    private readonly partitions: number,
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

  // What is new also goes into a partition that is not its endpoint's, as if it were at home there.
  private copy(copy: Copy): void {
    const id = decodeMessage(copy.data)?.endpointId;
    if (!id) return;
    const partition = partitionOf(id, this.partitions);
    if (copy.subject !== subjectOf(partition, id)) return;
    this.copies.push(copy);
    this.nats.publish(subjectOf((partition + 1) % this.partitions, id), copy.data);
  }

  private async steal(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      // A consumer may be gone for a moment, after what was done to the stream before.
      await this.stealSome().catch(() => Bun.sleep(50));
    }
  }

  private async stealSome(): Promise<void> {
    const name = consumerName(this.random.below(this.partitions));
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

  // Rubbish, an endpoint that nobody knows, or a delivery far beyond the last.
  private invented({ subject, data }: Copy): Copy {
    const kind = this.random.below(3);
    const message = decodeMessage(data);
    if (kind === 0 || !message) return { subject, data: new TextEncoder().encode(this.random.pick(GARBAGE)) };
    if (kind === 1) return { subject, data: encodeMessage({ ...message, endpointId: newId("ep") }) };
    return { subject, data: encodeMessage({ ...message, sequence: message.sequence + 1_000_000 }) };
  }
}
