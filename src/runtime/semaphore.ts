/** Lets `limit` in at a time, the others in the order they came. */
export class Semaphore {
  private held = 0;
  // A set keeps the order of insertion and forgets one in the middle at no cost.
  private readonly waiting = new Set<() => void>();
  private idle: (() => void)[] = [];

  constructor(private readonly limit: number) {}

  /** True when nobody holds a place, nor waits for one. */
  get isFree(): boolean {
    return this.held === 0;
  }

  /** Resolves once it is free. */
  drained(): Promise<void> {
    if (this.isFree) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  /** Waits for a place; whoever has one calls `release` once. False when `signal` aborted first: then there is none. */
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

  /** Gives the place up; the one who waited longest takes it over, so nobody can slip in between. */
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
