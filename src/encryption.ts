import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Config } from "./config";
import type { Database } from "./db/database";
import { openDataDir } from "./embedded/data-dir";
import { madeOnce } from "./embedded/secret";
import { fixedSetting } from "./installation";
import { parseEncryptionKeys } from "./runtime/encryption-key";
import type { Log } from "./runtime/log";
import { Vault } from "./runtime/vault";
import type { Servers } from "./servers";

/**
 * The vault under the configured keys. Without any, outside production, one is made once and kept where every process
 * finds the same: in the data folder beside the embedded database, or in the database that several share.
 */
export async function openVault(config: Config, servers: Servers, db: Database, log: Log): Promise<Vault> {
  const { encryptionKey, dataDir } = config;
  if (encryptionKey !== null) return new Vault(parseEncryptionKeys(encryptionKey));
  const place = servers.embeddedDatabase ? "the data folder" : "the database itself";
  log.warn(`HERMOD_ENCRYPTION_KEY is not set: secrets are sealed with a key kept in ${place}`);
  const seed = servers.embeddedDatabase
    ? await madeOnce(join(await openDataDir(dataDir), "encryption-key"))
    : await fixedSetting(db, "encryption_key", randomBytes(32).toString("base64"));
  const key = new Bun.CryptoHasher("sha256").update(seed).digest("base64");
  return new Vault(parseEncryptionKeys(key));
}
