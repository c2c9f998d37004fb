import { createHash, randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../db/database";
import type { Log } from "./log";
import { madeOnce, readMade } from "./made-once";

export type EncryptionKey = Readonly<{
  /** What sealed texts name the key by: given, or the fingerprint. */
  id: string;
  /** The first 8 hexadecimal digits of the key's SHA-256. */
  fingerprint: string;
  /** 32 bytes. */
  bytes: Uint8Array;
}>;

const KEY_BYTES = 32;
const ID = /^[A-Za-z0-9_-]{1,32}$/;
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;
const FILE_NAME = "encryption-key";
const SETTING = "encryption_key";

/**
 * The keys of `base64` or `id:base64`, several with commas between them, each 32 bytes in base64. Throws an
 * error that names `source` and tells what is wrong, but shows no key.
 */
export function parseEncryptionKeys(
  text: string,
  source = "HERMOD_ENCRYPTION_KEY",
): readonly EncryptionKey[] {
  const keys = text.split(",").map((item, i) => parseKey(item.trim(), `${source}: key ${i + 1}`));
  const names = keys.flatMap(({ id, fingerprint }) => (id === fingerprint ? [id] : [id, fingerprint]));
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new Error(`${source}: the key, or the id, ${twice} is there twice`);
  return keys;
}

function parseKey(item: string, what: string): EncryptionKey {
  const colon = item.indexOf(":");
  const base64 = item.slice(colon + 1);
  if (!BASE64.test(base64)) {
    throw new Error(
      `${what} must be ${KEY_BYTES} bytes in base64, such as: openssl rand -base64 ${KEY_BYTES}`,
    );
  }
  const bytes = Buffer.from(base64, "base64");
  const fingerprint = createHash("sha256").update(bytes).digest("hex").slice(0, 8);
  const id = colon < 0 ? fingerprint : item.slice(0, colon);
  if (!ID.test(id)) throw new Error(`${what} must have an id of 1 to 32 letters, digits, "-" or "_"`);
  return { id, fingerprint, bytes };
}

export type EncryptionKeyOptions = {
  /** Those of HERMOD_ENCRYPTION_KEY. */
  configured: readonly EncryptionKey[] | null;
  production: boolean;
  dataDir: string;
  db: Database;
  /** Whether the database is the embedded one, in the data folder. */
  embedded: boolean;
  log: Log;
};

/**
 * The keys of this installation: those configured, else, outside production, one that is made once and kept
 * where every process finds it: in the database, and with embedded servers in a file as well. Where they differ, that of the
 * database seals and both open. Throws when they are not well formed, or missing in production.
 */
export async function ensureEncryptionKeys(options: EncryptionKeyOptions): Promise<readonly EncryptionKey[]> {
  const { configured, production, dataDir, embedded, db, log } = options;
  if (configured !== null) return configured;
  if (production) throw new Error("HERMOD_ENCRYPTION_KEY must be set when NODE_ENV is production");
  const file = join(dataDir, FILE_NAME);
  const inFile = embedded
    ? await keptInFile(dataDir, (await settingOf(db)) ?? newKey())
    : await readMade(file);
  const ofFile = inFile === null ? [] : parseEncryptionKeys(inFile, file);
  const setting = `the database's setting ${SETTING}`;
  const kept = parseEncryptionKeys(await keptInDatabase(db, inFile ?? newKey()), setting);
  const place = embedded ? file : setting;
  log.warn({ place }, "HERMOD_ENCRYPTION_KEY is not set: using a key made for this installation");
  return [
    ...kept,
    ...ofFile.filter(({ fingerprint }) => !kept.some((key) => key.fingerprint === fingerprint)),
  ];
}

function newKey(): string {
  return randomBytes(KEY_BYTES).toString("base64");
}

// Of several processes that start at once the first one's key stays, and all get that one.
async function keptInDatabase(db: Database, key: string): Promise<string> {
  await db.run(
    (sql) => sql`
    insert into settings (name, value) values (${SETTING}, ${key}) on conflict (name) do nothing`,
  );
  const kept = await settingOf(db);
  if (kept === null) throw new Error("the encryption key vanished from the database");
  return kept;
}

async function settingOf(db: Database): Promise<string | null> {
  const [row] = await db.run(
    (sql) => sql<{ value: string }[]>`
    select value from settings where name = ${SETTING}`,
  );
  return row?.value ?? null;
}

async function keptInFile(dataDir: string, key: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  return madeOnce(join(dataDir, FILE_NAME), key);
}
