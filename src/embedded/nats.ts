import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ConnectionOptions, connect } from "nats";
import { childEnvironment } from "./child-process";
import { openDataDir, secretIn } from "./data-dir";
import { stopLeftovers } from "./leftover";
import { LOG_LIMIT_BYTES } from "./log-file";
import { natsBinary } from "./nats-binary";
import { LOOPBACK, onPort } from "./port";
import { type EmbeddedServer, launch } from "./server";

export type NatsOptions = {
  /** The service's data folder. The streams are in `nats`, the log in `logs/nats.log`. */
  dataDir: string;
  /** The port; by default that of the last run if it is free, else any free port. */
  port?: number;
  /** The nats-server to run; by default that of the package for this platform, else the one on the PATH. */
  command?: string | undefined;
  /** Called with a line about each step of the start. */
  log?: (line: string) => void;
  /** Aborts the start. */
  signal?: AbortSignal | undefined;
};

const USER = "hermod";

/**
 * Starts nats-server with JetStream on the loopback address. Resolves once JetStream answers.
 *
 * First stops a server that an earlier run left on the data folder. So the caller must hold the folder's lock (`lockDataDir`):
 * without it, this would stop the server of another service.
 *
 * Rejects if nats-server is not installed or does not start. The error has the remedy and the last log lines.
 */
export async function startNats(options: NatsOptions): Promise<EmbeddedServer> {
  const dataDir = await openDataDir(options.dataDir);
  const config = join(dataDir, "nats.conf");
  await stopLeftovers({ program: "nats-server", argument: config }, options);
  await mkdir(join(dataDir, "nats"), { recursive: true, mode: 0o700 });
  const command = options.command ?? (await natsBinary({ dataDir }));
  const password = await secretIn(join(dataDir, "nats.password"));
  return onPort(join(dataDir, "nats.port"), options.port, (port) =>
    launchOn({ dataDir, config, command, password, port, signal: options.signal }),
  );
}

type Launch = {
  dataDir: string;
  config: string;
  command: string;
  password: string;
  port: number;
  signal: AbortSignal | undefined;
};

async function launchOn(launched: Launch): Promise<EmbeddedServer> {
  const { dataDir, config, command, password, port, signal } = launched;
  // The name of this start, by which the probe recognizes our server on the port.
  const name = `hermod-${randomUUID()}`;
  const logFile = join(dataDir, "logs", "nats.log");
  await writeConfig(config, {
    server_name: name,
    listen: `${LOOPBACK}:${port}`,
    authorization: { user: USER, password },
    jetstream: { store_dir: join(dataDir, "nats") },
    log_file: logFile,
    logfile_size_limit: LOG_LIMIT_BYTES,
    ...((await knowsLogFiles(command)) && { logfile_max_num: 2 }),
  });
  return launch({
    name: "NATS",
    command,
    args: ["-c", config],
    cwd: dataDir,
    env: childEnvironment(),
    logFile,
    instead: "Or set NATS_URL to a NATS server of your own with JetStream on.",
    url: `nats://${USER}:${password}@${LOOPBACK}:${port}`,
    signal,
    probe: async () => {
      const isOurs = await answers(name, { servers: `${LOOPBACK}:${port}`, user: USER, pass: password });
      return isOurs ? "ready" : "away";
    },
  });
}

/** True if nats-server has the setting `logfile_max_num` (from 2.10 on). Older versions refuse to start with it. */
async function knowsLogFiles(command: string): Promise<boolean> {
  const { stdout } = await promisify(execFile)(command, ["--version"], { env: childEnvironment() }).catch(
    () => ({ stdout: "" }),
  );
  const [, major, minor] = /v(\d+)\.(\d+)\./.exec(stdout) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 10);
}

/** Writes the configuration as JSON, which nats-server reads as its own format. */
async function writeConfig(file: string, config: object): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function answers(serverName: string, options: ConnectionOptions): Promise<boolean> {
  const connection = await connect({ ...options, reconnect: false, timeout: 2_000 }).catch(() => undefined);
  if (!connection) return false;
  try {
    if (connection.info?.server_name !== serverName) return false;
    await (await connection.jetstreamManager()).getAccountInfo();
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}
