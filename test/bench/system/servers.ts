import { startNats } from "../../../src/embedded/nats";
import { startPostgres } from "../../../src/embedded/postgres";

/** The Postgres and the NATS of one system, as durable as they are by default. */
export type Servers = {
  databaseUrl: string;
  natsUrl: string;
  pids: { postgres: number; nats: number };
  stop(): Promise<void>;
};

export async function startServers(dataDir: string): Promise<Servers> {
  const postgres = await startPostgres({ dataDir });
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
