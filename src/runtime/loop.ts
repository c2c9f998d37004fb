import { type Clock, sleep } from "./clock";

export type LoopOptions = Readonly<{
  clock: Clock;
  /** Does what is to be done now; resolves with the rest until it is done again, milliseconds, or null: never. */
  round(stopped: AbortSignal): Promise<number | null>;
  /** A round rejected, and not for the stop; answers with the rest after it, milliseconds. */
  failed(error: unknown): number;
}>;

/** Work in the background, one round after the other, for as long as it runs. */
export class Loop {
  private readonly stopping = new AbortController();
  private waking = new AbortController();
  private readonly firstRound = Promise.withResolvers<void>();
  private running: Promise<void> | null = null;

  constructor(private readonly options: LoopOptions) {}

  /** Resolves after the first round, however it went. */
  start(): Promise<void> {
    this.running ??= this.run();
    return this.firstRound.promise;
  }

  /** There is something to do: the next round begins at once, or right after the one under way. */
  wake(): void {
    this.waking.abort();
  }

  /** Begins no round any more; resolves once the one under way is over. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      // Before the round: it may not see what is said during it.
      this.waking = new AbortController();
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
      // What the stop has cut short did not fail.
      return this.stopping.signal.aborted ? null : this.options.failed(error);
    }
  }
}
