/**
 * Rows of the same counters that different writers add to, so that none waits for another's commit; a figure is their sum.
 * Who writes which, the first of them and how many: 0 is the one that all share.
 */
export const COUNTER_SLOTS = {
  recorder: { first: 1, count: 8 },
  cancellation: 9,
  retention: 10,
  tallies: 11,
  intake: { first: 16, count: 8 },
} as const;
