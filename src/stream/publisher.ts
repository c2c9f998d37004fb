import { createInbox, type Msg, type NatsConnection } from "nats";
import type { Clock } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import type { StreamConnection } from "./connection";
import {
  batchesOf,
  encodeHints,
  type Hint,
  MAX_MESSAGE_BYTES,
  MAX_MESSAGE_DATA_BYTES,
  withinLimit,
} from "./hint";
import type { MessageSigner } from "./signer";
import { subjectOf } from "./topology";

/** One message in this many asks the stream to confirm that it is stored. */
const ASK_EVERY = 8;
/** With more bytes unconfirmed, the stream is behind: deliveries are not published, and the sweep finds them. */
const MAX_UNANSWERED_BYTES = 33_554_432;
/** A confirmation that takes longer counts as missing. */
const ANSWER_MS = 5_000;
/** While the stream refuses messages, one message per this time is tried. */
const TRY_EVERY_MS = 100;

/**
 * Gathers deliveries for this long if the dispatcher of this process already has them. Only other readers need their message,
 * and one message for many commits costs a third of one for each. With 100 ms a delivery costs NATS 1.75 times as much (measured
 * at a thousand a second).
 */
const HANDED_OVER_MS = 250;
/** Gathers other deliveries until this long after the last message, so a busy API publishes a hundred times a second. */
const FOLLOWING_MS = 10;
/** Publishes at once when the gathered payloads exceed this. */
const MAX_GATHERED_CHARACTERS = MAX_MESSAGE_BYTES;

export type PublisherOptions = Readonly<{
  connection: StreamConnection;
  signer: MessageSigner;
  clock: Pick<Clock, "after" | "monotonic">;
  log: Log;
}>;

/**
 * Publishes accepted deliveries, gathered into one message per partition. Nothing depends on a message: if it is lost, the sweep
 * finds its deliveries in Postgres. So most messages ask for no confirmation. No message has an id, since a repeated delivery
 * is recognised by its sequence.
 */
export class Publisher {
  /** Number of messages that the stream refused or did not answer. */
  refusals = 0;
  private client: NatsConnection | null = null;
  private inbox = "";
  private count = 0;
  /** Outstanding confirmations, oldest first: when each was requested (monotonic, in ms) and the bytes that it confirms. */
  private unanswered: { askedAt: number; bytes: number }[] = [];
  /** Bytes sent since the last message that asked for a confirmation. */
  private unaskedBytes = 0;
  private failing = false;
  private triedAt = Number.NEGATIVE_INFINITY;
  /** The gathered deliveries, by partition. */
  private outbox = new Map<number, Hint[]>();
  private gatheredCharacters = 0;
  private flushesAt = Number.POSITIVE_INFINITY;
  private flushedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: PublisherOptions) {}

  /** Gathers a delivery. `isHandedOver`: the dispatcher of this process already has it, so its message is not urgent. */
  publish(hint: Hint, isHandedOver: boolean): void {
    const hints = this.outbox.get(hint.partition);
    if (hints) hints.push(hint);
    else this.outbox.set(hint.partition, [hint]);
    this.gatheredCharacters += hint.data?.length ?? 0;
    if (this.gatheredCharacters > MAX_GATHERED_CHARACTERS) this.flushWithin(0);
    else if (isHandedOver) this.flushWithin(HANDED_OVER_MS);
    else this.flushWithin(Math.max(0, this.flushedAt + FOLLOWING_MS - this.options.clock.monotonic()));
  }

  /** Publishes the gathered deliveries. Resolves once they have left this process. */
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
    // A server may be configured to take less than the largest payload.
    const mostData = Math.min(MAX_MESSAGE_DATA_BYTES, most / 2);
    for (const [partition, hints] of outbox) {
      const travelling = hints
        .sort((a, b) => a.sequence - b.sequence)
        .map((each) => withinLimit(each, mostData));
      for (const batch of batchesOf(travelling, most)) this.send(partition, batch);
    }
  }

  private send(partition: number, hints: readonly Hint[]): void {
    const client = this.options.connection.live;
    if (!client || this.isBehind()) return;
    if (client !== this.client) this.listen(client);
    // Sends few messages to a server that refuses them: with a full disk it logs a line for every message.
    if (this.failing && !this.mayTry()) return;
    const asks = this.failing || this.count++ % ASK_EVERY === 0;
    const reply = asks ? { reply: this.inbox } : undefined;
    try {
      const subject = subjectOf(partition);
      const bytes = this.options.signer.sign(subject, encodeHints(hints));
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
    if (expected.length < this.unanswered.length) this.note("no answer: the disk of NATS may be full");
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
    if (!this.failing)
      log.warn({ refusal }, "could not publish to the stream: deliveries continue from Postgres");
    this.failing = true;
    this.refusals++;
  }
}

/** Returns the reason for which the stream did not store a message; null if it did. */
export function refusalOf(answer: Msg): string | null {
  // The server itself answers 503 when no stream listens on the subject.
  if (answer.headers?.code === 503) return "there is no stream";
  try {
    const body = answer.json<{ error?: { description?: string } }>();
    return body.error ? (body.error.description ?? "refused") : null;
  } catch {
    return "an answer that can't be read";
  }
}
