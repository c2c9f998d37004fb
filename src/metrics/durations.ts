/** Bounds of short durations, in seconds: a commit takes some milliseconds, an attempt up to its timeout. */
export const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Bounds of long durations, in seconds: deliveries behind an unreachable receiver may be hours late. */
export const DELAYS = [...DURATIONS, 60, 300, 1_800, 3_600, 21_600, 86_400];
