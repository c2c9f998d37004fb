import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "../runtime/errors";
import { readIfPresent } from "../runtime/files";

/** The user that a child process runs as. */
export type ProcessUser = { readonly uid: number; readonly gid: number };

/**
 * Finds the user to run Postgres as, since it refuses to run as root. Returns undefined for our own user.
 *
 * An existing cluster keeps its owner. A new one gets `postgres`, or else `nobody`: initdb needs a user with a name, and most
 * machines have these two. Other processes of that user can't open the data folder. Rejects if root is the only user, and if an
 * existing cluster belongs to root.
 */
export async function postgresUser(clusterDir: string): Promise<ProcessUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await ownerOf(clusterDir);
  if (owner) return owner;
  const user = namedUser((await readIfPresent("/etc/passwd")) ?? "");
  if (user) {
    refuseRoots(clusterDir, user);
    return user;
  }
  throw new Error(
    "Postgres does not run as root, and /etc/passwd has no other user: start the service as an ordinary user, " +
      "or set DATABASE_URL to a Postgres of your own.",
  );
}

async function ownerOf(dir: string): Promise<ProcessUser | undefined> {
  try {
    const { uid, gid } = await stat(dir);
    return uid === 0 ? undefined : { uid, gid };
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Refuses a cluster that belongs to root: it is a copy, such as by `cp -r`, which Postgres could not read. */
function refuseRoots(clusterDir: string, { uid, gid }: ProcessUser): void {
  if (!existsSync(join(clusterDir, "PG_VERSION"))) return;
  throw new Error(
    `The database in ${clusterDir} belongs to root, but Postgres does not run as root. A copy made with cp -a keeps ` +
      `its owner. Give it to an ordinary user: chown -R ${uid}:${gid} ${clusterDir}`,
  );
}

/** Chooses a user from the text of a passwd file. */
export function namedUser(passwd: string): ProcessUser | undefined {
  const users = new Map<string, ProcessUser>();
  for (const line of passwd.split("\n")) {
    const [name, , uid, gid] = line.split(":");
    if (name && Number(uid) > 0 && Number(gid) > 0) users.set(name, { uid: Number(uid), gid: Number(gid) });
  }
  return users.get("postgres") ?? users.get("nobody") ?? users.values().next().value;
}
