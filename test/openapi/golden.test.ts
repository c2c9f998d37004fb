import { expect, test } from "bun:test";
import { formatted, GOLDEN_FILE, servedDocument } from "./document";

/** Returns the first line that differs, with what was expected; null if the texts are equal. */
function firstDifference(actual: string, golden: string): string | null {
  const lines = actual.split("\n");
  const expected = golden.split("\n");
  const at = lines.findIndex((line, n) => line !== expected[n]);
  if (at < 0 && lines.length === expected.length) return null;
  return `openapi.json:${at + 1} has ${expected[at]?.trim()}, the service ${lines[at]?.trim()}. If the change is meant, run \`bun run openapi\``;
}

test("the OpenAPI document changes only together with its golden file", async () => {
  const actual = formatted(JSON.parse(await servedDocument()));
  if (process.env.WRITE_OPENAPI) await Bun.write(GOLDEN_FILE, actual);
  expect(firstDifference(actual, await Bun.file(GOLDEN_FILE).text())).toBeNull();
});
