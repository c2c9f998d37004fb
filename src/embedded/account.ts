import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "../runtime/errno";
import { readIfPresent } from "../runtime/optional-file";

/** The user that a child process runs as. */
export type Account = { readonly uid: number; readonly gid: number };

/**
 * The user that Postgres, which refuses to run as root, has to run as; undefined when that is our own.
 *
 * A cluster that exists keeps its owner. For a new one it is `postgres` or else `nobody`: initdb needs a user
 * with a name, and neither has to be added to the machine. The data folder keeps other processes of that user
 * out. Rejects when root finds no user to give way to, and when a cluster that exists is root's own.
 */
export async function postgresAccount(clusterDir: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await ownerOf(clusterDir);
  if (owner) return owner;
  const account = namedAccount((await readIfPresent("/etc/passwd")) ?? "");
  if (account) {
    refuseRoots(clusterDir, account);
    return account;
  }
  throw new Error(
    "Postgres does not run as root, and /etc/passwd has no other user: start the service as an ordinary user, " +
      "or set DATABASE_URL to a Postgres of your own.",
  );
}

async function ownerOf(dir: string): Promise<Account | undefined> {
  try {
    const { uid, gid } = await stat(dir);
    return uid === 0 ? undefined : { uid, gid };
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** A cluster of root's is a copy, as by `cp -r`, in which all would be out of Postgres' reach. */
function refuseRoots(clusterDir: string, { uid, gid }: Account): void {
  if (!existsSync(join(clusterDir, "PG_VERSION"))) return;
  throw new Error(
    `The database in ${clusterDir} belongs to root, as whom Postgres does not run; a copy made with cp -a keeps ` +
      `its owner. Give it to an ordinary user: chown -R ${uid}:${gid} ${clusterDir}`,
  );
}

/** Chooses from the text of a passwd file. */
export function namedAccount(passwd: string): Account | undefined {
  const accounts = new Map<string, Account>();
  for (const line of passwd.split("\n")) {
    const [name, , uid, gid] = line.split(":");
    if (name && Number(uid) > 0 && Number(gid) > 0)
      accounts.set(name, { uid: Number(uid), gid: Number(gid) });
  }
  return accounts.get("postgres") ?? accounts.get("nobody") ?? accounts.values().next().value;
}
