/** Time for the rest of the code; tests and simulations replace it by a virtual clock. */
export type Clock = {
  /** Wall clock in whole Unix milliseconds; small corrections don't turn it back. */
  now(): number;
  /** Milliseconds that never go backwards; only differences have a meaning. */
  monotonic(): number;
  /** Calls `fire` once after `ms`; with 0, after the pending events of the event loop. The returned function cancels it. */
  after(ms: number, fire: () => void): () => void;
};

/** Longest delay of a timer (2^31-1 ms); with a longer one the runtime would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** Corrections above this many milliseconds mean that somebody set the clock, and are followed at once. */
const MAX_CORRECTION_MS = 1_000;

/** Time runs slower by this share while it makes up for a correction: 1 s is reported as 999 ms. */
const SLEW = 0.001;

export type TimeSources = {
  /** Unix milliseconds; may be set back at any moment. */
  wall(): number;
  /** Milliseconds that never go backwards. */
  monotonic(): number;
};

/**
 * Returns wall time that small corrections of the machine's clock don't turn back. Attempts have a start (wall time) and a
 * duration (monotonic). If the clock were set back between two consecutive attempts, they would be recorded as overlapping, or
 * in the wrong order.
 *
 * Follows a jump ahead, or a jump back by more than a second, at once. Makes up for a smaller jump back by running 0.1 % slow.
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

const steadyTime = new SteadyTime({ wall: () => Date.now(), monotonic: () => performance.now() });

export const systemClock: Clock = {
  now: () => steadyTime.now(),
  monotonic: () => performance.now(),
  after(ms, fire) {
    if (ms <= 0) {
      const immediate = setImmediate(fire);
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(fire, Math.min(ms, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`, or at once when `signal` aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const cancel = clock.after(ms, finish);
    function finish() {
      cancel();
      signal?.removeEventListener("abort", finish);
      resolve();
    }
    signal?.addEventListener("abort", finish, { once: true });
  });
}

/** Resolves with true once `work` is over, or with false after `ms`. The work then continues unobserved. */
export async function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  const over = new AbortController();
  try {
    return await Promise.race([work.then(() => true), sleep(clock, ms, over.signal).then(() => false)]);
  } finally {
    over.abort();
  }
}

/** Settles as `work` does, or rejects at once when `signal` aborts. The work itself then continues unobserved. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
