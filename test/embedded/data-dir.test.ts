import { expect, setDefaultTimeout, test } from "bun:test";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { lockDataDir, secretIn } from "../../src/embedded/data-dir";
import { makeFolder } from "./folder";
import { runService } from "./service-process";

setDefaultTimeout(120_000);

test("a data folder belongs to its owner only, and is locked until released", async () => {
  await using folder = await makeFolder();
  const lock = await lockDataDir(folder.dataDir);
  expect((await stat(folder.dataDir)).mode & 0o777).toBe(0o700);
  await expect(lockDataDir(folder.dataDir)).rejects.toThrow(
    `in use by process ${process.pid}, running since 2`,
  );
  await lock.release();
  await lock.release();
  await (await lockDataDir(folder.dataDir)).release();
});

test("another process learns the holder's pid, and gets the lock after the holder was killed", async () => {
  await using folder = await makeFolder();
  const service = runService(folder.dataDir, []);
  await service.started;
  await expect(lockDataDir(folder.dataDir)).rejects.toThrow(`in use by process ${service.pid},`);
  await service.end("SIGKILL");
  await (await lockDataDir(folder.dataDir)).release();
});

test("if several services start at the same time on one folder, one gets it", async () => {
  await using folder = await makeFolder();
  const services = Array.from({ length: 3 }, () => runService(folder.dataDir, []));
  const starts = await Promise.allSettled(services.map((service) => service.started));
  const winner = starts.findIndex((start) => start.status === "fulfilled");
  for (const [index, start] of starts.entries()) {
    if (index !== winner) expect(start).toMatchObject({ status: "rejected" });
    if (start.status === "rejected") expect(String(start.reason)).toContain(`${services[winner]?.pid}`);
  }
  await services[winner]?.end("SIGKILL");
});

test("a secret is made once, whoever asks first, and readable by its owner only", async () => {
  await using folder = await makeFolder();
  const file = join(folder.path, "secret");
  const secrets = await Promise.all(Array.from({ length: 20 }, () => secretIn(file)));
  expect(new Set(secrets).size).toBe(1);
  expect(secrets[0]).toMatch(/^s[0-9a-f]{48}$/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder.path)).toEqual(["secret"]);
});
