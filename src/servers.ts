import type { Config } from "./config";
import { lockDataDir } from "./embedded/data-dir";
import { startNats } from "./embedded/nats";
import { startPostgres } from "./embedded/postgres";
import { Supervisor } from "./embedded/supervisor";
import { systemClock } from "./runtime/clock";
import { describeError, type Log } from "./runtime/log";

/** Where Postgres and NATS are, whether given or started here. */
export type Servers = {
  databaseUrl: string;
  natsUrl: string;
  /** True when Postgres lives in the data folder. */
  embeddedDatabase: boolean;
  /** Ends by force what has not ended in that time, milliseconds; 10 s unless given. */
  stop(withinMs?: number): Promise<void>;
};

/** What the embedded Postgres takes at least, and what it is to take beside the pool for requests. */
const LEAST_CONNECTIONS = 200;
const OTHER_CONNECTIONS = 50;

/**
 * Starts, as children of this process, those servers that the environment does not name, and keeps them running. Rejects
 * when `signal` aborts meanwhile, leaving none.
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
  const begin = async (name: keyof typeof startings, port: number | null) => {
    const start = startings[name];
    return new Supervisor(await start(port ?? undefined, signal), { name, start, clock: systemClock, log });
  };
  const starting = await Promise.allSettled([
    databaseUrl ? null : begin("Postgres", config.postgresPort),
    natsUrl ? null : begin("NATS", config.natsPort),
  ]);
  const started = starting.flatMap((each) => (each.status === "fulfilled" && each.value ? [each.value] : []));
  const stop = async (withinMs?: number) => {
    await Promise.all(started.map((server) => server.stop(withinMs)));
    await lock.release().catch((error) => log.warn(describeError(error), "the data folder is left as it is"));
  };
  const [postgres, nats] = starting;
  if (postgres.status === "rejected" || nats.status === "rejected") {
    await stop();
    throw postgres.status === "rejected" ? postgres.reason : (nats as PromiseRejectedResult).reason;
  }
  return {
    databaseUrl: databaseUrl ?? urlOf(postgres.value),
    natsUrl: natsUrl ?? urlOf(nats.value),
    embeddedDatabase: databaseUrl === null,
    stop,
  };
}

/** A pool has a quarter more for transactions, and is there twice while it is replaced; other pools are small. */
function connectionsFor({ databasePoolSize }: Config): string {
  return String(Math.max(LEAST_CONNECTIONS, Math.ceil(databasePoolSize * 2.5) + OTHER_CONNECTIONS));
}

function urlOf(server: Supervisor | null): string {
  if (!server) throw new Error("a server that was neither given nor started");
  return server.url;
}
