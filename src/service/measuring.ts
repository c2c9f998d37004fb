import { Metrics } from "../metrics/metrics";
import type { Export } from "../otlp/collector";
import type { Log } from "../runtime/log";
import type { Config } from "./config";

/** Returns the metrics of a process; null if they are neither served nor exported. */
export function createMetrics({ metricsPort, otlp }: Config): Metrics | null {
  return metricsPort === null && otlp.metrics === null ? null : new Metrics();
}

/** Begins to export metrics, if that is configured. Loads OpenTelemetry only then. */
export async function exportMetrics(
  metrics: Metrics | null,
  { otlp }: Config,
  log: Log,
): Promise<Export | null> {
  if (otlp.metrics === null || metrics === null) return null;
  const { startMetricExport } = await import("../otlp/metrics");
  return startMetricExport(metrics, otlp.metrics.intervalMs, log);
}
