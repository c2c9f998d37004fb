import type { Clock } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Loop } from "../runtime/loop";
import type { StreamConnection } from "./connection";
import { CHECK_EVERY_MS, ensureStream, type Topology } from "./topology";

/** Creates the stream, and repairs it while the service runs: servers lose disks, and people change settings. */
export class StreamKeeper {
  private readonly loop: Loop;
  private failure: string | null = null;

  constructor(
    private readonly deps: { connection: StreamConnection; topology: Topology; clock: Clock; log: Log },
  ) {
    this.loop = new Loop({
      clock: deps.clock,
      round: async () => {
        await this.ensure();
        this.failure = null;
        return CHECK_EVERY_MS;
      },
      failed: (error) => {
        this.note(describeError(error));
        return CHECK_EVERY_MS;
      },
    });
  }

  start(): void {
    const begin = () => this.loop.start();
    // The connection logs its own failure.
    this.deps.connection.ready.then(begin, () => {});
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  // Logs each failure once: a broken server may stay broken for hours.
  private note(failure: { error: string }): void {
    const isNew = failure.error !== this.failure;
    this.failure = failure.error;
    if (isNew)
      this.deps.log.warn(failure, "could not create or repair the stream: deliveries continue from Postgres");
  }

  private async ensure(): Promise<void> {
    const { connection, topology } = this.deps;
    const nats = connection.live;
    if (nats) await ensureStream(await nats.jetstreamManager({ checkAPI: false }), topology);
  }
}
