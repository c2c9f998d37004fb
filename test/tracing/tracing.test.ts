import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DeliveryId, isTraced, leastIdAt, newId, toText } from "../../src/domain/ids";
import { parseTraceparent } from "../../src/domain/traceparent";
import { startTracing } from "../../src/otlp/traces";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import { startService } from "../../src/service/service";
import { TraceStore } from "../../src/tracing/trace-store";
import { type ReceivedSpan, startCollector } from "../otlp/collector";
import { atEnd } from "../support/at-end";
import { until } from "../support/faults/until";
import { keepingLog } from "../support/keeping-log";
import { useDatabase } from "../support/postgres";
import { ADMIN_KEY, configOn } from "../support/service-config";

const database = await useDatabase();
const folder = await mkdtemp(join(tmpdir(), "hermod-tracing-"));
atEnd(() => rm(folder, { recursive: true }));

const log = createLog("silent");
const SENDER = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
const SAMPLED = `00-${SENDER.traceId}-${SENDER.spanId}-01`;
const UNSAMPLED = `00-${"c".repeat(32)}-${"d".repeat(16)}-00`;

type Received = { path: string; event: string | null; traceparent: string | null };

/** An API and a dispatcher, like two processes, with a receiver whose first answer to each path is a 503. */
async function tracedWith(env: Record<string, string>, serviceLog = log) {
  const received: Received[] = [];
  const failed = new Set<string>();
  const receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url, headers }) => {
      const path = new URL(url).pathname;
      received.push({ path, event: headers.get("webhook-event"), traceparent: headers.get("traceparent") });
      const isFirst = !failed.has(path);
      failed.add(path);
      return new Response(null, { status: isFirst ? 503 : 204 });
    },
  });
  const common = { HERMOD_RETRY_SCHEDULE: "50ms,50ms", HERMOD_METRICS_PORT: "0", ...env };
  const dispatcher = await startService(await configOn(database, folder, common), "dispatcher", serviceLog);
  const api = await startService(await configOn(database, folder, common), "api", serviceLog);
  const post = async (path: string, body: object, headers = {}) => {
    const answer = await fetch(`http://127.0.0.1:${api.port}/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBeLessThan(300);
    return { id: "", ...JSON.parse(await answer.text()) };
  };
  const endpoint = (name: string, settings = {}) =>
    post("/endpoints", { url: `http://127.0.0.1:${receiver.port}/${name}`, ...settings });
  /** Returns the traces that the dispatcher's metrics refer to. */
  const exemplars = async () => {
    const headers = { accept: "application/openmetrics-text" };
    const answer = await fetch(`http://127.0.0.1:${dispatcher.metricsPort}/metrics`, { headers });
    return (await answer.text()).match(/(?<=trace_id=")\w+/g) ?? [];
  };
  const stop = async () => {
    await api.stop();
    await dispatcher.stop();
    await receiver.stop(true);
  };
  return { post, endpoint, received, exemplars, stop };
}

test("a sender's trace continues through commit, queue, each attempt and its record, to a receiver that wants it", async () => {
  const collector = startCollector();
  const { lines, log: kept } = keepingLog();
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: "parentbased_always_off",
    HERMOD_LOG_REQUESTS: "1",
    HERMOD_LOG_ATTEMPTS: "1",
  };
  const { post, endpoint, received, exemplars, stop } = await tracedWith(env, kept);
  await endpoint("reported", { traceparent: true });
  await endpoint("untold");
  await post("/events", { event: "a.b", data: {} }, { traceparent: SAMPLED, "x-request-id": "mine" });
  await until(() => received.length === 4, { what: "two attempts at each endpoint" });
  await post("/events", { event: "un.sampled", data: {} }, { traceparent: UNSAMPLED });
  await until(() => received.length === 6, { what: "the unsampled event" });
  expect(new Set(await exemplars())).toEqual(new Set([SENDER.traceId]));
  await stop();
  await collector.stop();

  const { spans } = collector;
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([SENDER.traceId]));
  expect(new Set(spans.map(({ service }) => service))).toEqual(new Set(["hermod"]));
  const named = (name: string) => spans.filter((each) => each.name === name);
  const [request] = named("POST /v1/events");
  expect(request).toMatchObject({
    parentSpanId: SENDER.spanId,
    kind: 2,
    attributes: { "http.response.status_code": 201, "hermod.request_id": "mine" },
  });
  const children = (span: ReceivedSpan | undefined) =>
    spans.filter(({ parentSpanId }) => parentSpanId === span?.spanId).map(({ name }) => name);
  const ofEndpoint = ["wait", "attempt", "record", "attempt", "record"];
  expect(children(request).toSorted()).toEqual(["commit", ...ofEndpoint, ...ofEndpoint].toSorted());
  const attempts = named("attempt");
  for (const attempt of attempts) {
    expect(children(attempt)).toContain("first byte");
    expect(attempt.endedAt).toBeGreaterThanOrEqual(attempt.startedAt);
    expect(attempt).toMatchObject({ kind: 3, attributes: { "server.address": "127.0.0.1" } });
  }
  const results = attempts.map(({ isError, attributes }) => [
    attributes["hermod.result"],
    attributes["http.response.status_code"],
    isError,
  ]);
  expect(results.toSorted()).toEqual([
    ["delivered", 204, false],
    ["delivered", 204, false],
    ["retry", 503, true],
    ["retry", 503, true],
  ]);
  const traceparents = received.map(
    ({ path, event, traceparent }) => `${path} ${event} ${traceparent !== null}`,
  );
  expect(traceparents.toSorted()).toEqual([
    "/reported a.b true",
    "/reported a.b true",
    "/reported un.sampled false",
    "/untold a.b false",
    "/untold a.b false",
    "/untold un.sampled false",
  ]);
  const spansOf = (message: string) =>
    lines.flatMap(({ msg, trace_id, span_id }) => (msg === message && trace_id ? [span_id] : []));
  expect(spansOf("answered a request")).toEqual([request?.spanId]);
  expect(spansOf("attempted a delivery").toSorted()).toEqual(attempts.map(({ spanId }) => spanId).toSorted());
  const passedOn = received.flatMap(({ traceparent }) => traceparent ?? []);
  const ownPlaces = attempts.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`);
  expect(ownPlaces).toEqual(expect.arrayContaining(passedOn));
}, 120_000);

test("a send's trace is stored with its delivery, once, and contains each attempt", async () => {
  await database.db.run((sql) => sql`delete from traces`);
  const collector = startCollector();
  const { post, endpoint, received, stop } = await tracedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const { id } = await endpoint("sent", { traceparent: true });
  const body = { endpoint_id: id, event: "e.f", data: {} };
  const headers = { traceparent: SAMPLED, "idempotency-key": "once" };
  const sent = await post("/webhooks", body, headers);
  expect(await post("/webhooks", body, headers)).toEqual(sent);
  await post("/webhooks", body, { traceparent: UNSAMPLED });
  await until(() => received.length === 3, { what: "two attempts of the one, and one of the other" });
  const rows = await database.db.run((sql) => sql<{ id: DeliveryId }[]>`select id from traces`);
  expect(rows.map((row) => toText("wh", row.id))).toEqual([sent.id]);
  await stop();
  await collector.stop();
  const attempts = collector.spans.filter(({ name }) => name === "attempt");
  expect(attempts.map(({ traceId }) => traceId)).toEqual([SENDER.traceId, SENDER.traceId]);
  expect(attempts.map(({ attributes }) => attributes["hermod.delivery_id"])).toEqual([sent.id, sent.id]);
}, 120_000);

test.each([
  ["parentbased_always_on", [true, true, false]],
  ["parentbased_always_off", [false, true, false]],
  ["always_on", [true, true, true]],
  ["always_off", [false, false, false]],
] as const)("%s records its own, a sampled and an unsampled trace: %p", async (sampler, wanted) => {
  const tracing = startTracing({ sampler, share: 0.01 }, log);
  const began = [null, SAMPLED, UNSAMPLED].map((parent) => tracing.begin("request", "server", parent, {}));
  expect(began.map((span) => span !== null)).toEqual([...wanted]);
  await tracing.close();
});

test("always_off records no step of another process's trace", async () => {
  const collector = startCollector();
  for (const sampler of ["always_off", "always_on"] as const) {
    const tracing = startTracing({ sampler, share: 1 }, log);
    tracing.record({ name: sampler, parent: SAMPLED, startedAt: 1_000, endedAt: 2_000 });
    await tracing.close();
  }
  await collector.stop();
  expect(collector.spans.map(({ name }) => name)).toEqual(["always_on"]);
});

test.each(["parentbased_traceidratio", "traceidratio"] as const)(
  "%s records a share of the requests without a trace",
  async (sampler) => {
    const tracing = startTracing({ sampler, share: 0.25 }, log);
    const began = Array.from({ length: 4_000 }, () => tracing.begin("request", "server", null, {}));
    const recorded = began.filter((span) => span !== null).length;
    // 1,000 are expected. With 27 as standard deviation, one run in a thousand million million is outside.
    expect(recorded).toBeGreaterThan(780);
    expect(recorded).toBeLessThan(1_220);
    await tracing.close();
  },
);

test("without OpenTelemetry's variables a sender's trace is neither stored nor passed on", async () => {
  await database.db.run((sql) => sql`delete from traces`);
  const { post, endpoint, received, stop } = await tracedWith({});
  const { id } = await endpoint("quiet", { traceparent: true });
  await post("/webhooks", { endpoint_id: id, event: "c.d", data: {} }, { traceparent: SAMPLED });
  await until(() => received.filter(({ path }) => path === "/quiet").length === 2);
  await stop();
  expect(received.filter(({ traceparent }) => traceparent !== null)).toEqual([]);
  expect(await database.db.run((sql) => sql`select from traces`)).toHaveLength(0);
}, 120_000);

test("a trace is found by each delivery of its event, in every process, for a day", async () => {
  const day = 86_400_000;
  const time = { now: Date.now() };
  const clock = { ...systemClock, now: () => time.now };
  const [one, other] = [1, 2].map(() => new TraceStore({ db: database.db, clock, log }));
  const [id, untraced] = [newId("wh", 2, true), newId("wh", 2)];
  expect([isTraced(id), isTraced(untraced)]).toEqual([true, false]);
  const event = `${id.slice(0, 32)}0000` as typeof id;
  one?.remember(event, SAMPLED);
  await database.db.run((sql) => sql`insert into traces (id, traceparent) values (${event}, ${SAMPLED})`);
  for (const store of [one, other]) {
    expect(await store?.find(`${id.slice(0, 32)}0007` as typeof id)).toBe(SAMPLED);
    expect(await store?.find(untraced)).toBeNull();
  }
  time.now += day - 60_000;
  await other?.forget();
  expect(await database.db.run((sql) => sql`select from traces where id = ${event}`)).toHaveLength(1);
  time.now += 120_000;
  await other?.forget();
  expect(
    await database.db.run((sql) => sql`select from traces where id <= ${leastIdAt(time.now)}`),
  ).toHaveLength(0);
});

test.each([
  [SAMPLED, true],
  [UNSAMPLED, true],
  [`cc-${SENDER.traceId}-${SENDER.spanId}-01`, true],
  [`ff-${SENDER.traceId}-${SENDER.spanId}-01`, false],
  [`00-${"0".repeat(32)}-${SENDER.spanId}-01`, false],
  [`00-${SENDER.traceId}-${"0".repeat(16)}-01`, false],
  [`00-${SENDER.traceId.toUpperCase()}-${SENDER.spanId}-01`, false],
  [`${SAMPLED}-more`, false],
  ["", false],
])("traceparent %j is valid: %p", (text, isValid) => {
  expect(parseTraceparent(text) !== null).toBe(isValid);
});
