/** Corrections above this many milliseconds mean that somebody set the clock, and are followed at once. */
const MAX_CORRECTION_MS = 1_000;

/** How much slower time runs while it makes up for a correction: 1 s is reported as 999 ms. */
const SLEW = 0.001;

export type TimeSources = {
  /** Unix milliseconds; may be set back at any moment. */
  wall(): number;
  /** Milliseconds that never go backwards. */
  monotonic(): number;
};

/**
 * Wall time that small corrections of the machine's clock don't turn back. Attempts have a start (wall time) and a
 * duration (monotonic). If the clock were set back between two consecutive attempts, they would be recorded as
 * overlapping, or in the wrong order.
 *
 * Follows a jump ahead, or one back by more than a second, at once. Makes up for a smaller one back by running 0.1 %
 * slow.
 */
export class SteadyTime {
  private shown: number;
  private seenAt: number;

  constructor(private readonly sources: TimeSources) {
    this.shown = sources.wall();
    this.seenAt = sources.monotonic();
  }

  /** Whole Unix milliseconds. */
  now(): number {
    const wall = this.sources.wall();
    const monotonic = this.sources.monotonic();
    const slewed = this.shown + (monotonic - this.seenAt) * (1 - SLEW);
    this.seenAt = monotonic;
    this.shown = slewed - wall > MAX_CORRECTION_MS ? wall : Math.max(wall, slewed);
    return Math.floor(this.shown);
  }
}
