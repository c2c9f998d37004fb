import { afterAll, beforeAll, expect, test } from "bun:test";
import { openSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LogOutput } from "../../src/runtime/log";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hermod-log-"));
});
afterAll(() => rm(folder, { recursive: true }));

test("every line is written, in order", async () => {
  const file = join(folder, "all");
  const output = new LogOutput(openSync(file, "w"));
  const lines = Array.from({ length: 1_000 }, (_, i) => `${i} …\n`);
  for (const [i, line] of lines.entries()) {
    output.write(line);
    if (i % 100 === 0) await output.settled();
  }
  await output.settled();
  expect(await readFile(file, "utf8")).toBe(lines.join(""));
});

test("lines beyond a waiting mebibyte are dropped, and later ones are not", async () => {
  const file = join(folder, "bounded");
  const output = new LogOutput(openSync(file, "w"));
  for (const each of ["a", "b", "c", "d"]) output.write(`${each.repeat(600_000)}\n`);
  await output.settled();
  output.write("e\n");
  await output.settled();
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  expect(lines.map(([first]) => first)).toEqual(["a", "b", "e"]);
});
