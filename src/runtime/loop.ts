import { type Clock, sleep } from "./clock";

export type LoopOptions = Readonly<{
  clock: Clock;
  /** Does the work that is due. Resolves with the pause before the next round in milliseconds, or null to end. */
  round(stopped: AbortSignal): Promise<number | null>;
  /** Called if a round rejects, unless the loop was stopped. Returns the pause after it, in milliseconds. */
  failed(error: unknown): number;
}>;

/** Runs background work, one round after the other, until it is stopped. */
export class Loop {
  private readonly stopping = new AbortController();
  private waking = new AbortController();
  private readonly firstRound = Promise.withResolvers<void>();
  private running: Promise<void> | null = null;

  constructor(private readonly options: LoopOptions) {}

  /** Resolves after the first round, whatever its result. */
  start(): Promise<void> {
    this.running ??= this.run();
    return this.firstRound.promise;
  }

  /** Starts the next round at once, or right after the running one. */
  wake(): void {
    this.waking.abort();
  }

  /** Starts no more rounds; resolves once the running one is over. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      // Made before the round, so that a wake during the round starts the next one.
      if (this.waking.signal.aborted) this.waking = new AbortController();
      const restMs = await this.round();
      this.firstRound.resolve();
      if (restMs === null) return;
      await sleep(this.options.clock, restMs, this.waking.signal);
    }
  }

  private async round(): Promise<number | null> {
    try {
      return await this.options.round(this.stopping.signal);
    } catch (error) {
      // A rejection after the stop is no failure.
      return this.stopping.signal.aborted ? null : this.options.failed(error);
    }
  }
}
