import type { Clock } from "../runtime/clock";
import { sleep } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import type { StreamConnection } from "./connection";
import { ensureStream, type Topology } from "./topology";

const CHECK_EVERY_MS = 2_000;

/** Sees to it that the stream is there, now and for as long as it runs: servers lose their disks. */
export class StreamKeeper {
  private readonly stopping = new AbortController();
  private running: Promise<void> | null = null;

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
    const { clock, log, connection } = this.deps;
    const stopped = new Promise((resolve) => this.stopping.signal.addEventListener("abort", resolve));
    await Promise.race([connection.ready, stopped]);
    while (!this.stopping.signal.aborted) {
      await this.ensure().catch((error) => log.warn(describeError(error), "the stream could not be checked"));
      await sleep(clock, CHECK_EVERY_MS, this.stopping.signal);
    }
  }

  private async ensure(): Promise<void> {
    const nats = this.deps.connection.live;
    if (nats) await ensureStream(await nats.jetstreamManager({ checkAPI: false }), this.deps.topology);
  }
}
