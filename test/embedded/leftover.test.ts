import { expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { findServers, stopLeftovers } from "../../src/embedded/leftover";
import { until } from "../support/faults/until";
import { runOutOfDescriptors } from "../support/out-of-descriptors";
import { makeFolder, postgresMark } from "./folder";

test("a server is recognized by its own folder, not by one whose name is a prefix of it", async () => {
  await using folder = await makeFolder();
  const program = join(folder.path, "postgres");
  await Bun.write(program, "#!/bin/sh\nread -r _\n");
  await chmod(program, 0o755);
  const its = postgresMark(`${folder.dataDir} copy`);
  const server = Bun.spawn([program, "-c", its.argument], { stdin: "pipe" });
  try {
    await until(async () => (await findServers(its)).length === 1);
    expect(await findServers(postgresMark(folder.dataDir))).toEqual([]);
  } finally {
    server.kill();
    await server.exited;
  }
});

test("a server that does not end when asked is waited for only within the start's time limit", async () => {
  await using folder = await makeFolder();
  const program = join(folder.path, "postgres");
  await Bun.write(program, "#!/bin/sh\ntrap '' INT\necho ready\nread -r _\n");
  await chmod(program, 0o755);
  const mark = postgresMark(folder.dataDir);
  const server = Bun.spawn([program, "-c", mark.argument], { stdin: "pipe" });
  try {
    await server.stdout.getReader().read();
    const starting = new AbortController();
    const stopping = stopLeftovers(mark, { signal: starting.signal, log: () => starting.abort() });
    expect(await stopping.catch((error: Error) => error.name)).toBe("AbortError");
    expect(await findServers(mark)).toEqual([server.pid]);
  } finally {
    server.kill();
    await server.exited;
  }
});

test.if(process.platform === "linux")(
  "a process that can't open /proc does not consider others ended",
  async () => {
    const script = `
    import { commandOf } from "./src/embedded/leftover.ts";
    const ask = (pid) => commandOf(pid).catch((error) => error.code);
    console.log(await ask(process.pid) !== "", await ask(2 ** 22 + 1) === "");
    exhaust();
    console.log(await ask(process.pid));
  `;
    expect(await runOutOfDescriptors(script)).toBe("true true\nEMFILE");
  },
);
