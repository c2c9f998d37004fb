import { expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../embedded/folder";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const MAIN = join(import.meta.dir, "../../src/main.ts");
const NATS = join(import.meta.dir, "../../src/embedded/nats");
const SECRET = randomBytes(32).toString("base64");

type Process = { pid: number; parent: number };

async function processes(): Promise<Process[]> {
  const pids = (await readdir("/proc")).map(Number).filter(Number.isInteger);
  return Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
      return { pid, parent: Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) };
    }),
  );
}

async function descendantsOf(pid: number): Promise<number[]> {
  const all = await processes();
  const below = (parent: number): number[] =>
    all.filter((each) => each.parent === parent).flatMap((each) => [each.pid, ...below(each.pid)]);
  return below(pid);
}

test.if(process.platform === "linux")(
  "no process below the service has a secret in its environment",
  async () => {
    await using folder = await makeFolder();
    const output = join(folder.path, "output");
    const service = Bun.spawn([process.execPath, MAIN, "services"], {
      env: { PATH: process.env.PATH ?? "", HERMOD_DATA_DIR: folder.dataDir, HERMOD_ENCRYPTION_KEY: SECRET },
      stdin: "ignore",
      stdout: Bun.file(output),
      stderr: "ignore",
    });
    try {
      await until(async () => (await readFile(output, "utf8").catch(() => "")).includes("NATS_URL="), {
        what: "the servers",
      });
      const pids = await descendantsOf(service.pid);
      const named = new Set<string>();
      for (const pid of pids) {
        const [name, environment] = await Promise.all([
          readFile(`/proc/${pid}/comm`, "utf8").catch(() => ""),
          readFile(`/proc/${pid}/environ`, "utf8").catch(() => ""),
        ]);
        named.add(name.trim());
        expect(environment).not.toContain(SECRET);
      }
      expect([...named]).toEqual(expect.arrayContaining(["postgres", "nats-server", "sh"]));
      // The service's own environment: the search finds what is there.
      expect(await readFile(`/proc/${service.pid}/environ`, "utf8")).toContain(SECRET);
    } finally {
      service.kill();
      await service.exited;
    }
  },
);

test("nats-server has no secret in its environment, even when only its version is read", async () => {
  await using folder = await makeFolder();
  const [command, seen] = [join(folder.path, "nats-server"), join(folder.path, "seen")];
  await writeFile(command, `#!/bin/sh\necho "$1" >> ${seen}; env >> ${seen}; exit 1\n`, { mode: 0o755 });
  // A process of its own: a variable that is set later does not reach children that get no `env`.
  const script = `import { startNats } from ${JSON.stringify(NATS)};
    await startNats(${JSON.stringify({ ...folder, command })});`;
  const starter = Bun.spawn([process.execPath, "-e", script], {
    env: { PATH: process.env.PATH ?? "", HERMOD_ENCRYPTION_KEY: SECRET },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  expect(await new Response(starter.stderr).text()).toContain("NATS did not start");
  const text = await readFile(seen, "utf8");
  expect(text.match(/^(--version|-c)$/gm)).toEqual(["--version", "-c"]);
  expect(text).not.toContain(SECRET);
});
