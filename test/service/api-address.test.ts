import { expect, test } from "bun:test";
import { stat, writeFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { publishAddress, readAddress } from "../../src/service/api-address";
import { makeFolder } from "../embedded/folder";

const URL_HERE = "http://127.0.0.1:3000";

test("an address is published to its owner alone, and withdrawn", async () => {
  await using folder = await makeFolder();
  expect(await readAddress(folder.dataDir)).toBeNull();
  const published = await publishAddress(folder.dataDir, { url: URL_HERE, keyIsKept: false });
  expect(await readAddress(folder.dataDir)).toEqual({
    url: URL_HERE,
    pid: process.pid,
    keyIsKept: false,
  });
  expect((await stat(join(folder.dataDir, "api.json"))).mode & 0o777).toBe(0o600);
  await published.withdraw();
  expect(await Bun.file(join(folder.dataDir, "api.json")).exists()).toBe(false);
});

test("an address of a dead process is ignored, and so is any other text", async () => {
  await using folder = await makeFolder();
  await (await publishAddress(folder.dataDir, { url: URL_HERE, keyIsKept: false })).withdraw();
  const gone = Bun.spawn(["true"]);
  await gone.exited;
  for (const text of [
    JSON.stringify({ url: URL_HERE, pid: gone.pid }),
    "{}",
    "null",
    '{"url":1,"pid":1}',
    JSON.stringify({ url: URL_HERE, pid: 1.5 }),
    "no",
  ]) {
    await writeFile(join(folder.dataDir, "api.json"), text);
    expect(await readAddress(folder.dataDir)).toBeNull();
  }
});

test("a folder from somebody else can't name another machine, which would get the shell's keys", async () => {
  await using folder = await makeFolder();
  await (await publishAddress(folder.dataDir, { url: URL_HERE, keyIsKept: false })).withdraw();
  const read = async (url: string) => {
    await writeFile(join(folder.dataDir, "api.json"), JSON.stringify({ url, pid: process.ppid }));
    return (await readAddress(folder.dataDir))?.url ?? null;
  };
  const others = [
    "192.0.2.1",
    "hermod.example",
    "127.hermod.example",
    "127.0.0.1:80@hermod.example",
    "[2001:db8::1]",
  ];
  for (const host of others) expect(await read(`http://${host}:3000`)).toBeNull();
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const own = addresses.map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address));
  for (const host of ["127.0.0.2", "localhost", ...own]) {
    const url = `http://${host}:3000`;
    expect(await read(url)).toBe(url);
  }
});

test("a service withdraws its address even if only it can know that the host is its own", async () => {
  await using folder = await makeFolder();
  const isThere = () => Bun.file(join(folder.dataDir, "api.json")).exists();
  const published = await publishAddress(folder.dataDir, {
    url: "http://alias.example:3000",
    keyIsKept: false,
  });
  expect(await isThere()).toBe(true);
  await published.withdraw();
  expect(await isThere()).toBe(false);
});

test("of two services in a folder, the first to end does not withdraw the other's address", async () => {
  await using folder = await makeFolder();
  const first = await publishAddress(folder.dataDir, { url: URL_HERE, keyIsKept: false });
  const other = JSON.stringify({ url: "http://127.0.0.1:3001", pid: process.ppid });
  await writeFile(join(folder.dataDir, "api.json"), other);
  await first.withdraw();
  expect((await readAddress(folder.dataDir))?.url).toBe("http://127.0.0.1:3001");
});
