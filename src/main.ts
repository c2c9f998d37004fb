import { writeSync } from "node:fs";
import { join } from "node:path";
import { examine, reportOf } from "./doctor/doctor";
import { fromText } from "./domain/ids";
import { openDataDir, secretIn } from "./embedded/data-dir";
import { HELD_UP, LEFT_OUT, migrateDatabase } from "./installation/migrate";
import { MoveRefused } from "./moves/move";
import { startMove } from "./moves/start";
import { sleep, systemClock, within } from "./runtime/clock";
import { createLog, describeError, type Log, logSettled } from "./runtime/log";
import { publishAddress } from "./service/api-address";
import { banner, baseUrlOf } from "./service/banner";
import { storeOf } from "./service/cold-settings";
import { type Config, isTask, readConfig } from "./service/config";
import { CHILD, mainProcessGone } from "./service/dispatcher-process";
import { ConfigError } from "./service/environment";
import { launcherGone, TWIN_SIGNAL_MS } from "./service/launcher";
import { startRouter } from "./service/router";
import { openDatabaseServer, openServers } from "./service/servers";
import { type ServiceRole, type StartOptions, startService } from "./service/service";
import { transferData } from "./transfer/transfer";

const USAGE = `Usage: bun start [role]

  (none)       API and dispatcher, with embedded Postgres and NATS unless DATABASE_URL and NATS_URL are set
  api          the API only             (needs DATABASE_URL and NATS_URL)
  dispatcher   the dispatcher only      (needs DATABASE_URL and NATS_URL)
  router       forwards requests to the cells of accounts (needs HERMOD_CELLS and HERMOD_CELLS_NATS_URL)
  services     embedded Postgres and NATS only, in the foreground
  migrate      applies the migrations to DATABASE_URL and ends
  export FILE  writes the installation of DATABASE_URL, or of the data folder, to a file, and ends
  import FILE  reads it into an empty database, and ends
  move ACC     moves an account to another cell (needs DATABASE_URL and HERMOD_MOVE_TO), and ends; --give-up: ends its move
  doctor       checks settings, servers and this machine for a role (doctor [role]), and ends
`;

/** Exit code for a wrong command line or environment. */
const EXIT_USAGE = 2;
/** Exit code of `doctor` if it found a fault. */
const EXIT_FAULT = 1;

/** An aborted start has this long to stop the parts that it has started. Other parts end with the process. */
const BREAK_OFF_MS = 5_000;

/** The exit waits for the last log lines for at most this long, because their reader may be stuck. */
const LOG_MS = 500;

type Running = { stop(): Promise<void> };

async function main(args: readonly string[]): Promise<number> {
  const [command = "all", ...rest] = args;
  if (command === "--help" || command === "help") return print(USAGE);
  if (command === "doctor") return doctor(rest);
  if (!isTask(command)) return refuse(`Unknown role: ${command}\n\n${USAGE}`);
  if (command === "export" || command === "import") return transfer(command, rest);
  if (command === "move") return move(rest);
  const isChild = command === "dispatcher" && rest[0] === CHILD && process.send !== undefined;
  if (rest.length > Number(isChild)) return refuse(USAGE);
  const config = readConfig(process.env, command);
  const log = command === "migrate" ? createLog(config.logLevel) : await openLog(config);
  if (config.unknown.length > 0 && !isChild)
    log.warn({ variables: config.unknown }, "unknown HERMOD_ variables ignored");
  switch (command) {
    case "all":
      return run(
        (signal) => serve(config, "all", log, { signal, childEnvironment: process.env }),
        askedToStop(config, log),
        log,
      );
    case "api":
    case "dispatcher":
      requireServers(config, command);
      return run(
        (signal) => serve(config, command, log, { signal, isChild }),
        isChild ? Promise.race([signalled(), mainProcessGone()]) : askedToStop(config, log),
        log,
      );
    case "router":
      return run(() => startRouter(config, log), askedToStop(config, log), log);
    case "services":
      return run((signal) => services(config, log, signal), askedToStop(config, log), log);
    case "migrate":
      return migrate(config);
  }
}

