/**
 * The starts of an endpoint's latest attempts, for its rate limit. Pure: the caller gives the time, in monotonic
 * milliseconds.
 */
export type Pace = Readonly<{
  /** Starts before this time are unknown. */
  knownSince: number;
  /** The starts in the last window, oldest first. */
  starts: readonly number[];
}>;

/** Length of the window that a rate limit applies to. */
export const WINDOW_MS = 1_000;

export function newPace(knownSince: number): Pace {
  return { knownSince, starts: [] };
}

/** Returns how long the next attempt must wait so that no window has more than `limit` starts; 0: not at all. */
export function paceWaitMs({ knownSince, starts }: Pace, limit: number, now: number): number {
  const last = starts[starts.length - limit] ?? Number.NEGATIVE_INFINITY;
  return Math.max(0, Math.max(last, knownSince) + WINDOW_MS - now);
}

/** Returns how many attempts may begin now so that no window has more than `limit` starts. */
export function paceAllowance({ knownSince, starts }: Pace, limit: number, now: number): number {
  if (knownSince + WINDOW_MS > now) return 0;
  return Math.max(0, limit - starts.filter((at) => at + WINDOW_MS > now).length);
}

/** Adds the start of an attempt. */
export function withStart(pace: Pace, now: number): Pace {
  return { ...pace, starts: [...pace.starts.filter((at) => at + WINDOW_MS > now), now] };
}
