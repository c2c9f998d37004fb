import { type Clock, sleep } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import type { EmbeddedServer } from "./server";

export type SupervisorOptions = Readonly<{
  /** What the log calls it. */
  name: string;
  /** Starts it again where it was, unless the signal aborts. */
  start(port: number, signal: AbortSignal): Promise<EmbeddedServer>;
  clock: Clock;
  log: Log;
}>;

/** The wait before a server that ended is started, doubling while that fails, milliseconds. */
const WAIT_MS = { first: 250, most: 5_000 };
/** A server that ran for less counts as a start that failed, milliseconds. */
const SOUND_MS = 10_000;

/**
 * Starts a server again, with the same address, whenever it ends by itself, for as long as that takes: a Postgres whose
 * disk is full ends, and can't start before there is room. Meanwhile the service does what it does without it.
 */
export class Supervisor {
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;
  private waitMs = WAIT_MS.first;

  constructor(
    private server: EmbeddedServer,
    private readonly options: SupervisorOptions,
  ) {
    this.running = this.run();
  }

  /** Stops the server, or what would start it. */
  async stop(withinMs?: number): Promise<void> {
    this.stopping.abort();
    await Promise.all([this.server.stop(withinMs), this.running]);
  }

  private async run(): Promise<void> {
    const { clock, log, name } = this.options;
    for (;;) {
      const startedAt = clock.monotonic();
      const { code, signal } = await this.server.exited;
      if (this.stopping.signal.aborted) return;
      log.error({ end: signal ?? `code ${code}` }, `the embedded ${name} ended: it is started again`);
      if (clock.monotonic() - startedAt >= SOUND_MS) this.waitMs = WAIT_MS.first;
      await this.startAgain();
    }
  }

  private async startAgain(): Promise<void> {
    const { clock, log, name, start } = this.options;
    const { signal } = this.stopping;
    const port = Number(new URL(this.server.url).port);
    for (let tries = 1; ; tries++) {
      await sleep(clock, this.waitMs, signal);
      this.waitMs = Math.min(this.waitMs * 2, WAIT_MS.most);
      if (signal.aborted) return;
      try {
        this.server = await start(port, signal);
        log.info(`the embedded ${name} is back`);
        if (signal.aborted) await this.server.stop();
        return;
      } catch (error) {
        if (signal.aborted) return;
        // Said once: it may stay so for hours.
        log[tries === 1 ? "error" : "debug"](
          describeError(error),
          `the embedded ${name} can't be started yet`,
        );
      }
    }
  }
}
