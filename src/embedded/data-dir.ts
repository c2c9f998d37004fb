import { Database } from "bun:sqlite";
import { randomBytes } from "node:crypto";
import { mkdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hasCode, messageOf } from "../runtime/errors";
import { createOnce } from "../runtime/files";

/** If two services start at the same moment, one gets the lock within this time. */
const SETTLE_MS = 250;

/** Makes the data folder `dir` (mode 0700) if it is missing, and returns its absolute path without symlinks. */
export async function openDataDir(dir: string): Promise<string> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    return await realpath(dir);
  } catch (error) {
    throw new Error(`The data folder ${dir} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Locks the data folder `dir` for this process until `release` or the end of the process. Makes the folder if it is missing. If
 * it is locked, rejects with an error that names the holder's pid.
 *
 * The lock is a file lock of the kernel, taken by SQLite on the empty file `lock`. So it ends with its process, and neither a
 * reused pid nor another pid namespace affects it. `lock.json` only names the holder for people.
 */
export async function lockDataDir(dir: string): Promise<{ release(): Promise<void> }> {
  const path = await openDataDir(dir);
  const holderFile = join(path, "lock.json");
  const lock = await tryLock(join(path, "lock"));
  if (!lock) throw new Error(`The data folder ${path} is in use by ${await holder(holderFile)}.`);
  await writeHolder(holderFile);
  let release = async () => {
    release = async () => {};
    await rm(holderFile, { force: true }).finally(() => lock.close());
  };
  return { release: () => release() };
}

async function tryLock(file: string): Promise<Database | undefined> {
  // Makes the file here, because SQLite would make it readable for all.
  await writeFile(file, "", { flag: "a", mode: 0o600 });
  const database = new Database(file);
  try {
    database.run(`PRAGMA busy_timeout = ${SETTLE_MS}`);
    database.run("BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    if (hasCode(error, "SQLITE_BUSY")) return undefined;
    throw new Error(`The data folder's lock ${file} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

async function writeHolder(file: string): Promise<void> {
  const temporary = `${file}.${process.pid}`;
  const startedAt = new Date(performance.timeOrigin).toISOString();
  await writeFile(temporary, `${JSON.stringify({ pid: process.pid, startedAt })}\n`, { mode: 0o600 });
  await rename(temporary, file);
}

async function holder(file: string): Promise<string> {
  try {
    const { pid, startedAt } = JSON.parse(await readFile(file, "utf8"));
    return `process ${pid}, running since ${startedAt}: stop that process first, or set HERMOD_DATA_DIR to another folder`;
  } catch {
    return "another process";
  }
}

/** Returns the secret in `file`, made at the first call. It has only letters and digits, so it needs no escaping in a URL. */
export function secretIn(file: string): Promise<string> {
  // A letter first: some clients take the first ":<digits>" of a URL for its port.
  return createOnce(file, `s${randomBytes(24).toString("hex")}`);
}
