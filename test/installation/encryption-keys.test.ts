import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { type EncryptionKeyOptions, ensureEncryptionKeys } from "../../src/installation/encryption-keys";
import { parseEncryptionKeys } from "../../src/vault/encryption-key";
import { type TestDatabase, testDatabase } from "../support/postgres";

const base64 = (fill: number) => Buffer.alloc(32, fill).toString("base64");

describe("the keys of an installation", () => {
  let database: TestDatabase;
  let dataDir: string;
  const warnings: string[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void warnings.push(line) });

  beforeAll(async () => {
    database = await testDatabase();
    dataDir = await mkdtemp(join(tmpdir(), "hermod-keys-"));
  });
  afterAll(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  function ensure(options: Partial<EncryptionKeyOptions>) {
    const { db } = database;
    return ensureEncryptionKeys({
      configured: null,
      production: false,
      dataDir,
      db,
      embedded: true,
      log,
      ...options,
    });
  }

  beforeEach(() => database.db.run((sql) => sql`delete from settings where name = 'encryption_key'`));

  const idOf = async (options: Partial<EncryptionKeyOptions>) => (await ensure(options))[0]?.id;

  test("are the configured ones, and none is generated then", async () => {
    const dir = await mkdtemp(join(dataDir, "configured-"));
    const keys = await ensure({
      configured: parseEncryptionKeys(`a:${base64(1)},b:${base64(2)}`),
      production: true,
      dataDir: dir,
    });
    expect(keys.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(await readdir(dir)).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test("are not generated in production", async () => {
    await expect(ensure({ production: true })).rejects.toThrow("HERMOD_ENCRYPTION_KEY must be set");
    await expect(ensure({ production: true, embedded: false })).rejects.toThrow(
      "HERMOD_ENCRYPTION_KEY must be set",
    );
  });

  test("with embedded servers are one file, the same for all that start at once", async () => {
    const dir = join(await mkdtemp(join(dataDir, "race-")), "not", "there");
    const ids = await Promise.all(Array.from({ length: 20 }, () => idOf({ dataDir: dir })));
    expect(new Set(ids).size).toBe(1);
    expect(await readdir(dir)).toEqual(["encryption-key"]);
    expect((await stat(join(dir, "encryption-key"))).mode & 0o777).toBe(0o600);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect(await idOf({ dataDir: dir })).toBe(ids[0]);
    const text = await readFile(join(dir, "encryption-key"), "utf8");
    expect(parseEncryptionKeys(text.trim())[0]?.id).toBe(ids[0]);
  });

  test("are the same however the database is reached, from the folder or from elsewhere", async () => {
    for (const embedded of [true, false]) {
      await database.db.run((sql) => sql`delete from settings where name = 'encryption_key'`);
      const dir = await mkdtemp(join(dataDir, "ways-"));
      const elsewhere = await mkdtemp(join(dataDir, "elsewhere-"));
      const first = await idOf({ embedded, dataDir: dir });
      expect((await ensure({ embedded: !embedded, dataDir: dir })).map(({ id }) => id)).toEqual([
        first ?? "",
      ]);
      expect(await idOf({ embedded: false, dataDir: elsewhere })).toBe(first);
    }
  });

  test("of a file and a database that differ are both used, the database's first", async () => {
    const [one, other] = [await mkdtemp(join(dataDir, "a-")), await mkdtemp(join(dataDir, "b-"))];
    const inFile = await idOf({ dataDir: one });
    await database.db.run((sql) => sql`delete from settings where name = 'encryption_key'`);
    const inDatabase = await idOf({ dataDir: other });
    for (const embedded of [true, false]) {
      const keys = await ensure({ dataDir: one, embedded });
      expect(keys.map(({ id }) => id)).toEqual([inDatabase ?? "", inFile ?? ""]);
    }
  });

  test("in a damaged file are not replaced, since what they sealed would be lost", async () => {
    const dir = await mkdtemp(join(dataDir, "damaged-"));
    await writeFile(join(dir, "encryption-key"), "");
    for (const embedded of [true, false])
      await expect(ensure({ dataDir: dir, embedded })).rejects.toThrow(join(dir, "encryption-key"));
  });

  test("with external servers are in the database, the same for all that start at once", async () => {
    const dir = await mkdtemp(join(dataDir, "external-"));
    const ids = await Promise.all(Array.from({ length: 20 }, () => idOf({ dataDir: dir, embedded: false })));
    expect(new Set(ids).size).toBe(1);
    expect(await idOf({ embedded: false })).toBe(ids[0]);
    expect(await readdir(dir)).toEqual([]);
  });

  test("that were generated are warned of once per start, without showing them", async () => {
    const dir = await mkdtemp(join(dataDir, "warned-"));
    warnings.length = 0;
    await ensure({ dataDir: dir });
    await ensure({ embedded: false });
    expect(warnings.length).toBe(2);
    expect(warnings[0]).toContain("HERMOD_ENCRYPTION_KEY is not set");
    const text = await readFile(join(dir, "encryption-key"), "utf8");
    expect(warnings.join("")).not.toContain(text.trim().slice(0, 12));
  });
});
