/** Ends an exchange from outside: at its deadline, or when whoever asked for it gives up. */
export class Cutoff {
  /** Why it was cut; null while it was not. */
  cause: "timeout" | "aborted" | null = null;
  /** For the work that is to end. */
  readonly signal: AbortSignal;
  private readonly controller = new AbortController();
  private asker: AbortSignal | undefined;

  constructor() {
    this.signal = this.controller.signal;
  }

  /** An exchange begins, wanted as long as `asker` does not abort. */
  begin(asker: AbortSignal | undefined): void {
    this.asker = asker;
    if (asker?.aborted) this.cut("aborted");
    else asker?.addEventListener("abort", this.giveUp);
  }

  /** The exchange ended. True when this was not cut, and so may serve another. */
  end(): boolean {
    // The asker's signal may outlive the exchange by far and must not hold on to it.
    this.asker?.removeEventListener("abort", this.giveUp);
    this.asker = undefined;
    return this.cause === null;
  }

  /** The deadline has come. */
  expire(): void {
    this.cut("timeout");
  }

  /** `work`, or a rejection once cut; what becomes of `work` after that is nobody's concern. */
  async race<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const onCut = () => reject(this.signal.reason);
    if (this.signal.aborted) onCut();
    this.signal.addEventListener("abort", onCut);
    try {
      return await Promise.race([work, promise]);
    } finally {
      this.signal.removeEventListener("abort", onCut);
    }
  }

  private readonly giveUp = () => this.cut("aborted");

  private cut(cause: "timeout" | "aborted"): void {
    if (this.cause) return;
    this.cause = cause;
    this.controller.abort();
  }
}
