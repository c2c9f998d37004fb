import { readFile, stat } from "node:fs/promises";
import { hasCode } from "../runtime/errno";

/** The user that a child process runs as. */
export type Account = { readonly uid: number; readonly gid: number };

/**
 * The user that Postgres, which refuses to run as root, has to run as; undefined when that is our own.
 *
 * A cluster that exists keeps its owner. For a new one it is `postgres` or else `nobody`: initdb needs a user
 * with a name, and neither has to be added to the machine. The data folder keeps other processes of that user
 * out. Rejects when root finds no user to give way to.
 */
export async function postgresAccount(clusterDir: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const account =
    (await ownerOf(clusterDir)) ?? namedAccount(await readFile("/etc/passwd", "utf8").catch(() => ""));
  if (account) return account;
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
