import type { DatabaseMeter } from "../db/database";
import { DURATIONS } from "./durations";
import type { Metrics } from "./metrics";

/** What a process does with Postgres, by the pool that it does it with. */
export function databaseMeters(metrics: Metrics): (pool: string) => DatabaseMeter {
  const durations = metrics.histogram(
    {
      name: "hermod_postgres_duration_seconds",
      help: "Statements and transactions, the wait for a connection included.",
    },
    DURATIONS,
    ["pool"],
  );
  const failures = metrics.counter(
    {
      name: "hermod_postgres_failures_total",
      help: "Statements and transactions for which Postgres was away, refused writes or took too long.",
    },
    ["pool"],
  );
  return (pool) => {
    const of = { durations: durations.labels(pool), failures: failures.labels(pool) };
    return { took: (ms) => of.durations.observe(ms / 1_000), missed: () => of.failures.inc() };
  };
}
