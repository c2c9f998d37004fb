import { type HrTime, ValueType } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import type { MetricFamily, Metrics, Sample } from "../metrics/metrics";
import type { Log } from "../runtime/log";
import { VERSION } from "../runtime/version";
import { type Export, hrTime, reportOutages } from "./collector";
import { readResource } from "./resource";

type MetricSource = Pick<Metrics, "read">;
/** The time that a figure is about: since the start of the process, until now. */
type Period = Readonly<{ startTime: HrTime; endTime: HrTime }>;

/** Exports a process's metrics by OTLP, with the names and values that they have at /metrics. */
export function startMetricExport(metrics: MetricSource, intervalMs: number, log: Log): Export {
  const exporter = new OTLPMetricExporter();
  reportOutages(exporter, "metrics", log);
  const resource = readResource();
  const startTime = hrTime(Date.now() - process.uptime() * 1_000);
  const scope = { name: "hermod", version: VERSION };
  const producer: MetricProducer = {
    collect: async () => {
      const families = await metrics.read();
      const period = { startTime, endTime: hrTime(Date.now()) };
      const data = families.filter(({ samples }) => samples.length > 0).map((each) => dataOf(each, period));
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics: data }] }, errors: [] };
    },
  };
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: intervalMs,
    metricProducers: [producer],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return { close: () => provider.shutdown() };
}

function dataOf({ name, help, type, samples }: MetricFamily, period: Period): MetricData {
  const common = {
    descriptor: { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const numbers = () => samples.map(({ labels, value }) => ({ ...period, attributes: labels, value }));
  switch (type) {
    case "counter":
      return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: numbers() };
    case "gauge":
      return { ...common, dataPointType: DataPointType.GAUGE, dataPoints: numbers() };
    case "histogram":
      return {
        ...common,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: histogramsOf(name, samples, period),
      };
  }
}

/** Reads a histogram's samples, one for each bucket, the sum and the count. Prometheus' buckets include the ones below them. */
function histogramsOf(name: string, samples: readonly Sample[], period: Period): DataPoint<Histogram>[] {
  const byLabels = Map.groupBy(samples, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
  return [...byLabels].map(([labels, own]) => {
    const buckets = own.filter((each) => each.name === `${name}_bucket`);
    const valueAt = (suffix: string) => own.find((each) => each.name === name + suffix)?.value ?? 0;
    const value = {
      buckets: {
        boundaries: buckets.map(({ labels: { le } }) => Number(le)).filter(Number.isFinite),
        counts: buckets.map(({ value }, i) => value - (buckets[i - 1]?.value ?? 0)),
      },
      sum: valueAt("_sum"),
      count: valueAt("_count"),
    };
    return { ...period, attributes: JSON.parse(labels), value };
  });
}

/** The unit in UCUM, by the end of the name. */
function unitOf(name: string): string {
  const [, unit] = /_(seconds|bytes)(?:_total)?$/.exec(name) ?? [];
  return unit === "seconds" ? "s" : unit === "bytes" ? "By" : "";
}
