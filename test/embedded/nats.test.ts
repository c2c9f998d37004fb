import { expect, setDefaultTimeout, test } from "bun:test";
import { readdir, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { connect } from "nats";
import { findServers } from "../../src/embedded/leftover";
import { startNats } from "../../src/embedded/nats";
import { natsBinary } from "../../src/embedded/nats-binary";
import { withNats } from "./clients";
import { makeFolder, natsMark } from "./folder";

setDefaultTimeout(120_000);

async function addMessage(url: string): Promise<number> {
  return withNats(url, async (nats) => {
    const manager = await nats.jetstreamManager();
    await manager.streams.info("KEPT").catch(() => manager.streams.add({ name: "KEPT", subjects: ["kept"] }));
    return (await nats.jetstream().publish("kept")).seq;
  });
}

test("streams, port and credentials survive a restart and a SIGKILL", async () => {
  await using folder = await makeFolder();
  const first = await startNats(folder);
  expect(new URL(first.url)).toMatchObject({ username: "hermod", hostname: "127.0.0.1" });
  expect(await addMessage(first.url)).toBe(1);
  await first.stop();
  expect(await first.exited).toEqual({ code: 0, signal: null });

  const second = await startNats(folder);
  expect(second.url).toBe(first.url);
  expect(await addMessage(second.url)).toBe(2);
  await second.kill();
  expect(await second.exited).toEqual({ code: null, signal: "SIGKILL" });

  const third = await startNats(folder);
  expect(await addMessage(third.url)).toBe(3);
  await third.stop();
  expect(await findServers(natsMark(folder.dataDir))).toEqual([]);
});

test("the server needs the password, which only its owner can read", async () => {
  await using folder = await makeFolder();
  const server = await startNats(folder);
  const { host } = new URL(server.url);
  await expect(connect({ servers: host, reconnect: false })).rejects.toThrow("Authorization Violation");
  for (const name of ["", ...(await readdir(folder.dataDir))]) {
    expect((await stat(join(folder.dataDir, name))).mode & 0o077).toBe(0);
  }
  await server.stop();
});

test("a taken port is an error if it was configured, otherwise another one is used", async () => {
  await using folder = await makeFolder();
  const first = await startNats(folder);
  await first.stop();
  const port = Number(new URL(first.url).port);
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(port, "127.0.0.1", resolve));
  await expect(startNats({ ...folder, port })).rejects.toThrow(/address already in use.*NATS_URL/s);
  const second = await startNats(folder);
  expect(Number(new URL(second.url).port)).not.toBe(port);
  await second.stop();
  holder.close();
});

test("without a package for the platform the nats-server on PATH is used, or an error says what to install", async () => {
  await using folder = await makeFolder();
  const search = { dataDir: folder.dataDir, platform: "plan9", arch: "mips", path: folder.path };
  await expect(natsBinary(search)).rejects.toThrow(/plan9-mips.*PATH.*NATS_URL/s);
  const file = join(folder.path, "nats-server");
  await writeFile(file, "", { mode: 0o755 });
  expect(await natsBinary(search)).toBe(file);
});
