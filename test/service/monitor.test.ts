import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "../../src/runtime/log";
import { type Config, readConfig } from "../../src/service/config";
import { startRouter } from "../../src/service/router";
import { type Service, type ServiceRole, startService } from "../../src/service/service";
import { atEnd } from "../support/at-end";
import { TcpProxy } from "../support/faults/tcp-proxy";
import { until } from "../support/faults/until";
import { useDatabase } from "../support/postgres";
import { testNatsUrl } from "../support/servers";
import { ADMIN_KEY, configOn } from "../support/service-config";

const services: Service[] = [];
const database = await useDatabase();
const folder = await mkdtemp(join(tmpdir(), "hermod-monitor-"));
atEnd(() => rm(folder, { recursive: true }));
const stopAll = () => Promise.all(services.splice(0).map((service) => service.stop()));

async function start(role: ServiceRole, env: Record<string, string> = {}): Promise<Service> {
  const config = await configOn(database, folder, { HERMOD_METRICS_PORT: "0", ...env });
  const service = await startService(config, role, createLog("silent"));
  services.push(service);
  return service;
}

type Monitored = Pick<Service, "metricsPort">;
const monitorOf = ({ metricsPort }: Monitored) => `http://127.0.0.1:${metricsPort}`;

async function routerConfig(): Promise<Config> {
  const env = { HERMOD_CELLS: "here=http://127.0.0.1:9", HERMOD_CELLS_NATS_URL: await testNatsUrl() };
  return readConfig({ ...env, HERMOD_METRICS_PORT: "0", PORT: "0" }, "router");
}

/** Prometheus waits for 10 s by default. */
const SCRAPE_MS = 8_000;

