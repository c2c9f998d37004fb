import { expect, test } from "bun:test";
import { writeSync } from "node:fs";
import { mkdir, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LOG_LIMIT_BYTES, limitSize, openLog } from "../../src/embedded/log-file";
import { until } from "../support/faults/until";
import { makeFolder } from "./folder";

test("a log is private, bounded, and returns what was written since it was opened", async () => {
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

const sizeOf = async (path: string) => (await stat(path)).size;
const LONG = "a line of the log\n".repeat(1_000);

/** Writes like a server that was given the open file. */
function fill(fd: number): void {
  for (let written = 0; written <= LOG_LIMIT_BYTES; written += LONG.length) writeSync(fd, LONG);
}

test("a log stays short while its server runs, and its earlier part is kept beside it", async () => {
  await using folder = await makeFolder();
  const path = join(folder.path, "logs/server.log");
  const log = openLog(path);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  limitSize(path, ended, 5);
  for (const round of ["first", "second"]) {
    writeSync(log.fd, `the ${round} begins\n`);
    fill(log.fd);
    await until(async () => (await sizeOf(path)) === 0);
    expect(await readFile(`${path}.1`, "utf8")).toStartWith(`the ${round} begins\n`);
    expect((await stat(`${path}.1`)).mode & 0o777).toBe(0o600);
    expect(await sizeOf(`${path}.1`)).toBeGreaterThan(LOG_LIMIT_BYTES);
  }
  writeSync(log.fd, "and goes on\n");
  expect(await readFile(path, "utf8")).toBe("and goes on\n");
  expect(await readdir(join(folder.path, "logs"))).toHaveLength(2);
  end();
  log.close();
});

test("a log that can't be copied is still emptied", async () => {
  await using folder = await makeFolder();
  const path = join(folder.path, "logs/server.log");
  const log = openLog(path);
  // Where no copy is possible, as on a full disk.
  await mkdir(`${path}.1`);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  limitSize(path, ended, 5);
  fill(log.fd);
  await until(async () => (await sizeOf(path)) === 0);
  end();
  log.close();
});
