/** Limits of the keys of an endpoint's receivers. */
export const RECEIVER_KEYS = {
  /** Most keys of an endpoint. */
  most: 20,
  /** Requests of all keys of an endpoint together. */
  requestsPerMinute: 6_000,
};
