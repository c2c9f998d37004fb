import { readMigrationFiles } from "drizzle-orm/migrator";
import { Database, DatabaseUnavailable } from "../db/database";
import type { Sql } from "../db/pool";
import { SHARED, settingsTakenAt } from "../db/settings-taken";
import { sealedEndpoints } from "../endpoints/resealing";
import { readSetting } from "../installation/fixed-settings";
import { LEFT_OUT, MIGRATIONS } from "../installation/migrate";
import { adviceOn, readServerSettings } from "../installation/server-settings";
import { probeWrites } from "../installation/writability";
import { createLog, describeError } from "../runtime/log";
import type { Config } from "../service/config";
import { countUnreadable } from "../vault/resealing";
import { Vault } from "../vault/vault";
import { type Finding, type Findings, findingsOf } from "./finding";

/** Postgres must answer each question within this time. */
const ANSWER_MS = 10_000;
/** If the clocks differ by this much, lists show times that surprise people. */
const CLOCK_WARNING_MS = 1_000;
/** If the clocks differ by this much, messages between processes count as too old or too new. */
const CLOCK_FAULT_MS = 60_000;

/** Checks the Postgres of DATABASE_URL without changing anything. */
export async function checkPostgres(config: Config): Promise<readonly Finding[]> {
  const found = findingsOf("postgres");
  if (config.databaseUrl === null) {
    found.ok("embedded, not checked: for a check run `bun start services` and set its DATABASE_URL");
    return found.all;
  }
  const [log, size] = [createLog("silent"), 1];
  const times = { statementTimeoutMs: ANSWER_MS, queryTimeoutMs: ANSWER_MS };
  const url = config.databaseUrl;
  const settings = await settingsTakenAt(url, { connectS: ANSWER_MS / 1_000, answerMs: ANSWER_MS });
  if (settings.unknown.length > 0) found.warning(`${LEFT_OUT}: ${settings.unknown.join(", ")}`);
  if (settings.shared) {
    found.fault(SHARED);
    return found.all;
  }
  const db = new Database({ url, settings, size, log, ...times });
  try {
    const isWritable = await checkServer(db, config, found);
    await checkRights(db, found);
    if (isWritable) await checkWrites(db, found);
    if (await checkMigrations(db, found)) await checkContent(db, config, found);
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    found.fault(`${error.message}. Check DATABASE_URL, and that this machine reaches the server.`);
  } finally {
    await db.close();
  }
  return found.all;
}

/** Returns false if the server takes no writes by its settings. */
async function checkServer(db: Database, config: Config, found: Findings): Promise<boolean> {
  const asked = Date.now();
  const [server] = await db.run(
    (sql) => sql<{ version: string; now: number; standby: boolean; readOnly: boolean; oldest: number }[]>`
      select current_setting('server_version') as version,
        extract(epoch from clock_timestamp())::float8 * 1000 as now,
        pg_is_in_recovery() as standby,
        current_setting('default_transaction_read_only')::boolean as "readOnly",
        coalesce((
          select extract(epoch from max(now() - xact_start)) from pg_stat_activity
          where datname = current_database()
        ), 0)::float8 as oldest
    `,
  );
  if (!server) return false;
  const halfway = (asked + Date.now()) / 2;
  found.ok(`version ${server.version} answers`);
  if (server.standby)
    found.fault(
      "it is a standby, which takes no writes: add target_session_attrs=read-write, or name the primary",
    );
  if (server.readOnly) found.fault("default_transaction_read_only is on: set it to off for Hermod's user");
  checkClock(Math.round(server.now - halfway), found);
  if (server.oldest > 3_600)
    found.warning(
      `a transaction is open for ${Math.round(server.oldest / 60)} minutes and holds up retention: end it (pg_stat_activity)`,
    );
  const advice = adviceOn(await db.run(readServerSettings), config.databaseConnections * config.processes);
  for (const { setting, value, isFault, advice: what } of advice)
    found[isFault ? "fault" : "warning"](`${setting} is ${value}: ${what}`);
  if (advice.length === 0) found.ok("its settings are right for Hermod");
  return !server.standby && !server.readOnly;
}

