import { expect, test } from "bun:test";
import { createLog } from "../../src/runtime/log";

test("a line has rounded numbers, and other fields as they are", () => {
  const lines: string[] = [];
  const output = { write: (line: string) => void lines.push(line), settled: async () => {} };
  createLog("fatal", output).fatal(
    { late_ms: 833.3333333333334, count: 7, share: "0.123", gone: null },
    "a test",
  );
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ late_ms: 833.3, count: 7, share: "0.123", gone: null });
});
