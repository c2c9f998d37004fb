import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { hasCode, messageOf } from "../runtime/errors";
import type { Environment } from "../service/environment";
import { CommandFailed, UsageError } from "./failure";

/** A service's address, with a key that was saved for it. */
export type Profile = Readonly<{
  url: string;
  key: string;
  /** The account to act for, as id or external id; absent: the key's own. */
  account?: string;
}>;

/** The saved profiles, by name, and the name of the one in use; null for none. */
export type Profiles = Readonly<{ current: string | null; byName: Readonly<Record<string, Profile>> }>;

export const NO_PROFILES: Profiles = { current: null, byName: {} };
export const PROFILE_NAME = { maxLength: 64 };
const NAME = /^[\w.:-]+$/;

/** Reads the name of a profile. */
export function readProfileName(text: string): string {
  if (text.length <= PROFILE_NAME.maxLength && NAME.test(text)) return text;
  throw new InvalidArgumentError(
    `It must be 1 to ${PROFILE_NAME.maxLength} letters, digits, dots, colons, hyphens and underscores.`,
  );
}

/** Returns the file with the profiles: hermod/config.json in XDG_CONFIG_HOME or ~/.config. Null without a home folder. */
export function profilesFile({ XDG_CONFIG_HOME, HOME, USERPROFILE }: Environment): string | null {
  const home = HOME || USERPROFILE;
  const folder = XDG_CONFIG_HOME || (home && join(home, ".config"));
  return folder ? join(folder, "hermod/config.json") : null;
}

export async function readProfiles(file: string | null): Promise<Profiles> {
  if (file === null) return NO_PROFILES;
  try {
    return profilesIn(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return NO_PROFILES;
    throw new CommandFailed(`Can't read the profiles in ${file}: ${messageOf(error)}`);
  }
}

/** Replaces the file as a whole. Only its owner may read it, since it has keys. */
export async function writeProfiles(file: string, { current, byName }: Profiles): Promise<void> {
  const temporary = `${file}.${process.pid}`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(temporary, `${JSON.stringify({ current, profiles: byName }, null, 2)}\n`, { mode: 0o600 });
  await rename(temporary, file);
}

/** Saves a profile, and uses it from now on. */
export function withProfile({ byName }: Profiles, name: string, profile: Profile): Profiles {
  return { current: name, byName: { ...byName, [name]: profile } };
}

export function withoutProfile({ current, byName }: Profiles, name: string): Profiles {
  const { [name]: removed, ...rest } = byName;
  if (removed === undefined) throw unknownProfile(name);
  return { current: current === name ? null : current, byName: rest };
}

/** Returns a profile that must exist. */
export function profileNamed({ byName }: Profiles, name: string): Profile {
  const found = Object.hasOwn(byName, name) ? byName[name] : undefined;
  if (found === undefined) throw unknownProfile(name);
  return found;
}

function unknownProfile(name: string): UsageError {
  return new UsageError(`There is no profile ${name}`, "hermod profiles list");
}

function profilesIn(value: unknown): Profiles {
  const { current = null, profiles }: { current?: unknown; profiles?: unknown } = Object(value);
  const entries = Object.entries(Object(profiles) as object);
  if (!(current === null || typeof current === "string") || !entries.every(([, each]) => isProfile(each)))
    throw new Error("it has no profiles in the form that hermod writes");
  return { current, byName: Object.fromEntries(entries) };
}

function isProfile(value: unknown): value is Profile {
  const { url, key, account = "" }: { url?: unknown; key?: unknown; account?: unknown } = Object(value);
  return (
    typeof url === "string" && URL.canParse(url) && typeof key === "string" && typeof account === "string"
  );
}
