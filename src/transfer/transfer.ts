import { existsSync } from "node:fs";
import { parseDatabaseUrl } from "../db/address";
import type { Sql } from "../db/pool";
import { connectOnce } from "../db/settings-taken";
import { systemClock } from "../runtime/clock";
import type { Config } from "../service/config";
import { ConfigError } from "../service/environment";
import { Vault } from "../vault/vault";
import { exportTo } from "./export";
import { importFrom } from "./import";
import { Progress } from "./progress";
import { prepareSession, SESSION_LIMITS, type SessionLimits } from "./session";

const LIMITS = { connectS: 10, answerMs: 12_000 };
/** After a stop, running statements have this long to end. */
const END_S = 1;

export type TransferOptions = Pick<Config, "encryptionKeys"> &
  Readonly<{
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
  const { encryptionKeys, report = () => {}, limits = SESSION_LIMITS } = options;
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
    if (task === "export") await exportTo(one, path, progress, stopped);
    else await importFrom(one, path, new Vault(encryptionKeys ?? []), progress, stopped);
    return progress.total;
  } finally {
    stopped.removeEventListener("abort", end);
    await end();
  }
}
