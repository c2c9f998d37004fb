import type { Clock } from "../runtime/clock";
import { sleep } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import type { StreamConnection } from "./connection";
import { CHECK_EVERY_MS, ensureStream, type Topology } from "./topology";

/** Sees to it that the stream is there, now and for as long as it runs: servers lose their disks. */
export class StreamKeeper {
  private readonly stopping = new AbortController();
  private running: Promise<void> | null = null;
  private failure: string | null = null;

  constructor(
    private readonly deps: { connection: StreamConnection; topology: Topology; clock: Clock; log: Log },
  ) {}

  start(): void {
    this.running ??= this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { clock, connection } = this.deps;
    const stopped = new Promise((resolve) => this.stopping.signal.addEventListener("abort", resolve));
    await Promise.race([connection.ready, stopped]);
    while (!this.stopping.signal.aborted) {
      await this.ensure().then(
        () => this.note(null),
        (error: unknown) => this.note(describeError(error)),
      );
      await sleep(clock, CHECK_EVERY_MS, this.stopping.signal);
    }
  }

  // Said once: what is wrong with a server may stay so for hours.
  private note(failure: { error: string } | null): void {
    const isNew = failure !== null && failure.error !== this.failure;
    this.failure = failure?.error ?? null;
    if (isNew)
      this.deps.log.warn(failure, "the stream is not as it should be: deliveries go on from Postgres");
  }

  private async ensure(): Promise<void> {
    const nats = this.deps.connection.live;
    if (nats) await ensureStream(await nats.jetstreamManager({ checkAPI: false }), this.deps.topology);
  }
}
