import connect from "postgres";
import { startNats } from "../../../src/embedded/nats";
import { startPostgres } from "../../../src/embedded/postgres";

/** The Postgres and the NATS of one system, with default durability. */
export type Servers = {
  databaseUrl: string;
  natsUrl: string;
  pids: { postgres: number; nats: number };
  stop(): Promise<void>;
};

export async function startServers(dataDir: string): Promise<Servers> {
  const postgres = await startPostgres({ dataDir });
  await grantMeasuring(postgres.adminUrl);
  const nats = await startNats({ dataDir }).catch(async (error) => {
    await postgres.stop();
    throw error;
  });
  const stop = async () => {
    await Promise.all([postgres.stop(), nats.stop()]);
  };
  const pids = { postgres: postgres.pid, nats: nats.pid };
  return { databaseUrl: postgres.url, natsUrl: nats.url, pids, stop };
}

/** Lets the service's role create databases, and run a checkpoint before a measurement. */
async function grantMeasuring(adminUrl: string): Promise<void> {
  const sql = connect(adminUrl, { max: 1 });
  await sql`alter role hermod createdb`;
  await sql`grant pg_checkpoint to hermod`;
  await sql.end();
}
