/**
 * When an endpoint's attempts began, as far as a limit on them has to know. A decision and nothing else: times are
 * monotonic milliseconds, and the caller's.
 */
export type Pace = Readonly<{
  /** Of what began before this nothing is known. */
  knownSince: number;
  /** Those of the last window, the oldest first. */
  starts: readonly number[];
}>;

/** A limit is one on the attempts that begin in any stretch of time of this length. */
export const WINDOW_MS = 1_000;

export function newPace(knownSince: number): Pace {
  return { knownSince, starts: [] };
}

/** How long the next attempt has still to wait so that no window has more than `limit`; 0: not at all. */
export function paceWaitMs({ knownSince, starts }: Pace, limit: number, now: number): number {
  const last = starts[starts.length - limit] ?? Number.NEGATIVE_INFINITY;
  return Math.max(0, Math.max(last, knownSince) + WINDOW_MS - now);
}

/** How many attempts may begin now so that no window has more than `limit`. */
export function paceAllowance({ knownSince, starts }: Pace, limit: number, now: number): number {
  if (knownSince + WINDOW_MS > now) return 0;
  return Math.max(0, limit - starts.filter((at) => at + WINDOW_MS > now).length);
}

/** An attempt begins. */
export function withStart(pace: Pace, now: number): Pace {
  return { ...pace, starts: [...pace.starts.filter((at) => at + WINDOW_MS > now), now] };
}
