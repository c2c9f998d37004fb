import type { Clock } from "../runtime/clock";
import { type DeliveryId, timeOf } from "../runtime/ids";
import { describeError, type Log } from "../runtime/log";
import type { StreamConnection } from "./connection";
import { MAX_AGE_MS, STREAM } from "./topology";

/** A message may be younger than its delivery's id, by the wait for a commit. */
const MARGIN_MS = 60_000;
/** Least time between two purges: each costs dispatchers the messages that they have not read yet. */
const EVERY_MS = 5_000;

export type StreamPurgeOptions = Readonly<{ connection: StreamConnection; clock: Clock; log: Log }>;

/** Empties the stream after payloads were erased: many deliveries share a message, so none can be removed alone. */
export class StreamPurge {
  private last = Number.NEGATIVE_INFINITY;
  private cancel: (() => void) | null = null;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: StreamPurgeOptions) {}

  /** Purges the stream if it may hold one of these deliveries: at once, or `EVERY_MS` after the last time. */
  of(deliveries: readonly { id: DeliveryId }[]): void {
    const { clock } = this.options;
    const since = clock.now() - MAX_AGE_MS - MARGIN_MS;
    if (this.cancel || !deliveries.some(({ id }) => timeOf(id) >= since)) return;
    this.cancel = clock.after(this.last + EVERY_MS - clock.monotonic(), () => this.purge());
  }

  /** Resolves once nothing is left to be purged. */
  async drained(): Promise<void> {
    this.cancel?.();
    if (this.cancel) this.purge();
    await this.running;
  }

  private purge(): void {
    const { connection, clock, log } = this.options;
    this.cancel = null;
    this.last = clock.monotonic();
    this.running = purgeStream(connection).catch((error) =>
      log.warn(
        describeError(error),
        "could not purge the stream: messages with an erased payload stay for up to a minute",
      ),
    );
  }
}

/** Does nothing while NATS is away. */
async function purgeStream(connection: StreamConnection): Promise<void> {
  const manager = await connection.live?.jetstreamManager({ checkAPI: false });
  await manager?.streams.purge(STREAM);
}
