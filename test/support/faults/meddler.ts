import type { JetStreamClient, NatsConnection } from "nats";
import { type DeliveryId, newId } from "../../../src/domain/ids";
import { decodeHints, encodeHints, type Hint } from "../../../src/stream/hint";
import type { MessageSigner } from "../../../src/stream/signer";
import { partitionIn, STREAM, subjectOf } from "../../../src/stream/topology";
import { streamSigner } from "../signers";
import type { Random } from "./random";
import { until } from "./until";

type Copy = { subject: string; data: Uint8Array; deliveries: Hint[] };

const ALL = "hermod.deliveries.*";
/** The subjects that copies are published to, except the one they come from. */
const SUBJECTS = Array.from({ length: 16 }, (_, partition) => subjectOf(partition));
/** The time within which deleted consumers are back. */
const MOST_WAIT_MS = 8_000;
/** Messages published at a time. */
const HANDFUL = 20;
const GARBAGE = ["", "\n", "[]\n{}", "null\n", "hermod1 ", "x".repeat(100_000)];

/**
 * Plays an attacker who controls the stream and has the encryption key: removes, repeats and shuffles messages, and adds
 * forged ones, some of them correctly signed.
 */
export class Meddler {
  private readonly copies: Copy[] = [];
  private readonly stream: JetStreamClient;
  private readonly seen = new Set<DeliveryId>();
  private readonly reader: MessageSigner;
  private readonly forger: MessageSigner;
  /** Messages removed, and added. */
  taken = 0;
  put = 0;

  constructor(
    private readonly nats: NatsConnection,
    private readonly random: Random,
    encryptionKey: string,
  ) {
    this.stream = nats.jetstream();
    this.reader = streamSigner(encryptionKey);
    this.forger = streamSigner(encryptionKey);
    nats.subscribe(ALL, { callback: (_, { subject, data }) => this.copy(subject, data.slice()) });
  }

  /** Interferes in every way for `forMs`, counted from the first messages that it could remove. */
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

  // Publishes a message again, unchanged, on another partition's subject.
  private copy(subject: string, data: Uint8Array): void {
    const verdict = this.reader.verify(subject, data);
    const deliveries = verdict.kind === "genuine" ? decodeHints(verdict.body, partitionIn(subject)) : null;
    const id = deliveries?.[0]?.id;
    // Skips messages that it inserted itself.
    if (!deliveries || !id || this.seen.has(id)) return;
    this.seen.add(id);
    this.copies.push({ subject, data, deliveries });
    this.nats.publish(this.random.pick(SUBJECTS.filter((each) => each !== subject)), data);
  }

  private async steal(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      // A consumer may be missing for a moment, after an earlier fault.
      await this.stealSome().catch(() => Bun.sleep(50));
    }
  }

  private async stealSome(): Promise<void> {
    const consumers = await (await this.nats.jetstreamManager()).consumers.list(STREAM).next();
    const consumer = await this.stream.consumers.get(STREAM, this.random.pick(consumers).name);
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

  // Makes garbage, or signed messages: of unknown endpoints, far beyond the last sequence, or for another partition.
  private invented({ subject, deliveries }: Copy): Pick<Copy, "subject" | "data"> {
    const kind = this.random.below(4);
    if (kind === 0) return { subject, data: new TextEncoder().encode(this.random.pick(GARBAGE)) };
    const messages = deliveries.map((each) =>
      kind === 1
        ? { ...each, endpointId: newId("ep") }
        : { ...each, sequence: each.sequence + (kind === 2 ? 1_000_000 : 0) },
    );
    const to = kind === 3 ? this.random.pick(SUBJECTS) : subject;
    return { subject: to, data: this.forger.sign(to, encodeHints(messages)) };
  }
}
