import postgres from "postgres";
import { systemClock, within } from "../runtime/clock";
import { type DatabaseAddress, driverOptions, parseDatabaseUrl, withoutParameters } from "./address";
import { applySettings } from "./pool";

/** The way in which a server, or a pooler in front of it, takes the settings of sessions. */
export type SettingsTaken = Readonly<{
  /** Parameters of the URL that are no settings of the server, such as parameters of another program. */
  unknown: readonly string[];
  /** True if settings are sent after the start of a session, since a pooler such as PgBouncer refuses them at the start. */
  follow: boolean;
  /** True if a pooler runs the transactions of a connection in any of its sessions: settings and locks then get lost. */
  shared: boolean;
}>;

export const ALL_TAKEN: SettingsTaken = { unknown: [], follow: false, shared: false };

/** For an operator: what to do about `shared`. */
export const SHARED =
  "DATABASE_URL leads to a pooler in transaction mode: set pool_mode = session for it, or connect to Postgres directly";

/** A setting without an effect on Hermod. Poolers refuse it, or drop it silently. */
const PROBE = { idle_in_transaction_session_timeout: "86399s" };
const UNKNOWN_SETTING = "42704";
/** The answer of poolers to an unknown parameter, and to many other problems. */
const PROTOCOL_VIOLATION = "08P01";

/** Limits for connecting, in seconds, and for the first answer, in milliseconds. */
export type ConnectLimits = Readonly<{ connectS: number; answerMs: number }>;

/**
 * Opens one connection, and finds out which settings may be sent and when. Tries again without a parameter that the server
 * calls unknown, until none is left.
 */
export async function connectOnce(
  address: DatabaseAddress,
  limits: ConnectLimits,
  taken = ALL_TAKEN,
): Promise<{ sql: postgres.Sql; taken: SettingsTaken }> {
  const { parameters } = withoutParameters(address, taken.unknown);
  const settings: Record<string, string> = taken.follow ? {} : { ...parameters, ...PROBE };
  const sql = postgres({
    ...driverOptions(address),
    connection: settings,
    max: 1,
    onnotice: () => {},
    connect_timeout: limits.connectS,
  });
  try {
    await ensureAnswer(sql, limits.answerMs);
    if (taken.follow) {
      const shared = await sharesSessions(sql, address, limits);
      if (!shared) await applySettings(sql, parameters);
      return { sql, taken: { ...taken, shared } };
    }
    if (await isProbeInForce(sql)) return { sql, taken };
  } catch (error) {
    const next = nextTry(error, taken, parameters);
    await sql.end({ timeout: 1 });
    if (!next) throw error;
    return connectOnce(address, limits, next);
  }
  await sql.end({ timeout: 1 });
  return connectOnce(address, limits, { ...taken, follow: true });
}

/** Finds out how the server at a URL takes settings. If it is unreachable, the first statement will report that. */
export async function settingsTakenAt(url: string, limits: ConnectLimits): Promise<SettingsTaken> {
  try {
    const { sql, taken } = await connectOnce(parseDatabaseUrl(url), limits);
    await sql.end({ timeout: 1 });
    return taken;
  } catch {
    return ALL_TAKEN;
  }
}

/** Returns whether the session of a connection serves another one too, while nothing runs on the first. */
async function sharesSessions(
  sql: postgres.Sql,
  address: DatabaseAddress,
  { connectS, answerMs }: ConnectLimits,
): Promise<boolean> {
  const other = postgres({
    ...driverOptions(address),
    max: 1,
    onnotice: () => {},
    connect_timeout: connectS,
  });
  try {
    const own = await sessionOf(sql);
    // Connects first: the driver may wait for ever for a transaction on a connection that it has to open.
    await ensureAnswer(other, answerMs);
    return await other.begin(
      async (transaction) => (await sessionOf(transaction)) === own || (await sessionOf(sql)) !== own,
    );
  } finally {
    await other.end({ timeout: 1 });
  }
}

/**
 * Connects. Throws without an answer in time: the driver would open connections for ever if each is closed at once, as by a
 * proxy without a server.
 */
async function ensureAnswer(sql: postgres.Sql, answerMs: number): Promise<void> {
  const answered = await within(systemClock, answerMs, sql`select`);
  if (!answered) throw new Error(`no answer in ${answerMs} ms`);
}

/** Not prepared: in another session the statement would not exist. */
async function sessionOf(sql: Pick<postgres.Sql, "unsafe">): Promise<number | undefined> {
  const [row] = await sql.unsafe<{ pid: number }[]>("select pg_backend_pid() as pid");
  return row?.pid;
}

async function isProbeInForce(sql: postgres.Sql): Promise<boolean> {
  const [row] = await sql<{ ms: string }[]>`
    select setting as ms from pg_settings where name = 'idle_in_transaction_session_timeout'
  `;
  return row?.ms === "86399000";
}

/**
 * Returns the settings to try after this error; null if the error is final. The message names the setting in quotes, in every
 * language.
 */
function nextTry(
  error: unknown,
  taken: SettingsTaken,
  parameters: Readonly<Record<string, string>>,
): SettingsTaken | null {
  const { code, message = "" } = error as { code?: string; message?: string };
  const [name] = Object.keys(parameters).filter((each) => message.includes(`"${each}"`));
  if (code === UNKNOWN_SETTING && name) return { ...taken, unknown: [...taken.unknown, name] };
  return code === PROTOCOL_VIOLATION && !taken.follow ? { ...taken, follow: true } : null;
}
