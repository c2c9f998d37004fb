import { join } from "node:path";
import connect from "postgres";
import { hasCode } from "../runtime/errno";
import { postgresAccount } from "./account";
import { clusterArgument, ensureCluster, INSTEAD, staleOwner } from "./cluster";
import { openDataDir } from "./data-dir";
import { stopLeftovers } from "./leftover";
import { keepShort } from "./log-file";
import { LOOPBACK, onPort } from "./port";
import { type PostgresBinaries, postgresBinaries } from "./postgres-binaries";
import { secretIn } from "./secret";
import { type EmbeddedServer, launch, type Program, type Readiness, StartError } from "./server";

export type PostgresOptions = {
  /** The service's data folder. The cluster is in `postgres`, the log in `logs/postgres.log`. */
  dataDir: string;
  /** Default: the port of the last run when it is free, else any free one. */
  port?: number;
  /** Gets a line about what the start does. */
  log?: (line: string) => void;
  /** Ends a start that is under way. */
  signal?: AbortSignal | undefined;
  /** Further server settings, which win over the defaults. */
  settings?: Record<string, string>;
};

/** The superuser and the database. */
const NAME = "hermod";
/** Children of a killed server end after the query they are at. */
const ORPHAN_MS = 30_000;

/** Postgres's own error codes. */
const STARTING_UP = "57P03";
const WRONG_PASSWORD = "28P01";

/** For a small machine. What makes a commit durable (fsync, synchronous_commit) stays on, as it is by default. */
const SETTINGS: Record<string, string> = {
  max_connections: "200",
  // A list takes up to 450 locks while it is planned, some for each time partition (measured with 40).
  max_locks_per_transaction: "256",
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
 * Starts Postgres on the loopback address and resolves when its database `hermod` takes queries.
 *
 * A server that an earlier run left on the data folder is stopped first. So the caller holds that folder's
 * lock (`lockDataDir`): without it, this would take the server of another service away.
 *
 * Rejects with an error that says what to do, and holds the last log lines, when Postgres is not installed or
 * does not start. One that recovers from a crash is waited for.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedServer> {
  const { log, signal } = options;
  const dataDir = await openDataDir(options.dataDir);
  // A setting without a meaning: on the command line, it tells whose server this is.
  const mark = `hermod.data_dir=${dataDir}`;
  await stopLeftovers({ program: "postgres", argument: mark }, options);
  const dir = join(dataDir, "postgres");
  const account = await postgresAccount(dir);
  const binaries = await postgresBinaries(dataDir, account);
  try {
    const logFile = join(dataDir, "logs", "postgres.log");
    const password = await secretIn(join(dataDir, "postgres.password"));
    const base = { account, logFile, env: environment(await staleOwner(dir)), log, signal };
    await ensureCluster({ ...base, dir, initdb: binaries.initdb, superuser: NAME, password });
    const server = await onPort(join(dataDir, "postgres.port"), options.port, (port) => {
      const args = argumentsFor(dir, mark, port, options.settings);
      return launchPatiently({ ...program(binaries, password, port), ...base, args, cwd: dir });
    });
    keepShort(logFile, server.exited);
    return server;
  } catch (error) {
    await binaries.remove();
    throw error;
  }
}

/** Little of our own environment: it may hold secrets, and that other user's processes can read it there. */
function environment(stalePid: number | undefined): Record<string, string> {
  const env: Record<string, string> = { PATH: process.env.PATH ?? "", LC_ALL: "C", TZ: "UTC" };
  if (process.env.LD_LIBRARY_PATH) env.LD_LIBRARY_PATH = process.env.LD_LIBRARY_PATH;
  // No server of ours is left, so whoever has the pid in the lock file now is no Postgres of this folder. Told
  // that it is a relative, Postgres takes the file for stale, but still looks for processes on its old memory.
  if (stalePid !== undefined) env.PG_GRANDPARENT_PID = String(stalePid);
  return env;
}

function argumentsFor(dir: string, mark: string, port: number, settings?: Record<string, string>): string[] {
  const ours = { listen_addresses: LOOPBACK, port: String(port), unix_socket_directories: "" };
  const all = Object.entries({ ...SETTINGS, ...settings, ...ours }).map(([key, value]) => `${key}=${value}`);
  return ["-D", clusterArgument(dir), ...[...all, mark].flatMap((setting) => ["-c", setting])];
}

function program(binaries: PostgresBinaries, password: string, port: number) {
  const server = `postgres://${NAME}:${password}@${LOOPBACK}:${port}`;
  return {
    name: "Postgres",
    command: binaries.postgres,
    url: `${server}/${NAME}`,
    instead: INSTEAD,
    probe: () => readiness(`${server}/postgres`),
    cleanUp: () => binaries.remove(),
  };
}

/** After a SIGKILL of the server, its children hold its memory, and keep a new one out, until they notice. */
async function launchPatiently(program: Program): Promise<EmbeddedServer> {
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

/** Makes the database when it is missing. */
async function readiness(adminUrl: string): Promise<Readiness> {
  const sql = connect(adminUrl, { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    const found = await sql`select from pg_database where datname = ${NAME}`;
    if (found.length === 0) await sql`create database ${sql(NAME)}`;
    return "ready";
  } catch (error) {
    if (hasCode(error, STARTING_UP)) return "recovering";
    if (hasCode(error, "ECONNREFUSED", "ECONNRESET", "CONNECTION_CLOSED", "CONNECT_TIMEOUT")) return "away";
    if (hasCode(error, WRONG_PASSWORD)) throw new Error("postgres.password is not the cluster's password");
    throw error;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
