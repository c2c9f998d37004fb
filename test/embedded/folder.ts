import { chmod, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stopLeftovers } from "../../src/embedded/leftover";

/** A folder for one test. Its disposal stops the servers that run on the data folder `.hermod` in it. */
export type Folder = AsyncDisposable & { readonly path: string; readonly dataDir: string };

export async function makeFolder(mode = 0o700): Promise<Folder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "hermod-test-")));
  await chmod(path, mode);
  const dataDir = join(path, ".hermod");
  return { path, dataDir, [Symbol.asyncDispose]: () => dispose(path, dataDir) };
}

async function dispose(path: string, dataDir: string): Promise<void> {
  await stopLeftovers(postgresMark(dataDir));
  await stopLeftovers(natsMark(dataDir));
  await rm(path, { recursive: true, force: true });
}

export function postgresMark(dataDir: string) {
  return { program: "postgres", argument: `hermod.data_dir=${dataDir}` };
}

export function natsMark(dataDir: string) {
  return { program: "nats-server", argument: join(dataDir, "nats.conf") };
}
