import { expect, test } from "bun:test";
import { ApiMeter } from "../../src/metrics/api-meter";
import { databaseMeters } from "../../src/metrics/database-meter";
import { DispatchMeter } from "../../src/metrics/dispatch-meter";
import { Metrics } from "../../src/metrics/metrics";
import { addProcessFigures, coreWaitSeconds } from "../../src/metrics/process-figures";
import { exchangeWith } from "../support/exchange";

const samplesOf = (text: string) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

test("a metric that can't be read at a scrape is left out, and shown again once it can", async () => {
  const metrics = new Metrics();
  let isAway = false;
  metrics.gauge({ name: "pending", help: "…" }, async () => {
    if (isAway) throw new Error("away");
    return 3;
  });
  metrics.gauge({ name: "others", help: "…" }, () => 1);
  expect(samplesOf((await metrics.write("text")).text)).toEqual(["pending 3", "others 1"]);
  isAway = true;
  expect(samplesOf((await metrics.write("text")).text)).toEqual(["others 1"]);
  isAway = false;
  expect(samplesOf((await metrics.write("text")).text)).toEqual(["pending 3", "others 1"]);
});

test("a total counted elsewhere is exported as it is, however often it is scraped", async () => {
  const metrics = new Metrics();
  let counted = 5;
  metrics.total({ name: "seconds_total", help: "…" }, () => counted);
  expect(samplesOf((await metrics.write("text")).text)).toEqual(["seconds_total 5"]);
  counted = 7;
  expect(samplesOf((await metrics.write("text")).text)).toEqual(["seconds_total 7"]);
});

/** Returns the values of all samples by name. */
async function figuresOf(metrics: Metrics): Promise<Record<string, number>> {
  const samples = samplesOf((await metrics.write("text")).text).map((line) => line.split(/ (?=\S+$)/));
  return Object.fromEntries(samples.map(([name, value]) => [name, Number(value)]));
}

const EXCHANGE = exchangeWith({ status: 503, startedAt: 5_000, durationMs: 1_500 });

test("durations are in seconds, attempts by their error before their status", async () => {
  const metrics = new Metrics();
  const meter = new DispatchMeter(metrics);
  meter.attempted(EXCHANGE, 2_000, null);
  meter.attempted({ ...EXCHANGE, status: 200, error: "timeout" }, null, null);
  meter.attempted({ ...EXCHANGE, status: 200, error: "connection_reset", acknowledged: true }, null, null);
  databaseMeters(metrics)("requests").took(1_500);
  expect(await figuresOf(metrics)).toMatchObject({
    'hermod_attempts_total{result="5xx"}': 1,
    'hermod_attempts_total{result="2xx"}': 1,
    'hermod_attempts_total{result="timeout"}': 1,
    hermod_attempt_duration_seconds_sum: 4.5,
    hermod_first_attempt_delay_seconds_sum: 3,
    'hermod_postgres_duration_seconds_sum{pool="requests"}': 1.5,
    'hermod_postgres_failures_total{pool="requests"}': 0,
  });
});

test("OpenMetrics has the same samples, and the latest trace of each bucket", async () => {
  const metrics = new Metrics();
  new DispatchMeter(metrics).attempted(
    { ...EXCHANGE, durationMs: 1_500 },
    2_000,
    `00-${"a".repeat(32)}-${"b".repeat(16)}-01`,
  );
  new ApiMeter(metrics);
  const plain = await metrics.write("text");
  const open = await metrics.write("openmetrics");
  expect([plain.contentType, open.contentType].map((type) => type.split(";")[0])).toEqual([
    "text/plain",
    "application/openmetrics-text",
  ]);
  const withoutTraces = samplesOf(open.text).map((line) => line.replace(/ # .*/, ""));
  expect(withoutTraces).toEqual(samplesOf(plain.text));
  expect(open.text.split("\n").filter((line) => line.includes(" # "))).toEqual([
    `hermod_attempt_duration_seconds_bucket{le="2.5"} 1 # {trace_id="${"a".repeat(32)}"} 1.5 6.5`,
    `hermod_first_attempt_delay_seconds_bucket{le="5"} 1 # {trace_id="${"a".repeat(32)}"} 3 6.5`,
  ]);
  expect(open.text).toContain("# TYPE hermod_attempts counter\nhermod_attempts_total{");
  expect(open.text).toEndWith("\n# EOF\n");
  expect(open.text).not.toContain("\n\n");
});

test("an API counts each delivery that it accepts, and reports errors from the beginning", async () => {
  const metrics = new Metrics();
  const meter = new ApiMeter(metrics);
  meter.accepted(3);
  meter.accepted(4);
  expect(await figuresOf(metrics)).toMatchObject({
    hermod_deliveries_accepted_total: 7,
    'hermod_http_errors_total{status="503",code="SERVICE_UNAVAILABLE"}': 0,
  });
});

test("the time without a core is the kernel's count of waiting, in seconds", () => {
  expect(coreWaitSeconds("93518426110 2500000000 41\n")).toBe(2.5);
});

test("a process exports its start time and CPU time, in seconds", async () => {
  const metrics = new Metrics();
  addProcessFigures(metrics, "all");
  const figures = await figuresOf(metrics);
  const { user, system } = process.cpuUsage();
  expect(figures.process_cpu_seconds_total).toBeCloseTo((user + system) / 1e6, 0);
  expect(figures.process_start_time_seconds).toBeCloseTo(Date.now() / 1_000 - process.uptime(), 0);
});
