/** Admits `limit` holders at a time. Others wait in the order of arrival. */
export class Semaphore {
  private held = 0;
  // A set keeps the order of insertion, and removes from the middle in constant time.
  private readonly waiting = new Set<() => void>();
  private idle: (() => void)[] = [];

  constructor(private readonly limit: number) {}

  /** True if nobody holds a permit or waits for one. */
  get isFree(): boolean {
    return this.held === 0;
  }

  /** Resolves once nobody holds a permit or waits for one. */
  drained(): Promise<void> {
    if (this.isFree) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  /**
   * Waits for a permit; its holder calls `release` once. Resolves to false, without a permit, if `signal` aborts first.
   */
  acquire(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.held < this.limit) {
      this.held++;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const admit = () => {
        signal.removeEventListener("abort", giveUp);
        resolve(true);
      };
      const giveUp = () => {
        this.waiting.delete(admit);
        resolve(false);
      };
      this.waiting.add(admit);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Returns the permit. The first waiter gets it directly, so no newcomer can overtake it. */
  release(): void {
    const [next] = this.waiting;
    if (!next) {
      this.held--;
      if (this.isFree) for (const resolve of this.idle.splice(0)) resolve();
      return;
    }
    this.waiting.delete(next);
    next();
  }
}
