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
 * Commits within this time, while cores are contended, are told in one message: with two APIs and two dispatchers on two
 * cores one or two of each API (measured there: a fifth less of the server's time than with 5 ms, and a twentieth more
 * deliveries).
 */
const GATHER_MS = 10;

export type PublisherOptions = Readonly<{
  connection: StreamConnection;
  /** The id of the dispatcher that has a partition; null: nobody is to be told. */
  ownerOf(partition: number): string | null;
  clock: Pick<Clock, "after" | "monotonic">;
  log: Log;
  /** Whether there is more work than cores. */
  isContended(): boolean;
}>;

/**
 * Tells the dispatchers of other processes what was accepted: each of them in one message what was committed together
 * (measured: with a message for every delivery the server needs four times its time, and a webhook an eighth more of
 * everything). Nothing waits for it and nothing depends on it: what is not published, or lost on the way, the sweep finds
 * in Postgres. So most messages ask for no answer, and none carries an id, since a repeat is known by its sequence.
 */
export class Publisher {
  private client: NatsConnection | null = null;
  private inbox = "";
  private count = 0;
  /** When each answer that is outstanding was asked for; the oldest first. */
  private unanswered: number[] = [];
  private failing = false;
  private triedAt = Number.NEGATIVE_INFINITY;
  /** By dispatcher, what it is to be told next. */
  private outbox = new Map<string, DeliveryMessage[]>();

  constructor(private readonly options: PublisherOptions) {}

  /** Leaves with all that is published in the same turn; while cores are contended, with all of a few milliseconds. */
  publish(partition: number, message: DeliveryMessage): void {
    const owner = this.options.ownerOf(partition);
    if (owner === null) return;
    if (this.outbox.size === 0) this.soon(() => this.flush());
    const messages = this.outbox.get(owner);
    if (messages) messages.push(message);
    else this.outbox.set(owner, [message]);
  }

  /** Resolves once what was published has left this process. */
  async drained(): Promise<void> {
    this.flush();
    await this.options.connection.answers(ANSWER_MS);
  }

  private soon(run: () => void): void {
    const { isContended, clock } = this.options;
    if (isContended()) clock.after(GATHER_MS, run);
    else queueMicrotask(run);
  }

  private flush(): void {
    const { outbox } = this;
    this.outbox = new Map();
    const { live } = this.options.connection;
    const most = Math.min(MAX_MESSAGE_BYTES, live?.info?.max_payload ?? MAX_MESSAGE_BYTES);
    // A server may be set to take less than the largest payload.
    const mostData = Math.min(MAX_MESSAGE_DATA_BYTES, most / 2);
    for (const [owner, messages] of outbox) {
      const travelling = messages.map((each) => withinLimit(each, mostData));
      for (const batch of batchesOf(travelling, most)) this.send(owner, batch);
    }
  }

  private send(owner: string, messages: readonly DeliveryMessage[]): void {
    const client = this.options.connection.live;
    if (!client || this.isBehind()) return;
    if (client !== this.client) this.listen(client);
    // A server whose disk is full writes a line to its log for every message.
    if (this.failing && !this.mayTry()) return;
    const asks = this.failing || this.count++ % ASK_EVERY === 0;
    const reply = asks ? { reply: this.inbox } : undefined;
    try {
      client.publish(subjectOf(owner), encodeMessages(messages), reply);
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