function checkClock(differenceMs: number, found: Findings): void {
  const apart = `its clock and this machine's are ${Math.abs(differenceMs)} ms apart`;
  if (Math.abs(differenceMs) >= CLOCK_FAULT_MS) found.fault(`${apart}: set both by NTP`);
  else if (Math.abs(differenceMs) >= CLOCK_WARNING_MS) found.warning(`${apart}: set both by NTP`);
  else found.ok(apart);
}

async function checkRights(db: Database, found: Findings): Promise<void> {
  const [rights] = await db.run(
    (sql) => sql<
      { user: string; schema: string | null; inSchema: boolean; inDatabase: boolean; others: number }[]
    >`
      select current_user as user, current_schema() as schema,
        coalesce(has_schema_privilege(current_schema(), 'create'), false) as "inSchema",
        has_database_privilege(current_database(), 'create') as "inDatabase",
        (
          select count(*)::int from pg_class
          where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
            and not pg_has_role(relowner, 'usage')
        ) as others
    `,
  );
  if (!rights) return;
  const { user, schema, inSchema, inDatabase, others } = rights;
  if (schema === null) found.fault("no schema of its search_path exists: create one, such as public");
  else if (!inSchema)
    found.fault(`${user} may not create tables: grant create on schema ${schema} to ${user}`);
  if (!inDatabase) found.fault(`${user} may not create a schema: make ${user} the owner of the database`);
  if (others > 0)
    found.fault(`${user} does not own ${others} tables, and can't migrate them: reassign them to ${user}`);
  if (inSchema && inDatabase && others === 0) found.ok(`${user} may migrate the database`);
}

/** Writes in a transaction that is rolled back. */
async function checkWrites(db: Database, found: Findings): Promise<void> {
  try {
    await probeWrites(db);
    found.ok("it takes writes");
  } catch (error) {
    found.fault(`it refuses writes: ${describeError(error).error}. Free its disk, or make it writable.`);
  }
}

/** Returns false if the database has no tables yet. */
async function checkMigrations(db: Database, found: Findings): Promise<boolean> {
  const steps = readMigrationFiles({ migrationsFolder: MIGRATIONS });
  const applied = await db.run(readApplied);
  const known = new Set(steps.map(({ hash }) => hash));
  const missing = steps.filter(({ hash }) => !applied.has(hash)).length;
  const later = [...applied].filter((hash) => !known.has(hash)).length;
  if (later > 0)
    found.warning(`it has ${later} migrations of another version: run the version that other processes run`);
  if (missing > 0) found.ok(`the next start applies the migrations that are missing: ${missing}`);
  if (missing === 0 && later === 0) found.ok("it has all migrations of this version");
  return applied.size > 0;
}

async function readApplied(sql: Sql): Promise<Set<string>> {
  const [table] = await sql<{ exists: boolean }[]>`
    select to_regclass('drizzle.__drizzle_migrations') is not null as exists
  `;
  if (!table?.exists) return new Set();
  const rows = await sql<{ hash: string }[]>`select hash from drizzle.__drizzle_migrations`;
  return new Set(rows.map(({ hash }) => hash));
}

async function checkContent(db: Database, config: Config, found: Findings): Promise<void> {
  const partitions = await readSetting(db, "partitions");
  if (partitions !== null && Number(partitions) !== config.partitions)
    found.fault(
      `HERMOD_PARTITIONS is ${config.partitions}, but the installation was made with ${partitions}: set that number`,
    );
  if (config.encryptionKeys === null) return;
  const vault = new Vault(config.encryptionKeys);
  const unreadable = await countUnreadable((opener) => sealedEndpoints(db, opener), vault);
  if (unreadable > 0)
    found.fault(
      `HERMOD_ENCRYPTION_KEY does not open the secrets of ${unreadable} endpoints: add the key that sealed them`,
    );
  else found.ok("HERMOD_ENCRYPTION_KEY opens the secrets of all endpoints");
}
