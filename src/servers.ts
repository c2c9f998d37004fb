import { join } from "node:path";
import type { Config } from "./config";
import { lockDataDir } from "./embedded/data-dir";
import { startNats } from "./embedded/nats";
import { startPostgres } from "./embedded/postgres";
import type { EmbeddedServer } from "./embedded/server";
import type { Log } from "./runtime/log";

/** Where Postgres and NATS are, whether given or started here. */
export type Servers = {
  databaseUrl: string;
  natsUrl: string;
  /** True when Postgres lives in the data folder. */
  embeddedDatabase: boolean;
  /** Resolves with a sentence when one that was started here ends by itself. */
  lost: Promise<string>;
  stop(): Promise<void>;
};

/** Starts, as children of this process, those servers that the environment does not name. */
export async function openServers(config: Config, log: Log): Promise<Servers> {
  const { databaseUrl, natsUrl, dataDir } = config;
  if (databaseUrl && natsUrl) {
    return {
      databaseUrl,
      natsUrl,
      embeddedDatabase: false,
      lost: new Promise(() => {}),
      stop: async () => {},
    };
  }
  const lock = await lockDataDir(dataDir);
  const note = (line: string) => log.debug(line);
  const starting = await Promise.allSettled([
    databaseUrl ? null : startPostgres({ dataDir, port: config.postgresPort ?? undefined, log: note }),
    natsUrl ? null : startNats({ dataDir, port: config.natsPort ?? undefined, log: note }),
  ]);
  const started = starting.flatMap((each) => (each.status === "fulfilled" && each.value ? [each.value] : []));
  const stop = async () => {
    await Promise.all(started.map((server) => server.stop()));
    await lock.release();
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
    lost: Promise.race(started.map((server) => endOf(server, join(dataDir, "logs")))),
    stop,
  };
}

function urlOf(server: EmbeddedServer | null): string {
  if (!server) throw new Error("a server that was neither given nor started");
  return server.url;
}

async function endOf(server: EmbeddedServer, logs: string): Promise<string> {
  const { code, signal } = await server.exited;
  return `an embedded server ended (${signal ?? `code ${code}`}); its log is in ${logs}`;
}
