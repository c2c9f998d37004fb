import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readAnnouncement } from "../announcement";
import type { Environment } from "../environment";
import { UsageError } from "./failure";

export type Connection = { url: string; key: string };
export type ConnectionFlags = { url?: string | undefined; key?: string | undefined };

/**
 * Which Hermod to ask, and with which key: flags, then HERMOD_URL and HERMOD_KEY, then the service that runs
 * from this folder. That one's key goes to that one alone, whatever else the address was said to be.
 */
export async function findConnection(flags: ConnectionFlags, env: Environment): Promise<Connection> {
  const dataDir = env.HERMOD_DATA_DIR || ".hermod";
  const local = await readAnnouncement(dataDir);
  const url = flags.url || env.HERMOD_URL || local?.url;
  if (!url) throw new UsageError("No Hermod runs from this folder; give --url or HERMOD_URL");
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError("The address of Hermod must be an http or https URL");
  const isLocal = local !== null && new URL(url).origin === new URL(local.url).origin;
  const key = flags.key || env.HERMOD_KEY || (isLocal && (await localKey(dataDir, env)));
  if (!key) throw new UsageError(`No key for ${new URL(url).origin}; give --key or HERMOD_KEY`);
  if (!isOfHeader(key)) throw new UsageError("The key has characters that a header can't have");
  return { url, key };
}

function isOfHeader(text: string): boolean {
  try {
    return new Headers({ authorization: `Bearer ${text}` }).has("authorization");
  } catch {
    return false;
  }
}

async function localKey(dataDir: string, env: Environment): Promise<string | null> {
  if (env.HERMOD_ADMIN_KEY) return env.HERMOD_ADMIN_KEY;
  const text = await readFile(join(dataDir, "admin-key"), "utf8").catch(() => null);
  return text?.trim() ?? null;
}
