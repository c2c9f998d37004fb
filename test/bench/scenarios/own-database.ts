import postgres from "postgres";
import { Database } from "../../../src/db/database";
import { migrateDatabase } from "../../../src/installation/migrate";
import { Retention } from "../../../src/retention/retention";
import { systemClock } from "../../../src/runtime/clock";
import { createLog } from "../../../src/runtime/log";

export const DAY_MS = 86_400_000;
export const PAST_DAYS = 30;

export type OwnDatabase = { url: string; sql: postgres.Sql; drop(): Promise<void> };

/** A database beside the system's own, with the time ranges of a month of service. */
export async function openOwnDatabase(server: string, name: string): Promise<OwnDatabase> {
  const admin = postgres(server, { max: 1, fetch_types: false, onnotice: () => {} });
  await admin.unsafe(`drop database if exists ${name} with (force)`);
  await admin.unsafe(`create database ${name}`);
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).toString();
  await migrateDatabase(url);
  await liveAMonth(url);
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
  const drop = async () => {
    await sql.end({ timeout: 5 });
    await admin.unsafe(`drop database ${name} with (force)`);
    await admin.end({ timeout: 5 });
  };
  return { url, sql, drop };
}

async function liveAMonth(url: string): Promise<void> {
  const log = createLog("warn");
  const db = new Database({ url, size: 1, statementTimeoutMs: 60_000, queryTimeoutMs: 60_000, log });
  for (let day = PAST_DAYS; day >= 0; day--) {
    const clock = { ...systemClock, now: () => Date.now() - day * DAY_MS };
    await new Retention({ db, clock, log, retentionMs: PAST_DAYS * DAY_MS }).extend();
  }
  await db.close();
}
