import { expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transferData } from "../../src/transfer/transfer";
import { parseEncryptionKeys } from "../../src/vault/encryption-key";
import { atEnd } from "../support/at-end";
import { until } from "../support/faults/until";
import { type TestDatabase, testDatabase, useDatabase } from "../support/postgres";
import { programFor } from "../support/program";
import { addDeliveries } from "./deliveries";

setDefaultTimeout(120_000);

const KEY = randomBytes(32).toString("base64");
const WITH_KEY = { encryptionKeys: parseEncryptionKeys(KEY) };

const folder = await mkdtemp(join(tmpdir(), "hermod-interrupted-"));
const source = await useDatabase();
await addDeliveries(source, 3_000);
const whole: string = join(folder, "whole.gz");
await transferData("export", source.url, whole, WITH_KEY);
atEnd(() => rm(folder, { recursive: true }));

/** Starts an export or an import as a process. */
function start(task: "export" | "import", database: TestDatabase, file: string) {
  const env = {
    PATH: process.env.PATH ?? "",
    DATABASE_URL: database.url,
    NATS_URL: "nats://127.0.0.1:9",
    HERMOD_ENCRYPTION_KEY: KEY,
    HERMOD_DATA_DIR: folder,
  };
  const child = Bun.spawn([...programFor(env), task, file], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { child, said: async () => new TextDecoder().decode(await Bun.readableStreamToBytes(child.stderr)) };
}

/** Runs `work` while another transaction holds a table, so that a transfer stands still in the middle. */
async function whileHeld({ db }: TestDatabase, table: string, work: () => Promise<void>): Promise<void> {
  const begun = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const holding = db.transaction(async (sql) => {
    await sql.unsafe(
      `set local idle_in_transaction_session_timeout = 0; lock table ${table} in access exclusive mode`,
    );
    begun.resolve();
    await over.promise;
  }, 100_000);
  await begun.promise;
  await work();
  over.resolve();
  await holding;
}

/** Resolves once a transfer waits for a lock. */
const untilWaiting = ({ db }: TestDatabase) =>
  until(
    async () =>
      (
        await db.run(
          (sql) => sql`
            select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).length > 0,
    { what: "a transfer that waits" },
  );

/** Returns the number of other transactions. */
async function transactions({ db }: TestDatabase): Promise<number> {
  const rows = await db.run(
    (sql) => sql`
      select from pg_stat_activity
      where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`,
  );
  return rows.length;
}

const draftOf = (path: string) => `${path}.unfinished`;

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s ends an export that waits for Postgres: no draft and no transaction are left, and it says so",
  async (signal) => {
    const path = join(folder, `${signal}.gz`);
    await whileHeld(source, "usage", async () => {
      const { child, said } = start("export", source, path);
      await untilWaiting(source);
      expect((await stat(draftOf(path))).size).toBeGreaterThan(0);
      child.kill(signal);
      expect(await child.exited).toBe(1);
      expect(await said()).toContain(
        "The export failed and left nothing behind: it was stopped by a signal\n",
      );
      expect((await readdir(folder)).filter((name) => name.startsWith(signal))).toEqual([]);
    });
    await until(async () => (await transactions(source)) === 0, { what: "no transaction" });
  },
);

test("SIGTERM ends an import that waits for Postgres, and nothing is imported", async () => {
  const target = await testDatabase();
  await whileHeld(target, "usage", async () => {
    const { child, said } = start("import", target, whole);
    await untilWaiting(target);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(1);
    expect(await said()).toContain("The import failed and left nothing behind: it was stopped by a signal\n");
  });
  expect(await target.db.run((sql) => sql`select from deliveries`)).toHaveLength(0);
  await target.drop();
});

test("a killed export leaves a draft, which the next one replaces", async () => {
  const path = join(folder, "killed.gz");
  await whileHeld(source, "usage", async () => {
    const { child } = start("export", source, path);
    await untilWaiting(source);
    child.kill("SIGKILL");
    await child.exited;
    await stat(draftOf(path));
  });
  await until(async () => (await transactions(source)) === 0, { what: "no transaction" });
  await transferData("export", source.url, path, WITH_KEY);
  expect((await readdir(folder)).filter((name) => name.startsWith("killed"))).toEqual(["killed.gz"]);
});

test("Postgres ends the transaction of an export that hangs, and the export then fails", async () => {
  const path = join(folder, "hangs.gz");
  // Nobody reads the pipe at first, like a disk that does not answer.
  await Bun.spawn(["mkfifo", draftOf(path)]).exited;
  const reader = createReadStream(draftOf(path), { highWaterMark: 1 });
  await addDeliveries(source, 20_000);
  const limits = { idleMs: 500, statementMs: 60_000 };
  const exporting = transferData("export", source.url, path, { ...WITH_KEY, limits }).catch((error) => error);
  await until(async () => (await transactions(source)) === 1, { what: "a transaction" });
  await until(async () => (await transactions(source)) === 0, { what: "its end" });
  reader.resume();
  expect(await exporting).toBeInstanceOf(Error);
  expect((await readdir(folder)).filter((name) => name.startsWith("hangs"))).toEqual([]);
});

test("an import whose last rows Postgres refuses fails with its reason", async () => {
  const target = await testDatabase();
  await target.db.run((sql) => sql.unsafe("alter table deliveries add check (sequence < 3000) not valid"));
  await expect(transferData("import", target.url, whole, WITH_KEY)).rejects.toThrow(
    /violates check constraint/,
  );
  await target.db.run((sql) =>
    sql.unsafe("alter table deliveries drop constraint deliveries_sequence_check"),
  );
  await transferData("import", target.url, whole, WITH_KEY);
  await target.drop();
});

test.each([0.5, 0.99])("an import of a file of which only the share %p was copied says so", async (share) => {
  const bytes = await Bun.file(whole).bytes();
  const path = join(folder, `cut-${share}.gz`);
  await Bun.write(path, bytes.subarray(0, Math.floor(bytes.length * share)));
  const target = await testDatabase();
  await expect(transferData("import", target.url, path, WITH_KEY)).rejects.toThrow("the file is incomplete");
  await target.drop();
});
