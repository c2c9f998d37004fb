import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ApiAddress, readAddress } from "../service/api-address";
import type { Environment } from "../service/environment";
import { UsageError } from "./failure";

/** The service's address and the key. `keySource` names where the key was found, for error messages. */
export type ServiceConnection = { url: string; key: string; keySource: string };
export type ConnectionFlags = { url?: string | undefined; key?: string | undefined };

type FoundKey = Pick<ServiceConnection, "key" | "keySource">;

/**
 * Finds the service and the key: flags first, then HERMOD_URL and HERMOD_KEY, then the service that runs from this
 * folder. A local service's key is never sent to another address.
 */
export async function findConnection(flags: ConnectionFlags, env: Environment): Promise<ServiceConnection> {
  const dataDir = env.HERMOD_DATA_DIR || ".hermod";
  const local = await readAddress(dataDir);
  const url = flags.url || env.HERMOD_URL || local?.url;
  if (!url) throw new UsageError("No Hermod runs from this folder; give --url or HERMOD_URL");
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError("The address of Hermod must be an http or https URL");
  const isLocal = local !== null && new URL(url).origin === new URL(local.url).origin;
  const found = givenKey(flags, env) ?? (isLocal ? await localKey(local, dataDir, env) : null);
  if (!found) throw new UsageError(`No key for ${new URL(url).origin}; give --key or HERMOD_KEY`);
  if (!isOfHeader(found.key))
    throw new UsageError("The key has characters that are not allowed in an HTTP header");
  return { url, ...found };
}

function isOfHeader(text: string): boolean {
  try {
    return new Headers({ authorization: `Bearer ${text}` }).has("authorization");
  } catch {
    return false;
  }
}

function givenKey(flags: ConnectionFlags, env: Environment): FoundKey | null {
  if (flags.key) return { key: flags.key, keySource: "--key" };
  return env.HERMOD_KEY ? { key: env.HERMOD_KEY, keySource: "HERMOD_KEY" } : null;
}

/** Reads the local service's key: from its folder, or from this shell if the service was given one. */
async function localKey(local: ApiAddress, dataDir: string, env: Environment): Promise<FoundKey | null> {
  const file = join(dataDir, "admin-key");
  const kept = local.keyIsKept ? await readFile(file, "utf8").catch(() => "") : "";
  if (kept.trim() !== "") return { key: kept.trim(), keySource: file };
  const given = env.HERMOD_ADMIN_KEY;
  return given ? { key: given, keySource: "HERMOD_ADMIN_KEY" } : null;
}
