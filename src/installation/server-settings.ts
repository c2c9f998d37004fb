import type { AnySql } from "../db/pool";

/** The settings that matter to Hermod, with the values in its own sessions. */
const NAMES = [
  "fsync",
  "full_page_writes",
  "idle_session_timeout",
  "max_connections",
  "max_locks_per_transaction",
  "server_encoding",
  "server_version_num",
  "superuser_reserved_connections",
  "synchronous_commit",
] as const;

export type ServerSettings = Readonly<Record<(typeof NAMES)[number], string>>;

/** The change that a setting needs. `isFault` is true if a promise of Hermod does not hold until then. */
export type Advice = Readonly<{ setting: string; value: string; isFault: boolean; advice: string }>;

/**
 * The least `max_locks_per_transaction`: Postgres' own default. Enough for two processes that read every time range on all
 * connections at once.
 */
const LEAST_LOCKS = 64;
const LEAST_VERSION = 150_000;

export async function readServerSettings(sql: AnySql): Promise<ServerSettings> {
  const rows = await sql<{ name: keyof ServerSettings; value: string }[]>`
    select name, setting as value from pg_settings where name in ${sql([...NAMES])}
  `;
  return Object.fromEntries(rows.map(({ name, value }) => [name, value])) as ServerSettings;
}

/** Decides which settings should be changed, for a process with this many connections. */
export function adviceOn(settings: ServerSettings, connections: number): Advice[] {
  const found: Advice[] = [];
  const fault = (setting: keyof ServerSettings, advice: string) =>
    found.push({ setting, value: settings[setting], isFault: true, advice });
  const weakness = (setting: keyof ServerSettings, advice: string) =>
    found.push({ setting, value: settings[setting], isFault: false, advice });
  const number = (setting: keyof ServerSettings) => Number(settings[setting]);

  if (number("server_version_num") < LEAST_VERSION) fault("server_version_num", "use Postgres 15 or later");
  if (settings.server_encoding !== "UTF8")
    fault("server_encoding", "create the database with encoding 'UTF8'");
  if (settings.fsync === "off")
    fault("fsync", "set it to on: accepted deliveries are lost when the machine fails");
  if (settings.full_page_writes === "off")
    fault("full_page_writes", "set it to on: the database may be broken after the machine fails");
  if (settings.synchronous_commit === "off")
    fault("synchronous_commit", "set it to on: accepted deliveries are lost when Postgres crashes");
  if (number("max_locks_per_transaction") < LEAST_LOCKS)
    weakness("max_locks_per_transaction", "set it to 64 or more: a list locks about 450 tables and indexes");
  if (number("max_connections") - number("superuser_reserved_connections") < connections)
    weakness("max_connections", `raise it, or set HERMOD_DATABASE_CONNECTIONS below ${connections}`);
  if (settings.idle_session_timeout !== "0")
    weakness("idle_session_timeout", "set it to 0 for Hermod's user: idle connections look like lost ones");
  return found;
}
