import type { JetStreamClient } from "nats";
import { toText } from "../runtime/ids";
import { describeError, type Log } from "../runtime/log";
import type { StreamConnection } from "./connection";
import { type DeliveryMessage, encodeMessage, MAX_MESSAGE_DATA_BYTES } from "./message";
import { subjectOf } from "./topology";

/** Publishes under way at most; beyond it deliveries are left to the sweep. */
const MAX_OUTSTANDING = 4_096;
const PUBLISH_TIMEOUT_MS = 5_000;

/**
 * Tells the dispatchers of what was accepted. Nothing waits for it and nothing depends on it: what is not
 * published, or lost on the way, the sweep finds in Postgres.
 */
export class Publisher {
  private jetstream: JetStreamClient | null = null;
  private outstanding = 0;
  private failing = false;
  private idle: (() => void)[] = [];

  constructor(
    private readonly connection: StreamConnection,
    private readonly log: Log,
  ) {}

  publish(partition: number, message: DeliveryMessage): void {
    const nats = this.connection.live;
    if (!nats || this.outstanding >= MAX_OUTSTANDING) return;
    this.jetstream ??= nats.jetstream({ timeout: PUBLISH_TIMEOUT_MS });
    const bytes = encodeMessage(withinLimit(message));
    this.outstanding++;
    this.jetstream
      .publish(subjectOf(partition, message.endpointId), bytes, { msgID: toText("wh", message.id) })
      .then(
        () => this.settle(null),
        (error: unknown) => this.settle(error),
      );
  }

  /** Resolves once nothing is under way. */
  drained(): Promise<void> {
    if (this.outstanding === 0) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  private settle(error: unknown): void {
    this.outstanding--;
    if (error && !this.failing) this.log.warn(describeError(error), "the stream does not take messages");
    this.failing = error !== null;
    if (this.outstanding === 0) for (const resolve of this.idle.splice(0)) resolve();
  }
}

// A UTF-16 unit is at most three bytes of UTF-8, so short texts need no count.
function withinLimit(message: DeliveryMessage): DeliveryMessage {
  const { data } = message;
  if (data === null || data.length * 3 <= MAX_MESSAGE_DATA_BYTES) return message;
  return Buffer.byteLength(data) <= MAX_MESSAGE_DATA_BYTES ? message : { ...message, data: null };
}
