import type { Consumer, ConsumerInfo, ConsumerMessages, JetStreamManager, JsMsg } from "nats";
import { unlessAborted } from "../runtime/abort";
import { type Clock, sleep } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Loop } from "../runtime/loop";
import type { StreamConnection } from "./connection";
import { type DeliveryMessage, decodeMessages } from "./message";
import { FLOOD_REST_MS, Refusals } from "./refusals";
import type { MessageSigner } from "./signer";
import {
  CHECK_EVERY_MS,
  consumerName,
  createConsumer,
  ensureStream,
  isMissing,
  isSameConsumer,
  STREAM,
  type Topology,
  updateConsumer,
} from "./topology";

/** Messages that are asked for ahead. */
const PREFETCH = 64;
const PULL_EXPIRES_MS = 10_000;
/** A stream or server that is gone without a word is missed at the second heartbeat that does not come. */
const HEARTBEAT_MS = 2_000;
const RETRY_MS = 500;

export type StreamConsumerOptions = Readonly<{
  connection: StreamConnection;
  signer: MessageSigner;
  topology: Topology;
  clock: Clock;
  log: Log;
  onMessage(message: DeliveryMessage): void;
  /** From now on the messages of these partitions come; whatever was published before may have been missed. */
  onFollowing(partitions: readonly number[]): void;
}>;

/** Reads the messages of a dispatcher's partitions until stopped, over every loss of server, stream or consumer. */
export class StreamConsumer {
  private readonly stopping = new AbortController();
  private readonly refusals: Refusals;
  private messages: ConsumerMessages | null = null;
  private wanted: readonly number[] = [];
  /** Null while no messages come. */
  private followed: readonly number[] | null = null;
  /** Compares the consumer at the server with what it should be. */
  private looking: Loop | null = null;
  private restMs = RETRY_MS;
  private running: Promise<void> | null = null;

  constructor(
    private readonly dispatcher: string,
    private readonly options: StreamConsumerOptions,
  ) {
    this.refusals = new Refusals(options);
  }

  /** True while the messages of all partitions asked for come, as far as is known. */
  get isFollowing(): boolean {
    return this.followed === this.wanted && this.options.connection.live !== null;
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Follows these partitions from now on, and no others. False: not yet, since no messages come at all. */
  follow(partitions: readonly number[]): boolean {
    this.wanted = partitions;
    this.looking?.wake();
    return this.followed !== null && this.options.connection.live !== null;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.messages?.stop();
    await this.running;
  }

  private async run(): Promise<void> {
    const { clock, log } = this.options;
    while (!this.stopping.signal.aborted) {
      this.restMs = RETRY_MS;
      try {
        // A request to a server that does not answer goes on unseen, until the connection is closed.
        await unlessAborted(this.consume(), this.stopping.signal);
      } catch (error) {
        log.debug(describeError(error), "the stream's consumer ended");
        await sleep(clock, this.restMs, this.stopping.signal);
      }
    }
  }

  /** Resolves or rejects once no messages come any more. */
  private async consume(): Promise<void> {
    const nats = await this.options.connection.ready;
    const manager = await nats.jetstreamManager({ checkAPI: false });
    const { wanted } = this;
    const created = await this.create(manager, wanted);
    const consumer = await nats.jetstream().consumers.get(STREAM, consumerName(this.dispatcher));
    if (this.stopping.signal.aborted) return;
    const messages = await consumer.consume({
      max_messages: PREFETCH,
      expires: PULL_EXPIRES_MS,
      idle_heartbeat: HEARTBEAT_MS,
      // Without it a consumer whose stream is gone waits for ever, silently.
      abort_on_missing_resource: true,
      callback: (message) => this.receive(message),
    });
    this.messages = messages;
    if (this.stopping.signal.aborted) messages.stop();
    else this.begin(wanted);
    const looking = this.lookAt(manager, consumer, created, messages);
    const error = await messages.closed().finally(() => {
      this.messages = null;
      this.followed = null;
      looking.stop();
    });
    if (error) throw error;
  }

  private async create(manager: JetStreamManager, partitions: readonly number[]): Promise<ConsumerInfo> {
    try {
      return await createConsumer(manager, this.dispatcher, partitions);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await ensureStream(manager, this.options.topology);
      return createConsumer(manager, this.dispatcher, partitions);
    }
  }

  private begin(partitions: readonly number[]): void {
    const before = this.followed ?? [];
    this.followed = partitions;
    this.options.log.info(
      { partitions },
      "reading the stream: hermod.deliveries.<partition> of these partitions",
    );
    this.options.onFollowing(partitions.filter((each) => !before.includes(each)));
  }

  /** Brings the consumer to the partitions that are wanted; ends its messages where somebody else has changed it. */
  private lookAt(
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
      // A consumer that is gone, and a server that does not answer, are missed by their heartbeats.
      const now = await consumer.info().catch(() => ours);
      if (!isSameConsumer(now, ours)) throw new Error("the consumer was configured otherwise");
      return CHECK_EVERY_MS;
    };
    const failed = (error: unknown) => {
      messages.stop(error instanceof Error ? error : undefined);
      return CHECK_EVERY_MS;
    };
    this.looking = new Loop({ clock: this.options.clock, round, failed });
    this.looking.start();
    return this.looking;
  }

  private receive({ subject, data }: JsMsg): void {
    const { signer, onMessage } = this.options;
    // The intake of this process has handed it over in memory.
    if (signer.isOwn(data)) return;
    const verdict = signer.verify(subject, data);
    if (verdict.kind === "genuine") {
      for (const message of decodeMessages(verdict.body)) onMessage(message);
    } else if (this.refusals.note(subject, verdict.reason)) this.rest();
  }

  /** Leaves a flooded stream to the sweeps for a while; the consumer made after it begins behind the flood. */
  private rest(): void {
    this.restMs = FLOOD_REST_MS;
    this.messages?.stop(new Error("too many messages were refused"));
  }
}
