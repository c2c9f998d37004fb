import type { Clock } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Loop } from "../runtime/loop";
import type { StreamConnection } from "./connection";
import { CHECK_EVERY_MS, ensureStream, type Topology } from "./topology";

/** Sees to it that the stream is there, now and for as long as it runs: servers lose their disks. */
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
    // One that can't connect says so itself.
    this.deps.connection.ready.then(begin, () => {});
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  // Said once: what is wrong with a server may stay so for hours.
  private note(failure: { error: string }): void {
    const isNew = failure.error !== this.failure;
    this.failure = failure.error;
    if (isNew)
      this.deps.log.warn(failure, "the stream is not as it should be: deliveries go on from Postgres");
  }

  private async ensure(): Promise<void> {
    const { connection, topology } = this.deps;
    const nats = connection.live;
    if (nats) await ensureStream(await nats.jetstreamManager({ checkAPI: false }), topology);
  }
}
