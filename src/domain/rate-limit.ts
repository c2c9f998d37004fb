/** A rate limit as the most attempts that may begin in a window of time. */
export type RateWindow = Readonly<{ starts: number; ms: number }>;

/** Returns the shortest window that whole attempts fill: one in 2,000 ms for 0.5 a second, 50 in 1,000 ms for 50. */
export function rateWindowOf(limit: number): RateWindow {
  const starts = Math.ceil(limit);
  return { starts, ms: (starts / limit) * 1_000 };
}
