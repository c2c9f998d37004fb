import type { Clock } from "../runtime/clock";
import { type DeliveryId, timeOf } from "../runtime/ids";
import { describeError, type Log } from "../runtime/log";
import type { StreamConnection } from "./connection";
import { MAX_AGE_MS, STREAM } from "./topology";

/** A delivery's message is as old as its identifier, less what it waited to be accepted; milliseconds. */
const MARGIN_MS = 60_000;
/** Least time between two purges: each takes from the dispatchers what they have not read yet, for the sweep to find. */
const EVERY_MS = 5_000;

export type StreamPurgeOptions = Readonly<{ connection: StreamConnection; clock: Clock; log: Log }>;

/** Has the stream forget payloads that were erased: with all that it holds, since deliveries travel many together. */
export class StreamPurge {
  private last = Number.NEGATIVE_INFINITY;
  private cancel: (() => void) | null = null;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: StreamPurgeOptions) {}

  /** Purges the stream at once, or once the last time is long enough ago, if it may hold one of these deliveries. */
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
      log.warn(describeError(error), "messages with an erased payload stay until they are too old"),
    );
  }
}

/** Nothing while NATS is away. */
async function purgeStream(connection: StreamConnection): Promise<void> {
  const manager = await connection.live?.jetstreamManager({ checkAPI: false });
  await manager?.streams.purge(STREAM);
}
