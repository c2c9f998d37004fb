import type { Consumer, ConsumerInfo, ConsumerMessages, JetStreamManager, JsMsg } from "nats";
import { unlessAborted } from "../runtime/abort";
import { type Clock, sleep } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import type { StreamConnection } from "./connection";
import { type DeliveryMessage, decodeMessages } from "./message";
import {
  CHECK_EVERY_MS,
  consumerName,
  ensureConsumer,
  ensureStream,
  isMissing,
  isSameConsumer,
  STREAM,
  type Topology,
} from "./topology";

/** Messages that are asked for ahead. */
const PREFETCH = 64;
const PULL_EXPIRES_MS = 10_000;
/** A stream or server that is gone without a word is missed at the second heartbeat that does not come. */
const HEARTBEAT_MS = 2_000;
const RETRY_MS = 500;

/** Follows what the stream has for one dispatcher until stopped, over every loss of server, stream or consumer. */
export class StreamConsumer {
  private readonly stopping = new AbortController();
  private messages: ConsumerMessages | null = null;
  private follows = false;
  private running: Promise<void> | null = null;

  constructor(
    private readonly dispatcher: string,
    private readonly deps: {
      connection: StreamConnection;
      topology: Topology;
      clock: Clock;
      log: Log;
      onMessage(message: DeliveryMessage): void;
      /** From now on messages come; what was published until now may have been missed. */
      onFollowing(): void;
    },
  ) {}

  /** True while messages come, as far as is known. */
  get isFollowing(): boolean {
    return this.follows && this.deps.connection.live !== null;
  }

  start(): void {
    this.running ??= this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.messages?.stop();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        // What it asks of a server that does not answer goes on unseen, until the connection is closed.
        await unlessAborted(this.follow(), this.stopping.signal);
      } catch (error) {
        const { clock, log } = this.deps;
        log.debug(describeError(error), "the stream's consumer ended");
        await sleep(clock, RETRY_MS, this.stopping.signal);
      }
    }
  }

  private async follow(): Promise<void> {
    const nats = await this.deps.connection.ready;
    const manager = await nats.jetstreamManager({ checkAPI: false });
    const ours = await this.ensure(manager);
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
    else this.deps.onFollowing();
    this.follows = true;
    const ended = new AbortController();
    this.check(consumer, ours, messages, ended.signal).catch((error) => messages.stop(error));
    const error = await messages.closed().finally(() => {
      this.follows = false;
      ended.abort();
    });
    if (error) throw error;
  }

  /** Ends the messages of a consumer that is not configured as ours, so that it is put right and followed anew. */
  private async check(
    consumer: Consumer,
    ours: ConsumerInfo,
    messages: ConsumerMessages,
    ended: AbortSignal,
  ): Promise<void> {
    while (!ended.aborted) {
      await sleep(this.deps.clock, CHECK_EVERY_MS, ended);
      if (ended.aborted || !this.deps.connection.live) continue;
      // One that is gone, and a server that does not answer, are missed by their heartbeats.
      const now = await consumer.info().catch(() => ours);
      if (!isSameConsumer(now, ours)) messages.stop(new Error("the consumer was configured otherwise"));
    }
  }

  private async ensure(manager: JetStreamManager): Promise<ConsumerInfo> {
    try {
      return await ensureConsumer(manager, this.dispatcher);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await ensureStream(manager, this.deps.topology);
      return ensureConsumer(manager, this.dispatcher);
    }
  }

  private receive(raw: JsMsg): void {
    // One that can't be read is no loss: Postgres has the deliveries.
    for (const message of decodeMessages(raw.data)) this.deps.onMessage(message);
  }
}
