/**
 * Session settings that make Postgres look rows up by key. Plans made for an empty table hash or scan it, and stay after the
 * table has grown. Until the tables are analyzed, a list's first page then takes 544 ms instead of 0.6 ms (measured).
 */
export const BY_KEY = {
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_seqscan: "off",
  // Plans over many time ranges look expensive enough for JIT, which compiles them each time. With 15 ranges on Postgres 15, a
  // delivery's page then takes 275 ms instead of 1 ms (measured).
  jit: "off",
  // Plans don't depend on the parameters. Planning each time takes a third of a small commit's time.
  plan_cache_mode: "force_generic_plan",
};
