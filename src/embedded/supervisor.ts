import { type Clock, sleep } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import type { EmbeddedServer } from "./server";

/** A process that this one started. */
export type Supervised = Pick<EmbeddedServer, "exited" | "stop">;

export type SupervisorOptions<P extends Supervised> = Readonly<{
  /** The process's name in the log. */
  name: string;
  /** Starts a process in place of the last one, such as a server on the same port, unless the signal aborts. */
  start(last: P, signal: AbortSignal): Promise<P>;
  clock: Clock;
  log: Log;
}>;

/** Wait before a process that ended is started again. Doubles while that fails. */
const WAIT_MS = { first: 250, most: 5_000 };
/** A process that ran for a shorter time counts as a failed start. */
const SOUND_MS = 10_000;

/**
 * Restarts a process whenever it ends by itself, and tries without limit. A Postgres with a full disk ends, and can't start
 * before there is space. Meanwhile the service behaves as in any outage of the server.
 */
export class Supervisor<P extends Supervised> {
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;
  private waitMs = WAIT_MS.first;

  constructor(
    private child: P,
    private readonly options: SupervisorOptions<P>,
  ) {
    this.running = this.run();
  }

  /** Stops the process, or the attempts to start it. */
  async stop(withinMs?: number): Promise<void> {
    this.stopping.abort();
    await Promise.all([this.child.stop(withinMs), this.running]);
  }

  private async run(): Promise<void> {
    const { clock, log, name } = this.options;
    for (;;) {
      const startedAt = clock.monotonic();
      const { code, signal } = await this.child.exited;
      if (this.stopping.signal.aborted) return;
      log.error({ end: signal ?? `code ${code}` }, `the ${name} ended by itself; starting it again`);
      if (clock.monotonic() - startedAt >= SOUND_MS) this.waitMs = WAIT_MS.first;
      await this.startAgain();
    }
  }

  private async startAgain(): Promise<void> {
    const { clock, log, name, start } = this.options;
    const { signal } = this.stopping;
    for (let tries = 1; ; tries++) {
      await sleep(clock, this.waitMs, signal);
      this.waitMs = Math.min(this.waitMs * 2, WAIT_MS.most);
      if (signal.aborted) return;
      try {
        this.child = await start(this.child, signal);
        log.info(`the ${name} runs again`);
        if (signal.aborted) await this.child.stop();
        return;
      } catch (error) {
        if (signal.aborted) return;
        // Logs an error once, since this may last for hours.
        log[tries === 1 ? "error" : "debug"](
          describeError(error),
          `could not start the ${name}; trying again until it starts`,
        );
      }
    }
  }
}
