/** Settings that the scenarios share. */
export const ENDPOINTS = 200;

/**
 * Milliseconds of warm-up, while the runtime compiles. A larger program needs more, and so do two of each process. Measured
 * share of CPU time: a third in the first 5 s, 15 % after 15 s, 4 % after 25 s.
 */
export const WARM_UP_MS = 25_000;
