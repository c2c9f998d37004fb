/** The values of OTEL_TRACES_SAMPLER. */
export const SAMPLERS = [
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
  "always_on",
  "always_off",
  "traceidratio",
] as const;

/** Chooses the traces that are recorded. `share` (0 to 1) is for the samplers by ratio. */
export type TracingSettings = Readonly<{ sampler: (typeof SAMPLERS)[number]; share: number }>;
