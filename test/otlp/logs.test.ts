import { expect, test } from "bun:test";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { startLogExport } from "../../src/otlp/logs";
import type { Log } from "../../src/runtime/log";
import { until } from "../support/faults/until";
import { testDatabase } from "../support/postgres";
import { programFor } from "../support/program";
import { testNatsUrl } from "../support/servers";
import { startCollector, withTimeLimit } from "./collector";

/** A log that is exported, and the lines that the export logs about itself. */
function exportedLog(level: pino.Level = "info") {
  const own: Record<string, unknown>[] = [];
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const output = startLogExport(pino(options, { write: (line) => void own.push(JSON.parse(line)) }));
  return { log: pino(options, output) as Log, settled: output.settled, own };
}

const [TRACE, SPAN] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
const BEGUN = "could not export to the OTLP collector; spans and log lines are dropped until it accepts them";
const OVER = "the OTLP collector accepts exports again";

test("a line is exported with its time, level, message, fields and span", async () => {
  const collector = startCollector();
  const { log, settled } = exportedLog("trace");
  const facts = { delivery_id: "wh_1", duration_ms: 2.5, attempt: 3, forced: true, error: null };
  log.warn({ ...facts, trace_id: TRACE, span_id: SPAN }, "attempted a delivery");
  for (const level of ["trace", "debug", "info", "error", "fatal"] as const) log[level](`at ${level}`);
  await settled();
  await collector.stop();
  const [first, ...others] = collector.lines;
  expect(first).toMatchObject({
    severity: 13,
    severityText: "WARN",
    body: "attempted a delivery",
    attributes: { delivery_id: "wh_1", duration_ms: 2.5, attempt: 3, forced: true },
    traceId: TRACE,
    spanId: SPAN,
    resource: { "service.name": "hermod" },
  });
  expect(Object.keys(first?.attributes ?? {})).toHaveLength(4);
  expect(Math.abs(Date.now() - (first?.at ?? 0))).toBeLessThan(60_000);
  expect(others.map(({ severity, body, traceId }) => [severity, body, traceId])).toEqual([
    [1, "at trace", ""],
    [5, "at debug", ""],
    [9, "at info", ""],
    [17, "at error", ""],
    [21, "at fatal", ""],
  ]);
});

test("hostile and huge fields are exported as text that every collector reads", async () => {
  const collector = startCollector();
  const { log, settled } = exportedLog();
  const hostile = {
    lone: "\ud800",
    control: "\0\u001b[31m",
    ["__proto__"]: "no prototype",
    "": "no name",
    huge: "x".repeat(1e6),
  };
  log.info(hostile, "hostile");
  await settled();
  await collector.stop();
  const [line] = collector.lines;
  expect(line?.attributes).toMatchObject({ lone: "\ufffd", control: "\0\u001b[31m" });
  // The SDK leaves out `__proto__` and a field without a name.
  expect(Object.keys(line?.attributes ?? {})).toEqual(["lone", "control", "huge"]);
  expect(Object.getPrototypeOf(line?.attributes)).toBe(Object.prototype);
  expect(line?.attributes.huge).toBe("x".repeat(8_192));
});

const REFUSALS: [what: string, answer: () => Response | Promise<Response>][] = [
  ["answers 503", () => new Response(null, { status: 503 })],
  ["refuses what it gets", () => new Response("no logs here", { status: 404 })],
  ["does not answer", () => new Promise(() => {})],
];

test.each(REFUSALS)(
  "a collector that %s is reported once, and so is its end, with the lost lines",
  (_, refuse) =>
    withTimeLimit(200, async () => {
      let isAway = true;
      const collector = startCollector(() => (isAway ? refuse() : null));
      const { log, settled, own } = exportedLog("debug");
      for (let i = 0; i < 3; i++) {
        log.info({ i }, "lost");
        await settled();
      }
      isAway = false;
      log.info("kept");
      await settled();
      await collector.stop();
      // The later failures are at debug level. None of these lines is exported: each would lead to another.
      expect(own.map(({ level, msg, signal }) => [level, msg, signal])).toEqual([
        [40, BEGUN, "logs"],
        [20, BEGUN, "logs"],
        [20, BEGUN, "logs"],
        [30, OVER, "logs"],
      ]);
      expect(own.at(-1)).toMatchObject({ dropped: 3 });
      expect(collector.lines.map(({ body }) => body)).toEqual(["kept"]);
    }),
);

test("lines beyond the queue are dropped and counted, and each line is exported or counted", async () => {
  const collector = startCollector();
  const { log, settled, own } = exportedLog("debug");
  const total = 5_000;
  // In one go, so that nothing is exported meanwhile.
  for (let i = 0; i < total; i++) log.info({ i }, "burst");
  await settled();
  await collector.stop();
  expect(collector.lines).toHaveLength(2_048);
  expect(own.map(({ msg, dropped }) => [msg, dropped])).toEqual([
    [BEGUN, undefined],
    [OVER, total - 2_048],
  ]);
});

test("a process exports the lines of its standard error, the last ones too", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hermod-otlp-"));
  const database = await testDatabase();
  const collector = startCollector();
  const path = join(folder, "log");
  const env = {
    PATH: process.env.PATH ?? "",
    DATABASE_URL: database.url,
    NATS_URL: await testNatsUrl(),
    HERMOD_DATA_DIR: folder,
    HERMOD_NONSENSE: "1",
    OTEL_LOGS_EXPORTER: "otlp",
    OTEL_TRACES_EXPORTER: "none",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  };
  const child = Bun.spawn([...programFor(env), "dispatcher"], {
    env,
    stdin: "ignore",
    stdout: "ignore",
    stderr: Bun.file(path),
  });
  const logged = async () => (await readFile(path, "utf8")).trim().split("\n");
  await until(async () => (await logged()).some((line) => line.includes("dispatcher started")));
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
  await collector.stop();
  const messages = (await logged()).map((line) => JSON.parse(line).msg);
  expect(messages).toContain("unknown HERMOD_ variables ignored");
  expect(messages.at(-1)).toStartWith("stopping: ");
  expect(collector.lines.map(({ body }) => body)).toEqual(messages);
  await database.drop();
  await rm(folder, { recursive: true });
}, 120_000);
