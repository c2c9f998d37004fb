/** Lets `limit` in at a time, the others in the order they came. */
export class Turnstile {
  private inside = 0;
  // A set keeps the order of insertion and forgets one in the middle at no cost.
  private readonly waiting = new Set<() => void>();
  private idle: (() => void)[] = [];

  constructor(private readonly limit: number) {}

  /** How many are in. */
  get occupied(): number {
    return this.inside;
  }

  /** How many wait. */
  get queued(): number {
    return this.waiting.size;
  }

  /** Resolves once nobody is in, nor waits. */
  emptied(): Promise<void> {
    if (this.inside === 0) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  /** Enters when there is room and nobody waits; whoever entered calls `leave` once. */
  tryEnter(): boolean {
    if (this.inside >= this.limit) return false;
    this.inside++;
    return true;
  }

  /** Waits for a place. False when `signal` aborted first: then there is nothing to leave. */
  enter(signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false);
    if (this.tryEnter()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const admit = () => {
        signal?.removeEventListener("abort", giveUp);
        resolve(true);
      };
      const giveUp = () => {
        this.waiting.delete(admit);
        resolve(false);
      };
      this.waiting.add(admit);
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Gives the place up; the one who waited longest takes it over, so nobody can slip in between. */
  leave(): void {
    const [next] = this.waiting;
    if (!next) {
      this.inside--;
      if (this.inside === 0) for (const resolve of this.idle.splice(0)) resolve();
      return;
    }
    this.waiting.delete(next);
    next();
  }
}
