import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import { openDataDir } from "../embedded/data-dir";
import { hasCode } from "../runtime/errno";

/** Where the API of a service that was started in this folder is. `keyIsKept`: its admin key is the one in the folder. */
export type Announcement = { url: string; pid: number; keyIsKept: boolean };

const FILE = "api.json";

/** Tells the command line on this machine where the API is, for as long as this process lives. */
export async function announce(
  dataDir: string,
  { url, keyIsKept }: Omit<Announcement, "pid">,
): Promise<{ withdraw(): Promise<void> }> {
  const file = join(await openDataDir(dataDir), FILE);
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify({ url, pid: process.pid, keyIsKept })}\n`, { mode: 0o600 });
  await rename(draft, file);
  const withdraw = async () => {
    const latest = await latestIn(dataDir);
    if (latest?.pid === process.pid) await rm(file, { force: true });
  };
  return { withdraw };
}

/** What was announced in a data folder by a process that is still there, of this machine; null is nothing. */
export async function readAnnouncement(dataDir: string): Promise<Announcement | null> {
  const latest = await latestIn(dataDir);
  return latest && isOfThisMachine(latest.url) ? latest : null;
}

async function latestIn(dataDir: string): Promise<Announcement | null> {
  try {
    const text = await readFile(join(dataDir, FILE), "utf8");
    const { url, pid, keyIsKept = true }: Partial<Announcement> = JSON.parse(text);
    if (typeof url !== "string" || typeof pid !== "number" || !isAlive(pid)) return null;
    return { url, pid, keyIsKept };
  } catch {
    return null;
  }
}

// What a killed process left behind names a port that may be somebody else's by now.
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}

// A folder may come from anywhere, as one that was cloned does, and the keys of a shell are not for whom it names.
function isOfThisMachine(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? "";
  if (host === "localhost" || /^127(\.\d+){3}$/.test(host) || host === hostname().toLowerCase()) return true;
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return addresses.some(({ address }) => address === host.replace(/^\[(.+)\]$/, "$1"));
}
