import type { Clock } from "../../src/runtime/clock";

type Timer = { at: number; fire: () => void };

/** A clock that stands still until the test lets time pass. */
export class ManualClock implements Clock {
  private ms = 1_000_000;
  private readonly timers = new Set<Timer>();

  now(): number {
    return this.ms;
  }

  monotonic(): number {
    return this.ms;
  }

  after(ms: number, fire: () => void): () => void {
    const timer = { at: this.ms + ms, fire };
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  }

  /** Number of timers that are set. */
  get pending(): number {
    return this.timers.size;
  }

  /** Lets time pass. Fires each timer at its time, and runs the promises that wait for it. */
  async pass(ms: number): Promise<void> {
    const end = this.ms + ms;
    for (let next = this.next(end); next; next = this.next(end)) {
      this.ms = next.at;
      this.timers.delete(next);
      next.fire();
      await Bun.sleep(0);
    }
    this.ms = end;
    await Bun.sleep(0);
  }

  private next(end: number): Timer | undefined {
    return [...this.timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }
}
