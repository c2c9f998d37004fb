import { lockDataDir } from "../embedded/data-dir";
import { startNats } from "../embedded/nats";
import { startPostgres } from "../embedded/postgres";
import type { EmbeddedServer } from "../embedded/server";
import { Supervisor } from "../embedded/supervisor";
import { systemClock } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import type { Config } from "./config";

/** The addresses of Postgres and NATS, which are configured or started here. */
export type Servers = {
  databaseUrl: string;
  natsUrl: string;
  /** True if Postgres runs from the data folder. */
  embeddedDatabase: boolean;
  /** Stops the servers started here, by force after `withinMs` (10,000 ms by default). */
  stop(withinMs?: number): Promise<void>;
};

/** The embedded Postgres accepts at least this many connections, and this many more than our processes use. */
const LEAST_CONNECTIONS = 200;
const OTHER_CONNECTIONS = 50;

/**
 * Starts the servers that the environment does not name, as child processes, and keeps them running. Rejects if `signal` aborts
 * meanwhile, and then leaves none running.
 */
export async function openServers(config: Config, log: Log, signal?: AbortSignal): Promise<Servers> {
  const { databaseUrl, natsUrl, dataDir } = config;
  if (databaseUrl && natsUrl) {
    return { databaseUrl, natsUrl, embeddedDatabase: false, stop: async () => {} };
  }
  const lock = await lockDataDir(dataDir);
  const options = { dataDir, log: (line: string) => log.info(line) };
  const startings = {
    Postgres: (port?: number, signal?: AbortSignal) =>
      startPostgres({ ...options, port, settings: { max_connections: connectionsFor(config) }, signal }),
    NATS: (port?: number, signal?: AbortSignal) => startNats({ ...options, port, signal }),
  };
  const started: Supervisor<EmbeddedServer>[] = [];
  const begin = async (name: keyof typeof startings, port: number | null) => {
    const start = startings[name];
    const server = await start(port ?? undefined, signal);
    const again = ({ url }: EmbeddedServer, signal: AbortSignal) => start(Number(new URL(url).port), signal);
    started.push(new Supervisor(server, { name: `embedded ${name}`, start: again, clock: systemClock, log }));
    return server.url;
  };
  const stop = async (withinMs?: number) => {
    await Promise.all(started.map((server) => server.stop(withinMs)));
    await lock
      .release()
      .catch((error) =>
        log.warn(
          describeError(error),
          "could not remove lock.json from the data folder; the lock itself is released",
        ),
      );
  };
  const addresses = [
    databaseUrl ?? begin("Postgres", config.postgresPort),
    natsUrl ?? begin("NATS", config.natsPort),
  ] as const;
  // Waits for both: if one fails, the other must have started before it can be stopped.
  await Promise.allSettled(addresses);
  try {
    const [database, nats] = await Promise.all(addresses);
    return { databaseUrl: database, natsUrl: nats, embeddedDatabase: databaseUrl === null, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Opens only Postgres, for work that ends by itself. */
export function openDatabaseServer(config: Config, log: Log, signal: AbortSignal): Promise<Servers> {
  return openServers({ ...config, natsUrl: "nats://not-needed" }, log, signal);
}

/** Returns the number of connections for the embedded Postgres. Pools exist twice while they are replaced. */
function connectionsFor({ databaseConnections, processes }: Config): string {
  return String(Math.max(LEAST_CONNECTIONS, databaseConnections * processes * 2 + OTHER_CONNECTIONS));
}
