/** A correction larger than this is somebody setting the clock; it is followed at once, ms. */
const MAX_CORRECTION_MS = 1_000;

/** How much slower time runs while a correction is given back: what took 1 s is told as 999 ms. */
const SLEW = 0.001;

export type TimeSources = {
  /** Unix milliseconds; may be set back at any moment. */
  wall(): number;
  /** Milliseconds that never go backwards. */
  monotonic(): number;
};

/**
 * Wall time that a small correction of the machine's clock does not turn back. Attempts are told by their start
 * (wall) and duration (monotonic): were the start of the next one read from a clock set back meanwhile, two
 * attempts made one after the other would be recorded as if they had overlapped, or in the wrong order.
 *
 * Follows a jump ahead, or one back by more than a second, at once; gives a smaller one back by running 0.1 % slow.
 */
export class SteadyTime {
  private shown: number;
  private seenAt: number;

  constructor(private readonly sources: TimeSources) {
    this.shown = sources.wall();
    this.seenAt = sources.monotonic();
  }

  /** Unix milliseconds, whole. */
  now(): number {
    const wall = this.sources.wall();
    const monotonic = this.sources.monotonic();
    const slewed = this.shown + (monotonic - this.seenAt) * (1 - SLEW);
    this.seenAt = monotonic;
    this.shown = slewed - wall > MAX_CORRECTION_MS ? wall : Math.max(wall, slewed);
    return Math.floor(this.shown);
  }
}
