import { expect, test } from "bun:test";
import { Metrics } from "../../src/metrics/metrics";
import { startMetricExport } from "../../src/otlp/metrics";
import { createLog } from "../../src/runtime/log";
import { startService } from "../../src/service/service";
import { makeFolder } from "../embedded/folder";
import { testDatabase } from "../support/postgres";
import { ADMIN_KEY, configOn } from "../support/service-config";
import { type ReceivedMetric, type ReceivedPoint, startCollector } from "./collector";

const log = createLog("silent");
const HOUR = 3_600_000;

/** Exports the metrics once, and returns what the collector got. */
async function exported(metrics: Metrics): Promise<ReceivedMetric[]> {
  const collector = startCollector();
  await startMetricExport(metrics, HOUR, log).close();
  await collector.stop();
  return collector.metrics;
}

/** The samples of the text format, by their names and labels. */
async function scraped(metrics: Metrics): Promise<Map<string, number>> {
  const { text } = await metrics.write("text");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const [, name = "", labels = "", value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      return [sampleName(name, labelsIn(labels)), Number(value)];
    }),
  );
}

function labelsIn(text: string): Record<string, string> {
  const pairs = text.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g);
  // The escapes of the text format are those of JSON.
  return Object.fromEntries([...pairs].map(([, name, value]) => [name, JSON.parse(`"${value}"`)]));
}

function sampleName(name: string, labels: Record<string, unknown>): string {
  const pairs = Object.entries(labels).map(([label, value]) => [label, String(value)]);
  return `${name} ${JSON.stringify(pairs.toSorted())}`;
}

/** The samples that Prometheus would make of the points. */
function samplesOf({ name, type, points }: ReceivedMetric): [string, number][] {
  return points.flatMap((point): [string, number][] =>
    type === "histogram"
      ? histogramSamples(name, point)
      : [[sampleName(name, point.attributes), point.value ?? 0]],
  );
}

function histogramSamples(
  name: string,
  { attributes, bounds, counts, sum, count }: ReceivedPoint,
): [string, number][] {
  let total = 0;
  const buckets = counts.map((each, i): [string, number] => {
    total += each;
    return [sampleName(`${name}_bucket`, { ...attributes, le: bounds[i] ?? "+Inf" }), total];
  });
  return [
    ...buckets,
    [sampleName(`${name}_sum`, attributes), sum],
    [sampleName(`${name}_count`, attributes), count],
  ];
}

const HOSTILE = 'a"b\\c\nd{e="f"} ∞ \u{1f4a5}';

test("exported figures are those of /metrics, with hostile labels too", async () => {
  const metrics = new Metrics();
  const counter = metrics.counterBy({ name: "errors_total", help: "…" }, ["code", "status"], []);
  counter.inc({ code: HOSTILE, status: "500" }, 3);
  counter.inc({ code: "", status: "503" }, 0);
  metrics.total({ name: "cpu_seconds_total", help: "…" }, () => 12.75);
  metrics.totalBy({ name: "attempts_total", help: "…" }, "result", () => new Map([["2xx", 2 ** 53]]));
  metrics.gauge({ name: "waiting", help: "…" }, async () => -0.5);
  metrics.info({ name: "build_info", help: "…" }, { version: "1.2.3" });
  const durations = metrics.histogram({ name: "duration_seconds", help: "…" }, [0.001, 0.25, 10], ["pool"]);
  for (const value of [0, 0.001, 0.002, 0.25, 11, 12]) durations.labels("requests").observe(value);
  durations.labels(HOSTILE).observe(0.1);
  metrics.histogram({ name: "delay_seconds", help: "…" }, [1, 60]);
  const received = (await exported(metrics)).flatMap(samplesOf);
  expect(received).toHaveLength(23);
  expect(new Map(received)).toEqual(await scraped(metrics));
});

test("a metric has its type, description and unit, and counts from the start of the process", async () => {
  const metrics = new Metrics();
  metrics.total({ name: "cpu_seconds_total", help: "CPU time." }, () => 1);
  metrics.gauge({ name: "memory_bytes", help: "Memory." }, () => 1);
  metrics.histogram({ name: "delay_seconds", help: "Delays." }, [1]);
  metrics.counterBy({ name: "errors_total", help: "Errors." }, ["code"], [{ code: "a" }]);
  const received = await exported(metrics);
  const facts = received.map(({ name, type, unit, description, isCumulative, isMonotonic }) =>
    [name, type, unit, description, isCumulative, isMonotonic].join(),
  );
  expect(facts.toSorted()).toEqual([
    "cpu_seconds_total,sum,s,CPU time.,true,true",
    "delay_seconds,histogram,s,Delays.,true,false",
    "errors_total,sum,,Errors.,true,true",
    "memory_bytes,gauge,By,Memory.,false,false",
  ]);
  const startedAt = Date.now() - process.uptime() * 1_000;
  for (const { at, since } of received.flatMap(({ points }) => points)) {
    expect(Math.abs(since - startedAt)).toBeLessThan(2_000);
    expect(at).toBeGreaterThan(since);
  }
});

test("a figure that can't be read is left out, and keeps no other from its export", async () => {
  const metrics = new Metrics();
  metrics.gauge({ name: "pending", help: "…" }, async () => {
    throw new Error("away");
  });
  metrics.gauge({ name: "waiting", help: "…" }, () => 1);
  expect((await exported(metrics)).map(({ name }) => name)).toEqual(["waiting"]);
});

test("a service without a metrics port exports all of its metrics, the last ones with its servers connected", async () => {
  const database = await testDatabase();
  await using folder = await makeFolder();
  const collector = startCollector();
  const env = { OTEL_METRICS_EXPORTER: "otlp", OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const service = await startService(await configOn(database, folder.dataDir, env), "all", log);
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  await fetch(`http://127.0.0.1:${service.port}/v1/endpoints`, { headers });
  await service.stop();
  await collector.stop();
  await database.drop();
  expect(service.metricsPort).toBeNull();
  const { metrics } = collector;
  const figures = new Map(metrics.flatMap(samplesOf));
  const expected = {
    hermod_http_requests_total: 1,
    hermod_deliveries_pending: 0,
    hermod_postgres_up: 1,
    hermod_nats_up: 1,
  };
  const shown = Object.keys(expected).map((name) => [name, figures.get(sampleName(name, {}))]);
  expect(Object.fromEntries(shown)).toEqual(expected);
  const [{ resource } = { resource: {} }] = metrics;
  expect(resource).toMatchObject({
    "service.name": "hermod",
    "service.instance.id": expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
}, 120_000);
