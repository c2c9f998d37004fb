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

/** One message in so many asks the stream for an answer: it tells whether messages are stored. */
const ASK_EVERY = 8;
/** Answers outstanding at most; beyond it the stream does not keep up, and deliveries are left to the sweep. */
const MAX_UNANSWERED = 32;
/** An answer that has not come after this long, milliseconds, will not. */
const ANSWER_MS = 5_000;
/** While the stream refuses, one message in this time asks whether it still does, milliseconds. */
const TRY_EVERY_MS = 100;

/**
 * How long deliveries are gathered that the dispatcher of this process has already, milliseconds: only others read the
 * message, and a message for many costs a third of what one for each commit does.
 */
const HANDED_OVER_MS = 50;
/**
 * How long others are, while cores are contended, milliseconds (measured with two APIs and two dispatchers on two cores: a
 * fifth less of the server's time than with 5 ms, and a twentieth more deliveries).
 */
const CONTENDED_MS = 10;

export type PublisherOptions = Readonly<{
  connection: StreamConnection;
  signer: MessageSigner;
  clock: Pick<Clock, "after" | "monotonic">;
  log: Log;
  /** Whether there is more work than cores. */
  isContended(): boolean;
}>;

/**
 * Publishes accepted deliveries on the subjects of their partitions, those that were committed together as one message.
 * Nothing waits for it and nothing depends on it: the sweep finds in Postgres what is not published, or lost on the way. So
 * most messages ask for no answer, and none carries an id, since a repeat is known by its sequence.
 */
export class Publisher {
  private client: NatsConnection | null = null;
  private inbox = "";
  private count = 0;
  /** When each answer that is outstanding was asked for; the oldest first. */
  private unanswered: number[] = [];
  private failing = false;
  private triedAt = Number.NEGATIVE_INFINITY;
  /** By partition, the deliveries that leave next. */
  private outbox = new Map<number, DeliveryMessage[]>();
  private flushesAt = Number.POSITIVE_INFINITY;

  constructor(private readonly options: PublisherOptions) {}

  /** `isHandedOver`: the dispatcher of this process has it already, so nobody waits for the message. */
  publish(partition: number, message: DeliveryMessage, isHandedOver: boolean): void {
    const messages = this.outbox.get(partition);
    if (messages) messages.push(message);
    else this.outbox.set(partition, [message]);
    if (isHandedOver) this.flushWithin(HANDED_OVER_MS);
    else this.flushWithin(this.options.isContended() ? CONTENDED_MS : 0);
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
    this.flushesAt = Number.POSITIVE_INFINITY;
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
      client.publish(subject, this.options.signer.sign(subject, encodeMessages(messages)), reply);
      if (asks) this.unanswered.push(this.options.clock.monotonic());
    } catch (error) {
      this.note(describeError(error).error);
    }
  }

  private mayTry(): boolean {
    const now = this.options.clock.monotonic();
    if (now - this.triedAt < TRY_EVERY_MS) return false;
    this.triedAt = now;
    return true;
  }

  private isBehind(): boolean {
    const now = this.options.clock.monotonic();
    if (this.unanswered[0] !== undefined && now - this.unanswered[0] > ANSWER_MS) {
      this.unanswered = this.unanswered.filter((askedAt) => now - askedAt <= ANSWER_MS);
      this.note("no answer");
    }
    return this.unanswered.length >= MAX_UNANSWERED;
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
    if (!this.failing) log.warn({ refusal }, "the stream does not take messages: the sweep goes on");
    this.failing = true;
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
