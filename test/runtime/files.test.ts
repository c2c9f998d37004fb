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

test("if several create it at once, all get the same stored text, which only its owner can read", async () => {
  const all = await Promise.all(Array.from({ length: 20 }, (_, i) => createOnce(file, `text ${i}`)));
  expect(new Set(all).size).toBe(1);
  expect(await readCreated(file)).toBe(all[0] ?? "");
  expect(await createOnce(file, "another")).toBe(all[0] ?? "");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(dir)).toEqual(["secret"]);
});

test("it does not exist before it is created, and an unreadable one is not replaced", async () => {
  expect(await readCreated(file)).toBeNull();
  await expect(createOnce(dir, "text")).rejects.toThrow("EISDIR");
});
