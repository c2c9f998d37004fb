import { expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { findServers } from "../../src/embedded/leftover";
import { until } from "../support/faults/until";
import { makeFolder, postgresMark } from "./folder";

test("a server is known by its own folder, not by one whose name is the beginning of it", async () => {
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
