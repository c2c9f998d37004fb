import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOnce, readCreated } from "../../src/runtime/files";

let dir: string;
let file: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "hermod-test-"));
  file = join(dir, "secret");
});
afterEach(() => rm(dir, { recursive: true }));

test("of several who make it at once all get the same text, which is what is kept, for its owner alone", async () => {
  const all = await Promise.all(Array.from({ length: 20 }, (_, i) => createOnce(file, `text ${i}`)));
  expect(new Set(all).size).toBe(1);
  expect(await readCreated(file)).toBe(all[0] ?? "");
  expect(await createOnce(file, "another")).toBe(all[0] ?? "");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(dir)).toEqual(["secret"]);
});

test("there is none before it is made, and what can't be read is not made anew", async () => {
  expect(await readCreated(file)).toBeNull();
  await expect(createOnce(dir, "text")).rejects.toThrow("EISDIR");
});
