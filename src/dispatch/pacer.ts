import type { Clock } from "../runtime/clock";
import { newPace, type Pace, paceAllowance, paceWaitMs, withStart } from "./pace";

/** Keeps an actor's pace by the clock, as long as its endpoint has a rate limit. */
export class Pacer {
  private limit: number | null = null;
  private pace: Pace | null = null;
  private wasAsked = false;

  constructor(
    private readonly clock: Clock,
    /** Since when all attempts at the endpoint are known, monotonic milliseconds. */
    private readonly knownSince: () => number,
  ) {}

  /** From now on this many attempts may begin in any second; null: as many as come. */
  setLimit(limit: number | null): void {
    // What began before a limit was set is not known.
    const since = () => (this.wasAsked ? this.clock.monotonic() : this.knownSince());
    this.pace = limit === null ? null : (this.pace ?? newPace(since()));
    this.limit = limit;
    this.wasAsked = true;
  }

  /** Milliseconds until the next attempt may begin. */
  waitMs(): number {
    return this.pace && this.limit !== null ? paceWaitMs(this.pace, this.limit, this.clock.monotonic()) : 0;
  }

  /** Attempts that may begin now. */
  allowance(): number {
    if (!this.pace || this.limit === null) return Number.POSITIVE_INFINITY;
    return paceAllowance(this.pace, this.limit, this.clock.monotonic());
  }

  /** An attempt begins. */
  started(): void {
    if (this.pace) this.pace = withStart(this.pace, this.clock.monotonic());
  }
}
