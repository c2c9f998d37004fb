import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../db/database";
import { createOnce, readCreated } from "../runtime/files";
import type { Log } from "../runtime/log";
import { type EncryptionKey, newEncryptionKey, parseEncryptionKeys } from "../vault/encryption-key";
import { fixSetting, readSetting } from "./fixed-settings";

const FILE_NAME = "encryption-key";
const SETTING = "encryption_key";

export type EncryptionKeyOptions = {
  /** The keys of HERMOD_ENCRYPTION_KEY. */
  configured: readonly EncryptionKey[] | null;
  production: boolean;
  dataDir: string;
  db: Database;
  /** True if the database is the embedded one, in the data folder. */
  embedded: boolean;
  log: Log;
};

/**
 * Returns this installation's encryption keys: the configured ones or, outside production, a key that is made once. It is stored
 * in the database, and with embedded servers also in a file, so that every process finds it. If the two differ, the database's
 * key seals and both open. Throws if keys are malformed, or missing in production.
 */
export async function ensureEncryptionKeys(options: EncryptionKeyOptions): Promise<readonly EncryptionKey[]> {
  const { configured, production, dataDir, embedded, db, log } = options;
  if (configured !== null) return configured;
  if (production) throw new Error("HERMOD_ENCRYPTION_KEY must be set when NODE_ENV is production");
  const file = join(dataDir, FILE_NAME);
  const inFile = embedded
    ? await keptInFile(dataDir, (await readSetting(db, SETTING)) ?? newEncryptionKey())
    : await readCreated(file);
  const ofFile = inFile === null ? [] : parseEncryptionKeys(inFile, file);
  const setting = `the database's setting ${SETTING}`;
  const kept = parseEncryptionKeys(await fixSetting(db, SETTING, inFile ?? newEncryptionKey()), setting);
  const storedIn = embedded ? file : setting;
  log.warn({ storedIn }, "HERMOD_ENCRYPTION_KEY is not set: using a key made for this installation");
  return [
    ...kept,
    ...ofFile.filter(({ fingerprint }) => !kept.some((key) => key.fingerprint === fingerprint)),
  ];
}

async function keptInFile(dataDir: string, key: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  return createOnce(join(dataDir, FILE_NAME), key);
}
