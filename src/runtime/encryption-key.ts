import { createHash, randomBytes } from "node:crypto";
import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../db/database";
import type { Log } from "./log";

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
  /** The text of HERMOD_ENCRYPTION_KEY. */
  configured: string | null;
  production: boolean;
  dataDir: string;
  db: Database;
  /** Whether the database is the embedded one, and the data folder therefore everybody's. */
  embedded: boolean;
  log: Log;
};

/**
 * The keys of this installation: those configured, else, outside production, one that is made once and kept
 * where every process finds it. Throws when they are not well formed, or missing in production.
 */
export async function ensureEncryptionKeys(options: EncryptionKeyOptions): Promise<readonly EncryptionKey[]> {
  const { configured, production, dataDir, embedded, db, log } = options;
  if (configured !== null) return parseEncryptionKeys(configured);
  if (production) throw new Error("HERMOD_ENCRYPTION_KEY must be set when NODE_ENV is production");
  const place = embedded ? join(dataDir, FILE_NAME) : `the database's setting ${SETTING}`;
  const text = embedded ? await keptInFile(dataDir) : await keptInDatabase(db);
  log.warn({ place }, "HERMOD_ENCRYPTION_KEY is not set: using a key made for this installation");
  return parseEncryptionKeys(text, place);
}

function newKey(): string {
  return randomBytes(KEY_BYTES).toString("base64");
}

// Of several processes that start at once the first one's key stays, and all get that one.
async function keptInDatabase(db: Database): Promise<string> {
  await db.run(
    (sql) => sql`
    insert into settings (name, value) values (${SETTING}, ${newKey()}) on conflict (name) do nothing`,
  );
  const [row] = await db.run(
    (sql) => sql<{ value: string }[]>`
    select value from settings where name = ${SETTING}`,
  );
  if (!row) throw new Error("the encryption key vanished from the database");
  return row.value;
}

async function keptInFile(dataDir: string): Promise<string> {
  const file = join(dataDir, FILE_NAME);
  const kept = await readIfThere(file);
  if (kept !== null) return kept;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    await writeDurably(draft, `${newKey()}\n`);
    // A link never replaces a file: the first one stays, and is whole from its first moment.
    await link(draft, file).catch(unless("EEXIST"));
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(file, "utf8")).trim();
}

async function readIfThere(file: string): Promise<string | null> {
  const text = await readFile(file, "utf8").catch(unless("ENOENT"));
  return text === undefined ? null : text.trim();
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Lets an error of this code pass as nothing. */
function unless(code: string): (error: unknown) => undefined {
  return (error) => {
    if ((error as { code?: unknown } | null)?.code !== code) throw error;
  };
}
