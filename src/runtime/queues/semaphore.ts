/** Admits `limit` holders at a time, and the others in the order of arrival. */
export class Semaphore {
  private held = 0;
  // A set keeps the order of insertion and removes from the middle at no cost.
  private readonly waiting = new Set<() => void>();
  private idle: (() => void)[] = [];

  constructor(private readonly limit: number) {}

  /** True when nobody holds a permit or waits for one. */
  get isFree(): boolean {
    return this.held === 0;
  }

  /** Resolves once nobody holds a permit or waits for one. */
  drained(): Promise<void> {
    if (this.isFree) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  /**
   * Waits for a permit; its holder calls `release` once. False if `signal` aborted first: then there is no permit to
   * release.
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

  /** Returns the permit. The longest waiter gets it directly, so nobody can slip in between. */
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
