import { expect, test } from "bun:test";
import { stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LOG_LIMIT_BYTES, openLog } from "../../src/embedded/log-file";
import { makeFolder } from "./folder";

test("a log is private, bounded, and tells what was written since it was opened", async () => {
  await using folder = await makeFolder();
  const path = join(folder.path, "logs/server.log");
  const first = openLog(path);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(first.tail()).toBe("");
  await writeFile(path, "before\n");
  first.close();

  const second = openLog(path);
  await writeFile(path, `${Array.from({ length: 20 }, (_, line) => line).join("\n")}\n`, { flag: "a" });
  expect(second.tail().split("\n")).toEqual(Array.from({ length: 15 }, (_, line) => String(line + 5)));
  second.close();

  await truncate(path, LOG_LIMIT_BYTES + 1);
  openLog(path).close();
  expect((await stat(path)).size).toBe(0);
});
