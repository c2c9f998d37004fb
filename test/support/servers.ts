import { rm } from "node:fs/promises";
import connect from "postgres";
import { startNats } from "../../src/embedded/nats";
import { startPostgres } from "../../src/embedded/postgres";
import { copyCluster } from "./cluster-copy";
import { NATS_COMMAND } from "./nats-command";
import { serverFolder } from "./server-folder";

type Running = Readonly<{ url: string; stop(): Promise<void> }>;

// Durability is off: the fault tests, which need it, start servers of their own.
const POSTGRES_SETTINGS = {
  max_connections: "300",
  fsync: "off",
  full_page_writes: "off",
  max_wal_size: "512MB",
  wal_level: "logical",
};

let dataDir: Promise<string> | null = null;
let postgres: Promise<Running> | null = null;
let nats: Promise<Running> | null = null;

/** Returns the URL in `TEST_DATABASE_URL`. Without one, starts a Postgres at the first call. */
export async function testPostgresUrl(): Promise<string> {
  postgres ??= given("TEST_DATABASE_URL", startTestPostgres);
  return (await postgres).url;
}

/** Returns the URL in `TEST_NATS_URL`. Without one, starts a NATS server at the first call. */
export async function testNatsUrl(): Promise<string> {
  nats ??= given("TEST_NATS_URL", async () => startNats({ dataDir: await folder(), command: NATS_COMMAND }));
  return (await nats).url;
}

/** Stops the servers that this process started, and removes their folder. */
export async function stopTestServers(): Promise<void> {
  await Promise.all([postgres, nats].map(async (server) => (await server)?.stop()));
  if (dataDir) await rm(await dataDir, { recursive: true, force: true });
}

/** Starts a Postgres whose ordinary role may also create databases, move accounts, run checkpoints and set the deadlock timeout. */
async function startTestPostgres(): Promise<Running> {
  const dataDir = await folder();
  await copyCluster(dataDir);
  const server = await startPostgres({ dataDir, settings: POSTGRES_SETTINGS });
  const sql = connect(server.adminUrl, { max: 1 });
  await sql`alter role hermod createdb replication`;
  await sql`grant pg_create_subscription to hermod`;
  await sql`grant pg_checkpoint to hermod`;
  await sql`grant set on parameter deadlock_timeout to hermod`;
  await sql.end();
  return server;
}

async function given(variable: string, start: () => Promise<Running>): Promise<Running> {
  const url = process.env[variable];
  return url ? { url, stop: async () => {} } : start();
}

function folder(): Promise<string> {
  dataDir ??= serverFolder();
  return dataDir;
}
