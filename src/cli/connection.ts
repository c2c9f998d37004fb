import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ApiAddress, readAddress } from "../service/api-address";
import type { Environment } from "../service/environment";
import { UsageError } from "./failure";
import { type Profile, type Profiles, profileNamed } from "./profiles";

/** The service's address and the key. `keySource` names where the key was found, for error messages. */
export type ServiceConnection = {
  url: string;
  key: string;
  keySource: string;
  /** The account of the profile whose key this is; absent: none. */
  account?: string | undefined;
};
export type ConnectionFlags = {
  url?: string | undefined;
  key?: string | undefined;
  profile?: string | undefined;
};

type FoundKey = Omit<ServiceConnection, "url">;
type NamedProfile = Readonly<{ name: string; profile: Profile }>;

/**
 * Finds the service and the key: by flags, then by HERMOD_URL and HERMOD_KEY, then by HERMOD_PROFILE, then the service that runs from
 * this folder, then the profile in use. The key of a profile or of a local service is never sent to another address.
 */
export async function findConnection(
  flags: ConnectionFlags,
  env: Environment,
  profiles: Profiles,
): Promise<ServiceConnection> {
  const dataDir = env.HERMOD_DATA_DIR || ".hermod";
  const local = await readAddress(dataDir);
  const [byFlag, byEnv, inUse] = [flags.profile, env.HERMOD_PROFILE, profiles.current].map((name) =>
    name ? { name, profile: profileNamed(profiles, name) } : null,
  );
  const url =
    flags.url ||
    byFlag?.profile.url ||
    env.HERMOD_URL ||
    byEnv?.profile.url ||
    local?.url ||
    inUse?.profile.url;
  if (!url)
    throw new UsageError(
      "No Hermod runs from this folder; give --url or HERMOD_URL, or log in",
      "hermod login --url <url>",
    );
  const origin = originOf(url);
  const found =
    givenKey("--key", flags.key) ??
    savedKey(byFlag, origin) ??
    givenKey("HERMOD_KEY", env.HERMOD_KEY) ??
    savedKey(byEnv, origin) ??
    (local !== null && originOf(local.url) === origin ? await localKey(local, dataDir, env) : null) ??
    savedKey(inUse, origin);
  if (!found)
    throw new UsageError(`No key for ${origin}; give --key or HERMOD_KEY`, `hermod login --url ${url}`);
  if (!isOfHeader(found.key))
    throw new UsageError("The key has characters that are not allowed in an HTTP header");
  return { url, ...found };
}

/** Returns the origin of an address of Hermod. */
export function originOf(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError("The address of Hermod must be an http or https URL");
  return new URL(url).origin;
}

function isOfHeader(text: string): boolean {
  try {
    return new Headers({ authorization: `Bearer ${text}` }).has("authorization");
  } catch {
    return false;
  }
}

function givenKey(keySource: string, key: string | undefined): FoundKey | null {
  return key ? { key, keySource } : null;
}

/** Returns a profile's key for the service that it was saved for. */
function savedKey(named: NamedProfile | null | undefined, origin: string): FoundKey | null {
  if (!named || originOf(named.profile.url) !== origin) return null;
  const { key, account } = named.profile;
  return { key, account, keySource: `the profile ${named.name}` };
}

/** Reads the local service's key: from its folder, or from this shell if the service was given one. */
async function localKey(local: ApiAddress, dataDir: string, env: Environment): Promise<FoundKey | null> {
  const file = join(dataDir, "admin-key");
  const kept = local.keyIsKept ? await readFile(file, "utf8").catch(() => "") : "";
  if (kept.trim() !== "") return { key: kept.trim(), keySource: file };
  return givenKey("HERMOD_ADMIN_KEY", env.HERMOD_ADMIN_KEY);
}
