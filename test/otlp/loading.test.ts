import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const SOURCE = join(import.meta.dir, "../../src");

test("OpenTelemetry is loaded only on demand: no file outside of otlp/ imports it, or otlp/, at its start", () => {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" });
  const imports = files
    .filter((name) => name.endsWith(".ts") && !name.startsWith("otlp/"))
    .flatMap((name) =>
      transpiler
        .scanImports(readFileSync(join(SOURCE, name), "utf8").replace(/^#!.*/, ""))
        .filter(({ path }) => /^@opentelemetry\/|\/otlp\//.test(path))
        .map(({ path, kind }) => `${name}: ${kind} of ${path}`),
    );
  expect(imports.toSorted()).toEqual([
    "doctor/collector.ts: dynamic-import of ../otlp/probe",
    "main.ts: dynamic-import of ./otlp/logs",
    "service/core.ts: dynamic-import of ../otlp/traces",
    "service/measuring.ts: dynamic-import of ../otlp/metrics",
  ]);
});
