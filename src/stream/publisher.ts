import { createInbox, type Msg, type NatsConnection } from "nats";
import { describeError, type Log } from "../runtime/log";
import type { StreamConnection } from "./connection";
import { type DeliveryMessage, encodeMessage, withinLimit } from "./message";
import { subjectOf } from "./topology";

/** One message in so many asks the stream for an answer: it tells whether messages are stored. */
const ASK_EVERY = 32;
/** Answers outstanding at most; beyond it the stream does not keep up, and deliveries are left to the sweep. */
const MAX_UNANSWERED = 128;
/** An answer that has not come after this long, milliseconds, will not. */
const ANSWER_MS = 5_000;
/** While the stream refuses, one message in this time asks whether it still does, milliseconds. */
const TRY_EVERY_MS = 100;

/**
 * Tells the dispatchers of other processes what was accepted. Nothing waits for it and nothing depends on it: what is not
 * published, or lost on the way, the sweep finds in Postgres. So most messages ask for no answer (measured:
 * asking for each costs a fifth of a process that accepts and delivers), and none carries an id, since a
 * repeat is known by its sequence.
 */
export class Publisher {
  private client: NatsConnection | null = null;
  private inbox = "";
  private count = 0;
  /** When each answer that is outstanding was asked for; the oldest first. */
  private unanswered: number[] = [];
  private failing = false;
  private triedAt = 0;

  constructor(
    private readonly connection: StreamConnection,
    private readonly log: Log,
  ) {}

  publish(partition: number, message: DeliveryMessage): void {
    const client = this.connection.live;
    if (!client || this.isBehind()) return;
    if (client !== this.client) this.listen(client);
    // A server whose disk is full writes a line to its log for every message.
    if (this.failing && !this.mayTry()) return;
    const asks = this.failing || this.count++ % ASK_EVERY === 0;
    if (asks) this.unanswered.push(performance.now());
    const reply = asks ? { reply: this.inbox } : undefined;
    try {
      client.publish(subjectOf(partition, message.endpointId), encodeMessage(withinLimit(message)), reply);
    } catch (error) {
      this.note(describeError(error).error);
    }
  }

  /** Resolves once what was published has left this process. */
  async drained(): Promise<void> {
    await this.connection.answers(ANSWER_MS);
  }

  private mayTry(): boolean {
    const now = performance.now();
    if (now - this.triedAt < TRY_EVERY_MS) return false;
    this.triedAt = now;
    return true;
  }

  private isBehind(): boolean {
    const now = performance.now();
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
    if (!this.failing) this.log.warn({ refusal }, "the stream does not take messages: the sweep goes on");
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
