import type { DatabaseMeter } from "../db/database";
import type { Metrics } from "./metrics";
import { DURATIONS } from "./metrics";

/** Measures a process's use of Postgres, by pool. */
export function databaseMeters(metrics: Metrics): (pool: string) => DatabaseMeter {
  const durations = metrics.histogram(
    {
      name: "hermod_postgres_duration_seconds",
      help: "Statements and transactions, including the wait for a connection.",
    },
    DURATIONS,
    ["pool"],
  );
  const failures = metrics.counterBy(
    {
      name: "hermod_postgres_failures_total",
      help: "Statements and transactions for which Postgres was unreachable, refused writes or took too long.",
    },
    ["pool"],
    [],
  );
  return (pool) => {
    const durationsOf = durations.labels(pool);
    failures.inc({ pool }, 0);
    return { took: (ms) => durationsOf.observe(ms / 1_000), missed: () => failures.inc({ pool }) };
  };
}
