import { createInbox, type Msg, type NatsConnection } from "nats";
import type { Clock } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import type { StreamConnection } from "./connection";
import {
  batchesOf,
  type DeliveryMessage,
  encodeMessages,
  MAX_MESSAGE_BYTES,
  MAX_MESSAGE_DATA_BYTES,
  withinLimit,
} from "./message";
import type { MessageSigner } from "./signer";
import { subjectOf } from "./topology";

/** Every eighth message asks the stream to answer whether it is stored. */
const ASK_EVERY = 8;
/** With more than this unanswered the stream does not keep up: deliveries are left to the sweep. */
const MAX_UNANSWERED_BYTES = 33_554_432;
/** An answer that has not come by then will not come. */
const ANSWER_MS = 5_000;
/** While the stream refuses messages, one is tried this often. */
const TRY_EVERY_MS = 100;

/**
 * Gathers deliveries that the dispatcher of this process has already: only others read their message, and a message for many
 * costs a third of one for each commit.
 */
const HANDED_OVER_MS = 100;
/** Gathers others that follow deliveries which have just left, so a busy API sends a hundred times a second. */
const FOLLOWING_MS = 10;
/** Gathers no longer once there is this much payload. */
const MAX_GATHERED_CHARACTERS = MAX_MESSAGE_BYTES;

export type PublisherOptions = Readonly<{
  connection: StreamConnection;
  signer: MessageSigner;
  clock: Pick<Clock, "after" | "monotonic">;
  log: Log;
}>;

/**
 * Publishes accepted deliveries, all of a partition that were committed together in one message. Nothing waits for a message or
 * depends on it: the sweep finds its deliveries in Postgres if it gets lost. So most messages ask for no answer, and none has an
 * id, since a repeated delivery is known by its sequence.
 */
export class Publisher {
  /** Number of messages that the stream refused or did not answer. */
  refusals = 0;
  private client: NatsConnection | null = null;
  private inbox = "";
  private count = 0;
  /** Outstanding answers, oldest first, each with the time of its request and the bytes that it confirms. */
  private unanswered: { askedAt: number; bytes: number }[] = [];
  /** Sent since the last message that asked. */
  private unaskedBytes = 0;
  private failing = false;
  private triedAt = Number.NEGATIVE_INFINITY;
  /** By partition, the deliveries that leave next. */
  private outbox = new Map<number, DeliveryMessage[]>();
  private gatheredCharacters = 0;
  private flushesAt = Number.POSITIVE_INFINITY;
  private flushedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: PublisherOptions) {}

  /** `isHandedOver`: the dispatcher of this process has it already, so nobody waits for the message. */
  publish(partition: number, message: DeliveryMessage, isHandedOver: boolean): void {
    const messages = this.outbox.get(partition);
    if (messages) messages.push(message);
    else this.outbox.set(partition, [message]);
    this.gatheredCharacters += message.data?.length ?? 0;
    if (this.gatheredCharacters > MAX_GATHERED_CHARACTERS) this.flushWithin(0);
    else if (isHandedOver) this.flushWithin(HANDED_OVER_MS);
    else this.flushWithin(Math.max(0, this.flushedAt + FOLLOWING_MS - this.options.clock.monotonic()));
  }

  /** Resolves once what was published has left this process. */
  async drained(): Promise<void> {
    this.flush();
    await this.options.connection.answers(ANSWER_MS);
  }

  private flushWithin(ms: number): void {
    const { clock } = this.options;
    const flushesAt = clock.monotonic() + ms;
    if (flushesAt >= this.flushesAt) return;
    this.flushesAt = flushesAt;
    if (ms === 0) queueMicrotask(() => this.flush());
    else clock.after(ms, () => this.flush());
  }

  private flush(): void {
    const { outbox } = this;
    this.outbox = new Map();
    this.gatheredCharacters = 0;
    this.flushesAt = Number.POSITIVE_INFINITY;
    this.flushedAt = this.options.clock.monotonic();
    const { live } = this.options.connection;
    const most = Math.min(MAX_MESSAGE_BYTES, live?.info?.max_payload ?? MAX_MESSAGE_BYTES);
    // A server may be set to take less than the largest payload.
    const mostData = Math.min(MAX_MESSAGE_DATA_BYTES, most / 2);
    for (const [partition, messages] of outbox) {
      const travelling = messages
        .sort((a, b) => a.sequence - b.sequence)
        .map((each) => withinLimit(each, mostData));
      for (const batch of batchesOf(travelling, most)) this.send(partition, batch);
    }
  }

  private send(partition: number, messages: readonly DeliveryMessage[]): void {
    const client = this.options.connection.live;
    if (!client || this.isBehind()) return;
    if (client !== this.client) this.listen(client);
    // A server whose disk is full writes a line to its log for every message.
    if (this.failing && !this.mayTry()) return;
    const asks = this.failing || this.count++ % ASK_EVERY === 0;
    const reply = asks ? { reply: this.inbox } : undefined;
    try {
      const subject = subjectOf(partition);
      const bytes = this.options.signer.sign(subject, encodeMessages(messages));
      client.publish(subject, bytes, reply);
      this.unaskedBytes += bytes.length;
      if (asks) this.ask();
    } catch (error) {
      this.note(describeError(error).error);
    }
  }

  private ask(): void {
    this.unanswered.push({ askedAt: this.options.clock.monotonic(), bytes: this.unaskedBytes });
    this.unaskedBytes = 0;
  }

  private mayTry(): boolean {
    const now = this.options.clock.monotonic();
    if (now - this.triedAt < TRY_EVERY_MS) return false;
    this.triedAt = now;
    return true;
  }

  private isBehind(): boolean {
    const now = this.options.clock.monotonic();
    const expected = this.unanswered.filter(({ askedAt }) => now - askedAt <= ANSWER_MS);
    if (expected.length < this.unanswered.length) this.note("no answer");
    this.unanswered = expected;
    const bytes = expected.reduce((sum, each) => sum + each.bytes, this.unaskedBytes);
    return bytes > MAX_UNANSWERED_BYTES;
  }

  private listen(client: NatsConnection): void {
    this.client = client;
    this.inbox = createInbox();
    client.subscribe(this.inbox, {
      callback: (error, answer) => this.answered(error ? error.message : refusalOf(answer)),
    });
  }

  private answered(refusal: string | null): void {
    this.unanswered.shift();
    if (refusal !== null) this.note(refusal);
    else this.failing = false;
  }

  private note(refusal: string): void {
    const { log } = this.options;
    if (!this.failing) log.warn({ refusal }, "the stream takes no messages: deliveries go on from Postgres");
    this.failing = true;
    this.refusals++;
  }
}

/** Why the stream did not store a message; null when it did. */
function refusalOf(answer: Msg): string | null {
  // Without a stream nobody listens, and the server itself says so.
  if (answer.headers?.code === 503) return "there is no stream";
  try {
    const body = answer.json<{ error?: { description?: string } }>();
    return body.error ? (body.error.description ?? "refused") : null;
  } catch {
    return "an answer that can't be read";
  }
}
