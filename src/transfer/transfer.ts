import { existsSync } from "node:fs";
import type postgres from "postgres";
import type { ColdStore } from "../cold/store";
import { parseDatabaseUrl } from "../db/address";
import { applySettings, type Sql } from "../db/pool";
import { connectOnce } from "../db/settings-taken";
import { systemClock } from "../runtime/clock";
import type { Config } from "../service/config";
import { ConfigError } from "../service/environment";
import { Vault } from "../vault/vault";
import { exportTo } from "./export";
import { importFrom } from "./import";
import { Progress } from "./progress";

const LIMITS = { connectS: 10, answerMs: 12_000 };
/** After a stop, running statements have this long to end. */
const END_S = 1;

export type TransferOptions = Pick<Config, "encryptionKeys"> &
  Readonly<{
    /** Has the deliveries that are in cold files; null if there are none. */
    store?: ColdStore | null;
    /** Called with a line for people from time to time. */
    report?: (line: string) => void;
    /** Ends the transfer when it aborts. Nothing is left then. */
    stopped?: AbortSignal;
    limits?: SessionLimits;
  }>;

/** Writes or reads an export, on one connection. Returns the number of rows. */
export async function transferData(
  task: "export" | "import",
  databaseUrl: string,
  path: string,
  options: TransferOptions,
): Promise<number> {
  const { encryptionKeys, store = null, report = () => {}, limits = SESSION_LIMITS } = options;
  const { stopped = new AbortController().signal } = options;
  if (task === "export" && existsSync(path)) throw new Error(`${path} exists already: name another file`);
  if (task === "import" && encryptionKeys === null)
    throw new ConfigError(["HERMOD_ENCRYPTION_KEY must be set for import: the key of the old installation"]);
  const { sql } = await connectOnce(parseDatabaseUrl(databaseUrl), LIMITS);
  // Lacks the types of the pool's arrays, which no statement of a transfer returns.
  const one = sql as unknown as Sql;
  const progress = new Progress(systemClock, report);
  const end = () => sql.end({ timeout: END_S });
  // Ends a statement that Postgres does not answer.
  stopped.addEventListener("abort", end, { once: true });
  try {
    stopped.throwIfAborted();
    await prepareSession(sql, limits);
    if (task === "export") await exportTo(one, { path, store }, progress, stopped);
    else await importFrom(one, path, new Vault(encryptionKeys ?? []), progress, stopped);
    return progress.total;
  } finally {
    stopped.removeEventListener("abort", end);
    await end();
  }
}

export type SessionLimits = Readonly<{
  /** Postgres ends the transaction of a process that is stopped or gone for this long. */
  idleMs: number;
  /** Postgres cancels a statement after this time. A statement moves 1 MiB or 64 rows. */
  statementMs: number;
}>;

export const SESSION_LIMITS: SessionLimits = { idleMs: 60_000, statementMs: 300_000 };

/** Formats of values that both servers write and read. */
const TEXT_FORMATS = {
  datestyle: "ISO",
  intervalstyle: "postgres",
  timezone: "UTC",
  bytea_output: "hex",
  extra_float_digits: "1",
  client_encoding: "UTF8",
};

/** Sets the formats of values, and the times after which Postgres ends a transaction whose process has died or hangs. */
export async function prepareSession(
  sql: postgres.Sql,
  { idleMs, statementMs }: SessionLimits,
): Promise<void> {
  await applySettings(sql, {
    ...TEXT_FORMATS,
    statement_timeout: String(statementMs),
    idle_in_transaction_session_timeout: String(idleMs),
    // Finds a machine that is gone, also while Postgres waits for it to take rows.
    tcp_user_timeout: String(idleMs),
    tcp_keepalives_idle: String(Math.ceil(idleMs / 2_000)),
    tcp_keepalives_interval: "10",
    tcp_keepalives_count: "3",
  });
}
