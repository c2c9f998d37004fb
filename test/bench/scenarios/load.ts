/** What the scenarios have in common. */
export const ENDPOINTS = 200;

/**
 * Milliseconds of load before anything is measured. Until then the runtime compiles, which costs Hermod more than a program
 * with less code, and two of each process more than one of each. Measured: a third of the process's CPU time in the first 5 s, 15 % after 15 s, 4 % after 25 s.
 */
export const WARM_UP_MS = 25_000;
