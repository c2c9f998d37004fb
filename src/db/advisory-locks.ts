/** Advisory locks, for what one process at a time may do in a database. Any numbers that nothing else takes there. */
export const LOCKS = {
  migration: 4_812_663_201,
  retention: 4_812_663_202,
  feeds: 4_812_663_203,
  counterDeltas: 4_812_663_204,
  /** With an endpoint's hash. */
  replays: 4_812_663_205,
  /** With an account's hash. */
  limits: 4_812_663_206,
  /** For as long as a migration tries, while `migration` is for each time that it does. */
  upgrade: 4_812_663_207,
  adminKey: 4_812_663_208,
  /** Shared by requests that make or enable keys; exclusive for revoking and disabling them with their descendants. */
  keyLineage: 4_812_663_209,
} as const;