/** Opens the log, and exports it if that is configured. OpenTelemetry is loaded only then. */
async function openLog({ logLevel, otlp }: Config): Promise<Log> {
  if (!otlp.logs) return createLog(logLevel);
  const { startLogExport } = await import("./otlp/logs");
  return createLog(logLevel, startLogExport(createLog(logLevel)));
}

async function serve(given: Config, role: ServiceRole, log: Log, options: StartOptions): Promise<Running> {
  const adminKey = role === "dispatcher" ? null : await adminKeyOf(given);
  const config = Object.freeze({ ...given, adminKey });
  const service = await startService(config, role, log, options);
  const { host, port } = service;
  if (port === null || adminKey === null) log.info("dispatcher started");
  else if (config.production) log.info({ host, port }, "API listening");
  else return welcome(config, service, { port, adminKey, keyIsKept: given.adminKey === null }, log);
  return service;
}

/** Prints the banner, and writes the address of the API for the command line. */
async function welcome(
  config: Config,
  service: Running,
  { port, adminKey, keyIsKept }: { port: number; adminKey: string; keyIsKept: boolean },
  log: Log,
): Promise<Running> {
  // Ignores a folder that can't be written.
  const address = await publishAddress(config.dataDir, { url: baseUrlOf(config, port), keyIsKept }).catch(
    () => null,
  );
  print(banner(config, port, adminKey));
  const stop = async () => {
    await address
      ?.withdraw()
      .catch((error) =>
        log.warn(
          describeError(error),
          "could not remove api.json from the data folder: the command line will look for an API that is gone; remove the file",
        ),
      );
    await service.stop();
  };
  return { stop };
}

async function services(config: Config, log: Log, asked: AbortSignal): Promise<Running> {
  const servers = await openServers({ ...config, databaseUrl: null, natsUrl: null }, log, asked);
  print(`DATABASE_URL=${servers.databaseUrl}\nNATS_URL=${servers.natsUrl}\n`);
  return servers;
}

async function migrate({ databaseUrl }: Config): Promise<number> {
  if (databaseUrl === null) throw new ConfigError(["DATABASE_URL must be set for migrate"]);
  const heldUp = () => process.stderr.write(`${HELD_UP}\n`);
  const leftOut = (names: readonly string[]) => process.stderr.write(`${LEFT_OUT}: ${names.join(", ")}\n`);
  await migrateDatabase(databaseUrl, { heldUp, leftOut });
  return print("The database has all migrations of this version.\n");
}

/** Writes or reads an export. The first signal ends it, and leaves nothing behind. */
async function transfer(task: "export" | "import", [path, ...rest]: readonly string[]): Promise<number> {
  if (path === undefined || rest.length > 0) return refuse(USAGE);
  const config = readConfig(process.env, task);
  const log = createLog(config.logLevel);
  const stopping = new AbortController();
  signalled().then(() => stopping.abort(new Error("it was stopped by a signal")));
  const report = (line: string) => void process.stderr.write(`${line}\n`);
  const servers = await openDatabaseServer(config, log, stopping.signal);
  try {
    await migrateDatabase(servers.databaseUrl, { heldUp: () => log.warn(HELD_UP) });
    const store = config.cold && storeOf(config.cold);
    const options = { ...config, store, report, stopped: stopping.signal };
    const rows = await transferData(task, servers.databaseUrl, path, options);
    return print(`${task === "export" ? "Wrote" : "Read"} ${rows} rows: ${path}\n`);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const cause = stopping.signal.aborted ? stopping.signal.reason : error;
    refuse(`The ${task} failed and left nothing behind: ${describeError(cause).error}\n`);
    return 1;
  } finally {
    await servers.stop();
  }
}

