import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import { openDataDir } from "../embedded/data-dir";
import { isRunning } from "./launcher";

/**
 * The address of the API that was started in this folder. `keyIsKept` is true if its admin key is stored in the folder.
 */
export type ApiAddress = { url: string; pid: number; keyIsKept: boolean };

const FILE = "api.json";

/** Publishes the API's address for the command line on this machine, for as long as this process lives. */
export async function publishAddress(
  dataDir: string,
  { url, keyIsKept }: Omit<ApiAddress, "pid">,
): Promise<{ withdraw(): Promise<void> }> {
  const file = join(await openDataDir(dataDir), FILE);
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify({ url, pid: process.pid, keyIsKept })}\n`, { mode: 0o600 });
  await rename(temporary, file);
  const withdraw = async () => {
    const latest = await latestIn(dataDir);
    if (latest?.pid === process.pid) await rm(file, { force: true });
  };
  return { withdraw };
}

/**
 * Reads the address in a data folder. Resolves to null if there is none, if its process has ended, or if it is on
 * another machine.
 */
export async function readAddress(dataDir: string): Promise<ApiAddress | null> {
  const latest = await latestIn(dataDir);
  return latest && isOfThisMachine(latest.url) ? latest : null;
}

async function latestIn(dataDir: string): Promise<ApiAddress | null> {
  try {
    const text = await readFile(join(dataDir, FILE), "utf8");
    const { url, pid, keyIsKept = true }: Partial<ApiAddress> = JSON.parse(text);
    if (typeof url !== "string" || typeof pid !== "number" || !Number.isInteger(pid)) return null;
    // A killed process leaves its address behind, and another program may have its port by now.
    if (!isRunning(pid)) return null;
    return { url, pid, keyIsKept };
  } catch {
    return null;
  }
}

// Refuses addresses of other machines. A folder may come from anywhere, such as a clone, and must not send this shell's keys
// to a stranger.
function isOfThisMachine(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? "";
  if (host === "localhost" || /^127(\.\d+){3}$/.test(host) || host === hostname().toLowerCase()) return true;
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return addresses.some(({ address }) => address === host.replace(/^\[(.+)\]$/, "$1"));
}
