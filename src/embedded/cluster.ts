import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { access, chown, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf } from "../runtime/errors";
import { readIfPresent } from "../runtime/files";
import { openLog } from "./log-file";
import type { ProcessUser } from "./process-user";

/**
 * Returns the path by which Postgres finds its folder, which is its working directory. On Linux this path works without access
 * to the folders above, which Postgres' user may lack.
 */
export function clusterArgument(dir: string): string {
  return process.platform === "linux" ? "/proc/self/cwd" : dir;
}

export type ClusterOptions = {
  readonly dir: string;
  readonly initdb: string;
  readonly superuser: Readonly<{ name: string; password: string }>;
  readonly user?: ProcessUser | undefined;
  readonly env: Record<string, string>;
  readonly logFile: string;
  readonly log?: ((line: string) => void) | undefined;
  /** Stops the creation of the cluster. */
  readonly signal?: AbortSignal | undefined;
};

/** Advice for an operator without the embedded Postgres. */
export const INSTEAD = "Or set DATABASE_URL to a Postgres of your own.";

/** Creates the database cluster in `dir` unless it exists. After a crash the cluster is whole, or missing. */
export async function ensureCluster(options: ClusterOptions): Promise<void> {
  await removeTemporary(options.dir);
  if (await exists(join(options.dir, "PG_VERSION"))) return;
  options.log?.("creating the database cluster");
  const temporary = `${options.dir}.new-${randomUUID()}`;
  try {
    await initialise(options, temporary);
    await rename(join(temporary, "data"), options.dir);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Removes the leftovers of a killed start. If its initdb still writes there, the next start removes them. */
async function removeTemporary(dir: string): Promise<void> {
  const parent = dirname(dir);
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    if (path.startsWith(`${dir}.new-`)) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

async function initialise(options: ClusterOptions, temporary: string): Promise<void> {
  const { user, superuser } = options;
  const [data, passwordFile] = [join(temporary, "data"), join(temporary, "password")];
  await mkdir(data, { recursive: true, mode: 0o700 });
  await writeFile(passwordFile, `${superuser.password}\n`, { mode: 0o600 });
  if (user) await changeOwner(user, [temporary, data, passwordFile]);
  await runInitdb(options, data);
}

/** Gives files to a user. Fails for a root without that right, as in some containers. */
async function changeOwner({ uid, gid }: ProcessUser, paths: string[]): Promise<void> {
  try {
    for (const path of paths) await chown(path, uid, gid);
  } catch (cause) {
    const why = messageOf(cause);
    throw new Error(`Postgres does not run as root, and cannot run as user ${uid}: ${why}. ${INSTEAD}`, {
      cause,
    });
  }
}

async function runInitdb(options: ClusterOptions, data: string): Promise<void> {
  const { initdb, superuser, user, env, signal: aborted } = options;
  const args = ["--pgdata", clusterArgument(data), "--username", superuser.name, "--pwfile", "../password"];
  args.push("--auth", "scram-sha-256", "--encoding", "UTF8", "--no-instructions");
  // Sorts by code points, with Unicode's rules for letters, on every machine.
  args.push("--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8");
  aborted?.throwIfAborted();
  const log = openLog(options.logFile);
  const child = spawn(initdb, args, { cwd: data, env, ...user, stdio: ["ignore", log.fd, log.fd] });
  log.close();
  aborted?.addEventListener("abort", () => child.kill(), { once: true });
  const [code, signal] = await once(child, "exit").catch((cause: Error) => {
    throw new Error(`initdb cannot be run: ${cause.message}. ${INSTEAD}`, { cause });
  });
  if (code === 0) return;
  const tail = log.tail();
  const nameless = NAMELESS.exec(tail)?.[1];
  if (nameless !== undefined) throw new Error(adviceTo(nameless));
  const end = signal ?? `code ${code}`;
  throw new Error(`initdb ended with ${end}. See ${log.path}, which ends:\n${tail}\n${INSTEAD}`);
}

/** Matches the error of initdb for a user without a name. */
const NAMELESS = /could not look up effective user ID (\d+)/;

/** Returns advice for a container whose user is a number without a name. */
function adviceTo(uid: string): string {
  return (
    `Postgres can be set up only by a user with a name, and user ${uid} has none. Give it one in /etc/passwd, with a line ` +
    `such as hermod:x:${uid}:0::/:/sbin/nologin, or start the service as a user that has a name. ${INSTEAD}`
  );
}

/** Reads the pid from the lock file that a Postgres in `dir` left behind, if any. */
export async function staleOwner(dir: string): Promise<number | undefined> {
  const text = (await readIfPresent(join(dir, "postmaster.pid"))) ?? "";
  const pid = Math.abs(Number.parseInt(text, 10));
  return pid > 0 ? pid : undefined;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