/** Moves an account to another cell. It may be stopped at any time: started again, it goes on. */
async function move([reference, option, ...rest]: readonly string[]): Promise<number> {
  const id = reference === undefined ? null : fromText("acc", reference);
  const isKnown = option === undefined || option === "--give-up";
  if (id === null || !isKnown || rest.length > 0) return refuse(USAGE);
  const config = readConfig(process.env, "move");
  const { databaseUrl, encryptionKeys, attemptTimeoutMs, cold, move: settings } = config;
  if (databaseUrl === null || settings === null) return EXIT_USAGE;
  const store = cold && storeOf(cold);
  const report = (line: string) => void process.stderr.write(`${line}\n`);
  const sourceUrl = settings.from ?? databaseUrl;
  const all = { ...settings, from: databaseUrl, sourceUrl, store, encryptionKeys, attemptTimeoutMs };
  try {
    await startMove(option === undefined ? "move" : "give_up", id, all, report);
    return 0;
  } catch (error) {
    const again = error instanceof MoveRefused ? "" : "\nStart it again: it goes on where it stopped.";
    refuse(`The move has stopped: ${describeError(error).error}${again}\n`);
    return 1;
  }
}

/** Returns 1 if there are faults. */
async function doctor([role = "all", ...rest]: readonly string[]): Promise<number> {
  if (!isTask(role) || rest.length > 0) return refuse(USAGE);
  const findings = await examine(readConfig(process.env, role), role);
  print(reportOf(findings));
  return findings.some(({ state }) => state === "fault") ? EXIT_FAULT : 0;
}

/** Runs until a stop is requested, which also aborts a start. */
async function run(
  start: (signal: AbortSignal) => Promise<Running>,
  stopped: Promise<void>,
  log: Log,
): Promise<number> {
  const asking = new AbortController();
  const asked = stopped.then(() => asking.abort());
  const overdue = asked.then(() => sleep(systemClock, BREAK_OFF_MS)).then(() => null);
  const running = await Promise.race([unlessAsked(start(asking.signal), asking.signal), overdue]);
  if (running) await asked;
  return running ? stop(running, log) : 0;
}

async function stop(running: Running, log: Log): Promise<number> {
  try {
    await running.stop();
    return 0;
  } catch (error) {
    log.error(
      describeError(error),
      "the stop failed: unfinished deliveries are attempted again after the next start",
    );
    return 1;
  }
}

/** Resolves to null for a start that was aborted. */
async function unlessAsked(starting: Promise<Running>, asked: AbortSignal): Promise<Running | null> {
  try {
    return await starting;
  } catch (error) {
    if (asked.aborted) return null;
    throw error;
  }
}

/** Resolves at the first signal. Outside production also resolves when the launcher has ended. */
async function askedToStop({ production }: Config, log: Log): Promise<void> {
  await (production ? signalled() : Promise.race([signalled(), launcherGone(systemClock, process.env)]));
  log.info(
    "stopping: finishing what is under way; a second signal, half a second later or more, ends the process at once",
  );
}

/** Resolves at the first signal. A later signal ends the process at once. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | null = null;
    const onSignal = () => {
      firstAt ??= systemClock.monotonic();
      if (systemClock.monotonic() - firstAt >= TWIN_SIGNAL_MS) process.exit(130);
      resolve();
    };
    process.on("SIGINT", onSignal);
    process.on("SIGTERM", onSignal);
  });
}

async function adminKeyOf(config: Config): Promise<string> {
  if (config.adminKey !== null) return config.adminKey;
  return secretIn(join(await openDataDir(config.dataDir), "admin-key"));
}

function requireServers(config: Config, role: ServiceRole): void {
  const problems = [];
  if (config.databaseUrl === null) problems.push(`DATABASE_URL must be set for the role ${role}`);
  if (config.natsUrl === null) problems.push(`NATS_URL must be set for the role ${role}`);
  if (problems.length > 0) throw new ConfigError(problems);
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function refuse(text: string): number {
  try {
    // Writes synchronously, because other output to a pipe may be lost at the exit.
    writeSync(process.stderr.fd, text);
  } catch {
    // The disk may be full. The exit code still shows the failure.
  }
  return EXIT_USAGE;
}

function explain(error: unknown): number {
  if (error instanceof ConfigError) return refuse(`${error.problems.join("\n")}\n`);
  refuse(`Hermod could not start: ${describeError(error).error}\n`);
  return 1;
}

const code = await main(process.argv.slice(2)).catch(explain);
await within(systemClock, LOG_MS, logSettled());
process.exit(code);
