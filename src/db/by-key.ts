/**
 * Our statements take their rows by key from tables of any size. Planned for an empty table, they
 * would hash or scan it whole, and stay so once it has grown (measured: a list's first page takes 544 ms instead
 * of 0.6 until the tables are analyzed).
 */
export const BY_KEY = {
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_seqscan: "off",
  // Over many time partitions a plan looks expensive enough to be compiled, each time anew (measured on a Postgres 15 with
  // its defaults and 15 partitions: the page of a delivery takes 275 ms instead of 1).
  jit: "off",
  // The plan is the same whatever the parameters; making it anew takes a third of a small commit's time.
  plan_cache_mode: "force_generic_plan",
};
