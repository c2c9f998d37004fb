import postgres from "postgres";
import { Database } from "../../src/db/database";
import { migrateDatabase } from "../../src/db/migrate";
import { createLog } from "../../src/runtime/log";

export type TestDatabase = { db: Database; url: string; drop(): Promise<void> };

const TEMPLATE = "hermod_test_template";
let template: Promise<void> | null = null;

/** A fresh, migrated database of its own; `drop` it when done. */
export async function testDatabase(): Promise<TestDatabase> {
  template ??= makeTemplate();
  await template;
  const name = `hermod_test_${Bun.randomUUIDv7("hex").replaceAll("-", "")}`;
  await onServer((sql) => sql.unsafe(`create database ${name} template ${TEMPLATE}`));
  const url = urlOf(name);
  const log = createLog("silent");
  const db = new Database({ url, size: 8, statementTimeoutMs: 10_000, queryTimeoutMs: 10_000, log });
  const drop = async () => {
    await db.close();
    await onServer((sql) => sql.unsafe(`drop database if exists ${name} with (force)`));
  };
  return { db, url, drop };
}

/** The address of a database on the test server. */
function urlOf(database: string): string {
  const url = new URL(process.env.TEST_DATABASE_URL ?? "");
  url.pathname = `/${database}`;
  return url.toString();
}

async function makeTemplate(): Promise<void> {
  await onServer(async (sql) => {
    await sql.unsafe(`drop database if exists ${TEMPLATE} with (force)`);
    await sql.unsafe(`create database ${TEMPLATE}`);
  });
  await migrateDatabase(urlOf(TEMPLATE));
}

async function onServer(work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(process.env.TEST_DATABASE_URL ?? "", { max: 1, onnotice: () => {} });
  try {
    await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
