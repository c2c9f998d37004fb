import { expect, test } from "bun:test";
import { Metrics } from "../../src/metrics/metrics";
import { startMetricExport } from "../../src/otlp/metrics";
import { startTracing } from "../../src/otlp/traces";
import { startService } from "../../src/service/service";
import { makeFolder } from "../embedded/folder";
import { keepingLog } from "../support/keeping-log";
import { testDatabase } from "../support/postgres";
import { ADMIN_KEY, configOn } from "../support/service-config";
import { startCollector, withTimeLimit } from "./collector";

const MINUTE_MS = 60_000;

test("a collector that refuses traces and metrics is reported, for each by itself", async () => {
  const collector = startCollector(() => new Response("neither", { status: 404 }));
  const { lines, log } = keepingLog();
  const metrics = new Metrics();
  metrics.gauge({ name: "waiting", help: "…" }, () => 1);
  const tracing = startTracing({ sampler: "always_on", share: 1 }, log);
  tracing.begin("request", "server", null, {})?.end({}, null);
  await Promise.all([tracing.close(), startMetricExport(metrics, MINUTE_MS, log).close()]);
  await collector.stop();
  const reports = lines.map(({ level, signal, error }) => [level, signal, error]);
  expect(reports.toSorted()).toEqual([
    [40, "metrics", "status 404 Not Found"],
    [40, "traces", "status 404 Not Found"],
  ]);
});

test("spans beyond the queue are dropped and counted", async () => {
  const collector = startCollector();
  const { lines, log } = keepingLog();
  const tracing = startTracing({ sampler: "always_on", share: 1 }, log);
  const total = 5_000;
  // In one go, so that nothing is exported meanwhile.
  for (let i = 0; i < total; i++) tracing.begin("request", "server", null, {})?.end({}, null);
  await tracing.close();
  await collector.stop();
  expect(collector.spans).toHaveLength(2_048);
  expect(lines.map(({ level, signal, dropped }) => [level, signal, dropped])).toEqual([
    [40, "traces", undefined],
    [30, "traces", total - 2_048],
  ]);
});

test(
  "a collector that never answers delays neither a delivery nor the stop",
  () =>
    withTimeLimit(MINUTE_MS, async () => {
      const database = await testDatabase();
      await using folder = await makeFolder();
      const collector = startCollector(() => new Promise(() => {}));
      const env = {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_METRICS_EXPORTER: "otlp",
        OTEL_METRIC_EXPORT_INTERVAL: "1000",
      };
      const service = await startService(
        await configOn(database, folder.dataDir, env),
        "all",
        keepingLog().log,
      );
      const { promise: delivered, resolve } = Promise.withResolvers<void>();
      using receiver = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: () => {
          resolve();
          return new Response();
        },
      });
      const post = async (path: string, body: object) => {
        const headers = { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" };
        const url = `http://127.0.0.1:${service.port}/v1${path}`;
        return JSON.parse(
          await (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).text(),
        );
      };
      const { id } = await post("/endpoints", { url: receiver.url.href });
      await post("/webhooks", { endpoint_id: id, event: "a.b", data: {} });
      await delivered;
      const began = performance.now();
      await service.stop();
      // The stop has 29 s. An export that it waited for would use them up.
      expect(performance.now() - began).toBeLessThan(20_000);
      await collector.stop();
      await database.drop();
    }),
  90_000,
);
