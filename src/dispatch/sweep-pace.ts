/** The sweep may take this share of the time at most, however many endpoints have work. */
const SWEEP_SHARE = 0.1;

/**
 * How long to wait after a sweep, milliseconds. Of the last two the faster one counts: what one alone took longer is
 * Postgres that stood still, not work.
 */
export function waitAfterSweep(intervalMs: number, tookMs: number, beforeMs: number): number {
  const work = Math.min(tookMs, beforeMs);
  return Math.max(intervalMs, work / SWEEP_SHARE - work);
}
