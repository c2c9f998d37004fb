import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-proto";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { type Exporter, reasonOf, type Signal } from "./collector";
import { readResource } from "./resource";

/** Makes an export without content. Throws if the collector does not accept it. */
export function probeCollector(signal: Signal, timeoutMillis: number): Promise<void> {
  const options = { timeoutMillis };
  switch (signal) {
    case "traces":
      return exported(new OTLPTraceExporter(options), []);
    case "metrics":
      return exported(new OTLPMetricExporter(options), { resource: readResource(), scopeMetrics: [] });
    case "logs":
      return exported(new OTLPLogExporter(options), []);
  }
}

function exported<Items>(exporter: Exporter<Items>, items: Items): Promise<void> {
  return new Promise((resolve, reject) => {
    exporter.export(items, ({ code, error }) => (code === 0 ? resolve() : reject(reasonOf(error))));
  });
}
