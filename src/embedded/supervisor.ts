import { type Clock, sleep } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import type { EmbeddedServer } from "./server";

export type SupervisorOptions = Readonly<{
  /** The server's name in the log. */
  name: string;
  /** Starts the server again on its port, unless the signal aborts. */
  start(port: number, signal: AbortSignal): Promise<EmbeddedServer>;
  clock: Clock;
  log: Log;
}>;

/** Wait before a server that ended is started again. Doubles while that fails. */
const WAIT_MS = { first: 250, most: 5_000 };
/** A server that ran for a shorter time counts as a failed start. */
const SOUND_MS = 10_000;

/**
 * Restarts a server on its address whenever it ends by itself, and tries without limit. A Postgres with a full disk ends, and
 * can't start before there is space. Meanwhile the service behaves as in any outage of the server.
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

  /** Stops the server, or the attempts to start it. */
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
      log.error({ end: signal ?? `code ${code}` }, `the embedded ${name} ended by itself; starting it again`);
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
        log.info(`the embedded ${name} runs again`);
        if (signal.aborted) await this.server.stop();
        return;
      } catch (error) {
        if (signal.aborted) return;
        // Logs an error once, since this may last for hours.
        log[tries === 1 ? "error" : "debug"](
          describeError(error),
          `could not start the embedded ${name}; trying again until it starts`,
        );
      }
    }
  }
}
