/** What the scenarios have in common. */
export const ENDPOINTS = 200;

/**
 * Milliseconds of load before anything is measured. Until then the runtime compiles. This costs a larger program more, and two
 * of each process more than one. Measured share of CPU time: a third in the first 5 s, 15 % after 15 s, 4 % after 25 s.
 */
export const WARM_UP_MS = 25_000;