/** A sample's name with its labels, and its value: the text format, version 0.0.4. */
const SAMPLE = /^([a-z_]+(?:\{(?:[a-z]+="[^"]*",?)+\})?) (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

async function scrape(service: Monitored): Promise<Map<string, number>> {
  const answer = await fetch(`${monitorOf(service)}/metrics`, { signal: AbortSignal.timeout(SCRAPE_MS) });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
  const lines = (await answer.text()).split("\n").filter((line) => line !== "" && !line.startsWith("# "));
  return new Map(
    lines.map((line) => {
      const [, name = "", value] = SAMPLE.exec(line) ?? [];
      if (name === "") throw new Error(`no sample: ${line}`);
      return [name, Number(value)];
    }),
  );
}

async function ask(service: Service, method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const answer = await fetch(`http://127.0.0.1:${service.port}/v1${path}`, init);
  return JSON.parse(await answer.text());
}

describe("a process of all roles", () => {
  let service: Service;
  beforeAll(async () => {
    service = await start("all", { HERMOD_RETRY_SCHEDULE: "100ms" });
  });
  afterAll(stopAll);

  test("shows accepted, attempted and ended deliveries, and pending ones", async () => {
    let status = 200;
    using receiver = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response(null, { status }),
    });
    const { id: endpoint_id } = await ask(service, "POST", "/endpoints", { url: receiver.url.href });
    const send = () => ask(service, "POST", "/webhooks", { endpoint_id, event: "order.paid", data: {} });
    const [first] = await Promise.all([send(), send(), send()]);
    await ask(service, "POST", "/events", { event: "order.paid", data: {} });
    const ended = async (of: string) =>
      (await scrape(service)).get(`hermod_deliveries_ended_total{status="${of}"}`);
    await until(async () => (await ended("delivered")) === 4);
    await ask(service, "POST", `/webhooks/${first.id}/resend`);
    await until(async () => (await ended("delivered")) === 5);
    status = 503;
    await send();
    await until(async () => (await ended("failed")) === 1);
    await ask(service, "PATCH", `/endpoints/${endpoint_id}`, { is_active: false });
    await send();
    await ask(service, "GET", "/endpoints/ep_none");
    const figures = await scrape(service);
    const expected = {
      hermod_deliveries_accepted_total: 7,
      'hermod_attempts_total{result="2xx"}': 5,
      'hermod_attempts_total{result="5xx"}': 2,
      hermod_attempt_duration_seconds_count: 7,
      hermod_first_attempt_delay_seconds_count: 6,
      hermod_deliveries_pending: 1,
      hermod_http_requests_total: 10,
      'hermod_http_errors_total{status="404",code="NOT_FOUND"}': 1,
      hermod_partitions: 8,
      hermod_partitions_configured: 8,
      hermod_retention_seconds: 2_592_000,
      hermod_intake_waiting: 0,
      hermod_attempts_under_way: 0,
      hermod_outcomes_refused_total: 0,
      hermod_postgres_up: 1,
      hermod_nats_up: 1,
    };
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, figures.get(name)]))).toEqual(
      expected,
    );
    expect(figures.get('hermod_postgres_duration_seconds_count{pool="intake"}')).toBeGreaterThan(0);
    expect(figures.get("process_resident_memory_bytes")).toBeGreaterThan(1e6);
  });

  test("answers a scraper that requests OpenMetrics with it, and with the same metrics as in the text format", async () => {
    // As Prometheus 3 does.
    const accept =
      "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1";
    const before = await scrape(service);
    const answer = await fetch(`${monitorOf(service)}/metrics`, { headers: { accept } });
    expect(answer.headers.get("content-type")).toStartWith("application/openmetrics-text; version=1.0.0");
    const lines = (await answer.text()).split("\n");
    const names = lines.flatMap((line) => SAMPLE.exec(line)?.[1] ?? []);
    const after = await scrape(service);
    // A pool's first query adds its metrics, also between two scrapes.
    expect([...before.keys()].filter((name) => !names.includes(name))).toEqual([]);
    expect(names.filter((name) => !after.has(name))).toEqual([]);
  });

  test("and a router have the metrics that docs/metrics.md names, and no others", async () => {
    const router = await startRouter(await routerConfig(), createLog("silent"));
    const typesOf = async (monitored: Monitored) => {
      const text = await (await fetch(`${monitorOf(monitored)}/metrics`)).text();
      return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
    };
    const reported = new Set([...(await typesOf(service)), ...(await typesOf(router))]);
    await router.stop();
    const page = await readFile(join(import.meta.dir, "../../docs/metrics.md"), "utf8");
    const named = [...page.matchAll(/^\| `([a-z_]+)[^`]*` \| (\w+) \|/gm)].map(
      ([, name, type]) => `${name} ${type}`,
    );
    expect(named.toSorted()).toEqual([...reported].toSorted());
  });
});

describe("a monitor", () => {
  afterEach(stopAll);

  test("a dispatcher alone reports its health and its metrics, and no others", async () => {
    const service = await start("dispatcher");
    expect(service.port).toBeNull();
    const url = monitorOf(service);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    // NATS may be connected a moment after the start.
    await until(async () => (await fetch(`${url}/health/ready?require=nats`)).status === 200, {
      what: "readiness",
    });
    const figures = await scrape(service);
    expect(figures.has("hermod_partitions")).toBeTrue();
    expect(figures.has("hermod_http_requests_total")).toBeFalse();
    expect((await fetch(`${url}/metrics`, { method: "POST" })).status).toBe(405);
    for (const path of ["/", "/v1/endpoints", "/swagger", "/metrics/more"]) {
      const answer = await fetch(`${url}${path}`);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ error: { code: "NOT_FOUND" } });
    }
  });

  test("of all processes of an installation, the owner of the first partition shows the storage", async () => {
    await Promise.all([start("dispatcher"), start("dispatcher"), start("api")]);
    const shows = async (service: Service) => (await scrape(service)).has("hermod_storage_bytes");
    const owners = async () => (await Promise.all(services.map(shows))).filter(Boolean).length;
    await until(async () => (await owners()) === 1, { what: "one owner" });
  });

  test("an API alone has no metrics of a dispatcher", async () => {
    const figures = await scrape(await start("api"));
    expect(figures.has("hermod_http_requests_total")).toBeTrue();
    expect(figures.has("hermod_partitions")).toBeFalse();
  });

  test("a router alone reports its health, its requests and its directory", async () => {
    const router = await startRouter(await routerConfig(), createLog("silent"));
    atEnd(() => router.stop());
    const url = monitorOf(router);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    await until(async () => (await fetch(`${url}/health/ready`)).status === 200);
    for (const base of [url, `http://127.0.0.1:${router.port}`])
      expect((await fetch(`${base}/health/ready?require=nats`)).status).toBe(400);
    const ask = () => fetch(`http://127.0.0.1:${router.port}/v1/me`, { headers: { "hermod-cell": "here" } });
    expect((await ask()).status).toBe(401);
    const figures = await scrape(router);
    expect(figures.get("hermod_http_requests_total")).toBe(1);
    expect(figures.get('hermod_http_errors_total{status="401",code="UNAUTHORIZED"}')).toBe(1);
    expect(figures.get("hermod_http_requests_under_way")).toBe(0);
    expect(figures.get("hermod_directory_up")).toBe(1);
    expect(figures.has("hermod_deliveries_accepted_total")).toBeFalse();
  });

  test("an unavailable server is shown within a scrape's time, with every other metric", async () => {
    const postgres = await TcpProxy.to(database.url);
    const service = await start("all", { DATABASE_URL: postgres.urlFor(database.url) });
    postgres.stall();
    const figures = await scrape(service);
    expect(figures.get("hermod_postgres_up")).toBe(0);
    expect(figures.get("hermod_nats_up")).toBe(1);
    expect(figures.has("hermod_deliveries_pending")).toBeFalse();
    expect(figures.get("hermod_partitions")).toBeDefined();
    expect((await fetch(`${monitorOf(service)}/health/ready`)).status).toBe(503);
    await postgres.end();
  }, 120_000);

  test("no port is used unless one is configured; a taken one is named", async () => {
    const silent = await start("all", { HERMOD_METRICS_PORT: "" });
    expect(silent.metricsPort).toBeNull();
    using taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    await expect(start("all", { HERMOD_METRICS_PORT: String(taken.port) })).rejects.toThrow(
      `HERMOD_METRICS_PORT ${taken.port}`,
    );
  });
});
