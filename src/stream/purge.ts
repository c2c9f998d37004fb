import { type DeliveryId, timeOf } from "../domain/ids";
import type { Clock } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import type { StreamConnection } from "./connection";
import { KEPT_MS, STREAM } from "./topology";

/** A message may be younger than its delivery's id, because intake waits for a commit. */
const MARGIN_MS = 60_000;
/** Least time between two purges. Each removes messages that dispatchers have not read yet. */
const LEAST_INTERVAL_MS = 5_000;
/** Least wait before a purge. A publisher may gather the delivery for up to 250 ms (see `Publisher`). */
const LEAST_WAIT_MS = 1_000;

export type StreamPurgeOptions = Readonly<{ connection: StreamConnection; clock: Clock; log: Log }>;

/** Empties the stream after payloads were erased. Many deliveries share a message, so one can't be removed alone. */
export class StreamPurge {
  private last = Number.NEGATIVE_INFINITY;
  private cancel: (() => void) | null = null;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: StreamPurgeOptions) {}

  /** Schedules a purge, a second from now at the soonest, if the stream may have one of these deliveries by then. */
  schedule(deliveries: readonly { id: DeliveryId }[]): void {
    const { clock } = this.options;
    const since = clock.now() - KEPT_MS - MARGIN_MS;
    if (this.cancel || !deliveries.some(({ id }) => timeOf(id) >= since)) return;
    const waitMs = Math.max(LEAST_WAIT_MS, this.last + LEAST_INTERVAL_MS - clock.monotonic());
    this.cancel = clock.after(waitMs, () => this.purge());
  }

  /** Runs a scheduled purge now, and resolves once it has ended. */
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
