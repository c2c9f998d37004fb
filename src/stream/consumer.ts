import type { Consumer, ConsumerInfo, ConsumerMessages, JetStreamManager, JsMsg } from "nats";
import { type Clock, unlessAborted } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Loop } from "../runtime/loop";
import type { StreamConnection } from "./connection";
import { decodeHints, type Hint } from "./hint";
import { FLOOD_REST_MS, type MessageSigner, Refusals } from "./signer";
import {
  CHECK_EVERY_MS,
  consumerName,
  createConsumer,
  isSameConsumer,
  partitionIn,
  STREAM,
  updateConsumer,
} from "./topology";

/** Number of messages requested ahead. Also bounds how much of a flood a process holds in memory. */
const PREFETCH = 64;
const PULL_EXPIRES_MS = 10_000;
/** Time between heartbeats. Two missing ones in a row mean that the stream or the server is gone. */
const HEARTBEAT_MS = 2_000;
const RETRY_MS = 500;
/** Failures in a row before the log has a warning. A stream that was deleted is recreated sooner. */
const WARN_AFTER = 10;

const FLOOD = new Error("too many messages were refused");

export type StreamConsumerOptions = Readonly<{
  connection: StreamConnection;
  signer: MessageSigner;
  clock: Clock;
  log: Log;
  onHint(hint: Hint): void;
  /** Called when the messages of these partitions begin to come. Earlier messages may have been missed. */
  onFollowing(partitions: readonly number[]): void;
}>;

/** Reads the messages of a dispatcher's partitions until stopped. Recovers from the loss of server, stream or consumer. */
export class StreamConsumer {
  private readonly loop: Loop;
  private readonly refusals: Refusals;
  private messages: ConsumerMessages | null = null;
  private wanted: readonly number[] = [];
  /** The partitions whose messages come; null while none come. */
  private followed: readonly number[] | null = null;
  /** Compares the consumer's settings at the server with ours, and updates its partitions. */
  private checking: Loop | null = null;
  private failures = 0;

  constructor(
    private readonly dispatcher: string,
    private readonly options: StreamConsumerOptions,
  ) {
    this.refusals = new Refusals(options);
    // The consumer is created anew. A consumer that was without a leader may get new messages seconds late: nats-server 2.11.6
    // reports none as pending (seen after a cluster had lost two of three nodes).
    options.connection.onRegained(() => this.messages?.stop(new Error("the connection was lost")));
    this.loop = new Loop({
      clock: options.clock,
      round: async (stopped) => {
        // `consume` can't be cancelled while a server does not answer, so stopping leaves it pending until the connection closes.
        await unlessAborted(this.consume(stopped), stopped);
        return RETRY_MS;
      },
      failed: (error) => this.failed(error),
    });
  }

  /** True while the messages of all requested partitions come, as far as is known. */
  get isFollowing(): boolean {
    return this.followed === this.wanted && this.options.connection.live !== null;
  }

  start(): void {
    this.loop.start();
  }

  /** Follows these partitions from now on, and no others. Returns false while no messages come at all. */
  follow(partitions: readonly number[]): boolean {
    this.wanted = partitions;
    this.checking?.wake();
    return this.followed !== null && this.options.connection.live !== null;
  }

  async stop(): Promise<void> {
    const stopped = this.loop.stop();
    this.messages?.stop();
    await stopped;
  }

  /** Creates the consumer and reads its messages. Settles once they no longer come. */
  private async consume(stopped: AbortSignal): Promise<void> {
    const nats = await this.options.connection.ready;
    const manager = await nats.jetstreamManager({ checkAPI: false });
    const { wanted } = this;
    const created = await createConsumer(manager, this.dispatcher, wanted);
    const consumer = await nats.jetstream().consumers.get(STREAM, consumerName(this.dispatcher));
    if (stopped.aborted) return;
    const messages = await consumer.consume({
      max_messages: PREFETCH,
      expires: PULL_EXPIRES_MS,
      idle_heartbeat: HEARTBEAT_MS,
      // Without this option a consumer whose stream is gone waits for ever without an error.
      abort_on_missing_resource: true,
      callback: (message) => this.receive(message),
    });
    this.messages = messages;
    if (stopped.aborted) messages.stop();
    else this.begin(wanted);
    this.checking = this.checkConsumer(manager, consumer, created, messages);
    const error = await messages.closed();
    this.messages = null;
    this.followed = null;
    this.checking.stop();
    if (error) throw error;
  }

  private begin(partitions: readonly number[]): void {
    const before = this.followed ?? [];
    this.followed = partitions;
    this.failures = 0;
    const { log, onFollowing } = this.options;
    log.info(
      { partitions },
      "reading the subjects hermod.deliveries.<partition> of these partitions from the stream",
    );
    onFollowing(partitions.filter((each) => !before.includes(each)));
  }

  private failed(error: unknown): number {
    const level = ++this.failures === WARN_AFTER ? "warn" : "debug";
    this.options.log[level](
      describeError(error),
      "could not read the stream: deliveries continue from Postgres",
    );
    // The consumer that is created after this wait starts behind the flood.
    return error === FLOOD ? FLOOD_REST_MS : RETRY_MS;
  }

  /** Updates the consumer when the wanted partitions change. Ends its messages if somebody else changed its settings. */
  private checkConsumer(
    manager: JetStreamManager,
    consumer: Consumer,
    created: ConsumerInfo,
    messages: ConsumerMessages,
  ): Loop {
    let ours = created;
    const round = async () => {
      const { wanted } = this;
      if (!this.options.connection.live) return CHECK_EVERY_MS;
      if (this.followed !== wanted) {
        ours = await updateConsumer(manager, this.dispatcher, wanted);
        if (this.messages === messages) this.begin(wanted);
        return CHECK_EVERY_MS;
      }
      // A consumer that does not answer is created anew, see the constructor.
      if (!isSameConsumer(await consumer.info(), ours))
        throw new Error("somebody else changed the consumer's settings");
      return CHECK_EVERY_MS;
    };
    const failed = (error: unknown) => {
      messages.stop(error instanceof Error ? error : undefined);
      return CHECK_EVERY_MS;
    };
    const checking = new Loop({ clock: this.options.clock, round, failed });
    checking.start();
    return checking;
  }

  private receive({ subject, data }: JsMsg): void {
    const { signer, onHint } = this.options;
    const verdict = signer.verify(subject, data);
    if (verdict.kind === "refused") {
      if (this.refusals.note(subject, verdict.reason)) this.messages?.stop(FLOOD);
      return;
    }
    // The intake of this process has already passed these deliveries on in memory.
    if (verdict.isOwn) return;
    const hints = decodeHints(verdict.body, partitionIn(subject));
    // Not counted towards a flood: the message is signed, so a process of this installation sent it.
    if (hints === null) this.refusals.note(subject, "made by another version of Hermod");
    else for (const hint of hints) onHint(hint);
  }
}
