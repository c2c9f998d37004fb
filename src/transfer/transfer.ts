import { existsSync } from "node:fs";
import { parseDatabaseUrl } from "../db/address";
import type { Sql } from "../db/pool";
import { connectOnce } from "../db/settings-taken";
import type { Config } from "../service/config";
import { ConfigError } from "../service/environment";
import { Vault } from "../vault/vault";
import { exportTo } from "./export";
import { importFrom } from "./import";

const LIMITS = { connectS: 10, answerMs: 12_000 };

/** Writes or reads an export, on one connection. Returns the number of rows. */
export async function transferData(
  task: "export" | "import",
  databaseUrl: string,
  path: string,
  { encryptionKeys }: Pick<Config, "encryptionKeys">,
): Promise<number> {
  if (task === "export" && existsSync(path)) throw new Error(`${path} exists already: name another file`);
  if (task === "import" && encryptionKeys === null)
    throw new ConfigError(["HERMOD_ENCRYPTION_KEY must be set for import: the key of the old installation"]);
  const { sql } = await connectOnce(parseDatabaseUrl(databaseUrl), LIMITS);
  // Lacks the types of the pool's arrays, which no statement of a transfer returns.
  const one = sql as unknown as Sql;
  try {
    return task === "export"
      ? await exportTo(one, path)
      : await importFrom(one, path, new Vault(encryptionKeys ?? []));
  } finally {
    await sql.end({ timeout: 1 });
  }
}
