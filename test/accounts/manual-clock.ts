import type { Clock } from "../../src/runtime/clock";

/** A clock that stops until the test lets it go on. */
export class ManualClock implements Clock {
  private ms = 0;
  private timers: { at: number; fire: () => void }[] = [];

  constructor(private readonly startsAt = Date.UTC(2026, 0, 31, 12)) {}

  now(): number {
    return this.startsAt + this.ms;
  }

  monotonic(): number {
    return this.ms;
  }

  after(ms: number, fire: () => void): () => void {
    const timer = { at: this.ms + ms, fire };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((each) => each !== timer);
    };
  }

  /** The number of timers that are neither due nor undone. */
  get pending(): number {
    return this.timers.length;
  }

  /** Lets time pass and fires what becomes due. */
  pass(ms: number): void {
    this.ms += ms;
    const due = this.timers.filter((each) => each.at <= this.ms);
    this.timers = this.timers.filter((each) => each.at > this.ms);
    for (const each of due) each.fire();
  }
}
