import { join } from "node:path";
import connect, { type Sql } from "postgres";
import { hasCode } from "../runtime/errors";
import { childEnvironment } from "./child-process";
import { clusterArgument, ensureCluster, INSTEAD, staleOwner } from "./cluster";
import { openDataDir, secretIn } from "./data-dir";
import { stopLeftovers } from "./leftover";
import { limitSize } from "./log-file";
import { LOOPBACK, onPort } from "./port";
import { type PostgresBinaries, postgresBinaries } from "./postgres-binaries";
import { postgresUser } from "./process-user";
import { type EmbeddedServer, launch, type Program, type ServerReadiness, StartError } from "./server";

export type PostgresOptions = {
  /** The service's data folder. The cluster is in `postgres`, the log in `logs/postgres.log`. */
  dataDir: string;
  /** The port; by default that of the last run if it is free, else any free port. */
  port?: number;
  /** Called with a line about each step of the start. */
  log?: (line: string) => void;
  /** Aborts the start. */
  signal?: AbortSignal | undefined;
  /** Further server settings, which override the defaults. */
  settings?: Record<string, string>;
};

/** The database, and the ordinary role that owns it. The service connects as that role. */
const NAME = "hermod";
/** The superuser. Only a start uses it, to make the role and the database. */
const ADMIN = "postgres";

/** A running Postgres. `url` connects as the service's role. */
export type EmbeddedPostgres = EmbeddedServer & {
  /** Connects as the superuser to the database `postgres`. */
  readonly adminUrl: string;
};
/** Children of a killed server end after their current query. */
const ORPHAN_MS = 30_000;

/** Error codes of Postgres. */
const STARTING_UP = "57P03";
const WRONG_PASSWORD = "28P01";

/** Settings for a small machine. Commits are durable: fsync and synchronous_commit keep their default, on. */
const SETTINGS: Record<string, string> = {
  max_connections: "200",
  shared_buffers: "256MB",
  max_wal_size: "4GB",
  checkpoint_timeout: "15min",
  wal_compression: "on",
  random_page_cost: "1.1",
  jit: "off",
  log_checkpoints: "off",
  cluster_name: NAME,
};

/**
 * Starts Postgres on the loopback address. Resolves once its database `hermod` takes queries.
 *
 * First stops a server that an earlier run left on the data folder. So the caller must hold the folder's lock (`lockDataDir`):
 * without it, this would stop the server of another service.
 *
 * Rejects if Postgres is not installed or does not start. The error has the remedy and the last log lines. Waits for a Postgres
 * that recovers from a crash.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const { log, signal } = options;
  const dataDir = await openDataDir(options.dataDir);
  // A setting without effect, which identifies the server of this data folder by its command line.
  const mark = `hermod.data_dir=${dataDir}`;
  await stopLeftovers({ program: "postgres", argument: mark }, options);
  const dir = join(dataDir, "postgres");
  const user = await postgresUser(dir);
  const binaries = await postgresBinaries(dataDir, user);
  try {
    const logFile = join(dataDir, "logs", "postgres.log");
    const passwords = {
      admin: await secretIn(join(dataDir, "postgres-admin.password")),
      service: await secretIn(join(dataDir, "postgres.password")),
    };
    const base = { user, logFile, env: environment(await staleOwner(dir)), log, signal };
    const superuser = { name: ADMIN, password: passwords.admin };
    await ensureCluster({ ...base, dir, initdb: binaries.initdb, superuser });
    const server = await onPort(join(dataDir, "postgres.port"), options.port, async (port) => {
      const args = argumentsFor(dir, mark, port, options.settings);
      const urls = urlsOf(passwords, port);
      const launched = await launchRetrying({
        ...program(binaries, urls, passwords),
        ...base,
        args,
        cwd: dir,
      });
      return { ...launched, adminUrl: urls.admin };
    });
    limitSize(logFile, server.exited);
    return server;
  } catch (error) {
    await binaries.remove();
    throw error;
  }
}

function environment(stalePid: number | undefined): Record<string, string> {
  const env = childEnvironment();
  // No server of ours runs, so another program has the pid of the lock file. Postgres considers the file stale if the pid is its
  // grandparent's, and still checks for processes on its old memory.
  return stalePid === undefined ? env : { ...env, PG_GRANDPARENT_PID: String(stalePid) };
}

function argumentsFor(dir: string, mark: string, port: number, settings?: Record<string, string>): string[] {
  const ours = { listen_addresses: LOOPBACK, port: String(port), unix_socket_directories: "" };
  const all = Object.entries({ ...SETTINGS, ...settings, ...ours }).map(([key, value]) => `${key}=${value}`);
  return ["-D", clusterArgument(dir), ...[...all, mark].flatMap((setting) => ["-c", setting])];
}

type Passwords = Readonly<{ admin: string; service: string }>;
type Urls = Readonly<{ admin: string; service: string }>;

function urlsOf({ admin, service }: Passwords, port: number): Urls {
  return {
    admin: `postgres://${ADMIN}:${admin}@${LOOPBACK}:${port}/postgres`,
    service: `postgres://${NAME}:${service}@${LOOPBACK}:${port}/${NAME}`,
  };
}

function program(binaries: PostgresBinaries, urls: Urls, passwords: Passwords) {
  return {
    name: "Postgres",
    command: binaries.postgres,
    url: urls.service,
    instead: INSTEAD,
    probe: () => readiness(urls, passwords),
    cleanUp: () => binaries.remove(),
  };
}

/** Launches again while children of a killed server hold its memory, which stops a new server until they notice. */
async function launchRetrying(program: Program): Promise<EmbeddedServer> {
  const deadline = performance.now() + ORPHAN_MS;
  for (;;) {
    try {
      return await launch(program);
    } catch (error) {
      const held = error instanceof StartError && error.lines.includes("pre-existing shared memory block");
      if (!held || performance.now() > deadline || program.signal?.aborted) throw error;
      await Bun.sleep(100);
    }
  }
}

/** Makes the role and its database if they are missing, and tries to connect as the role. */
async function readiness(urls: Urls, { service }: Passwords): Promise<ServerReadiness> {
  try {
    await withConnection(urls.admin, "postgres-admin.password", async (sql) => {
      const roles = await sql`select from pg_roles where rolname = ${NAME}`;
      // The password is letters and digits. A statement of this kind takes no parameters.
      if (roles.length === 0)
        await sql`create role ${sql(NAME)} login password ${sql.unsafe(`'${service}'`)}`;
      const databases = await sql`select from pg_database where datname = ${NAME}`;
      if (databases.length === 0) await sql`create database ${sql(NAME)} owner ${sql(NAME)}`;
    });
    await withConnection(urls.service, "postgres.password", (sql) => sql`select`);
    return "ready";
  } catch (error) {
    if (hasCode(error, STARTING_UP)) return "recovering";
    if (hasCode(error, "ECONNREFUSED", "ECONNRESET", "CONNECTION_CLOSED", "CONNECT_TIMEOUT")) return "away";
    throw error;
  }
}

async function withConnection(
  url: string,
  passwordFile: string,
  use: (sql: Sql) => Promise<unknown>,
): Promise<void> {
  const sql = connect(url, { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    await use(sql);
  } catch (error) {
    if (hasCode(error, WRONG_PASSWORD)) throw new Error(`${passwordFile} is not the cluster's password`);
    throw error;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
