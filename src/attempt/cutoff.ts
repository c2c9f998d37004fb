const NOTHING = () => {};

/** Ends an exchange from outside: at its deadline, or when whoever asked for it gives up. */
export class Cutoff {
  /** Why it was cut; null while it was not. */
  cause: "timeout" | "aborted" | null = null;
  private stop: () => void = NOTHING;

  /** For an exchange that is wanted as long as `asker` does not abort. */
  constructor(private readonly asker?: AbortSignal) {
    if (asker?.aborted) this.cause = "aborted";
    else asker?.addEventListener("abort", this.giveUp);
  }

  /** The exchange ended. */
  end(): void {
    this.stop = NOTHING;
    // The asker's signal may outlive the exchange by far and must not hold on to it.
    this.asker?.removeEventListener("abort", this.giveUp);
  }

  /** The deadline has come. */
  expire(): void {
    this.cut("timeout");
  }

  /** What ends the work at hand, in place of what was given before; called now if it has been cut. */
  onCut(stop: () => void): void {
    this.stop = stop;
    if (this.cause) stop();
  }

  /** `work`, or a rejection once cut; what becomes of `work` after that is nobody's concern. */
  race<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    this.onCut(() => reject(new Error("cut")));
    return Promise.race([work, promise]);
  }

  private readonly giveUp = () => this.cut("aborted");

  private cut(cause: "timeout" | "aborted"): void {
    if (this.cause) return;
    this.cause = cause;
    this.stop();
  }
}
