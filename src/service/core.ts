import { type Capacity, Database, type DatabaseOptions } from "../db/database";
import type { SettingsTaken } from "../db/settings-taken";
import { BY_KEY } from "../db/sql/planner";
import { foldingCounterDeltas } from "../deliveries/counter-deltas";
import { ensureEncryptionKeys } from "../installation/encryption-keys";
import { checkPartitions } from "../installation/fixed-settings";
import { HELD_UP, LEFT_OUT, migrateDatabase } from "../installation/migrate";
import { adviceOn, readServerSettings } from "../installation/server-settings";
import { probeWrites, Writability } from "../installation/writability";
import { databaseMeters } from "../metrics/database-meter";
import type { Metrics } from "../metrics/metrics";
import { Retention } from "../retention/retention";
import { systemClock, within } from "../runtime/clock";
import { createLog, describeError, type Log } from "../runtime/log";
import { foldingTallies } from "../series/fold";
import { StreamConnection } from "../stream/connection";
import { Control } from "../stream/control";
import { StreamKeeper } from "../stream/keeper";
import { MessageSigner } from "../stream/signer";
import type { Topology } from "../stream/topology";
import { TraceStore } from "../tracing/trace-store";
import type { Tracing } from "../tracing/tracing";
import { deriveKey, type EncryptionKey } from "../vault/encryption-key";
import { Vault } from "../vault/vault";
import { type Cold, openCold } from "./cold";
import type { Config } from "./config";
import { createMetrics, exportMetrics } from "./measuring";
import { poolSizes } from "./pool-sizes";
import type { Servers } from "./servers";

/** The resources that the roles share. */
export type Core = Pools &
  StreamParts &
  Readonly<{
    /** The id of this process, also as a dispatcher. */
    processId: string;
    config: Config;
    log: Log;
    clock: typeof systemClock;
    /** This process's metrics; null if they are neither served nor exported. */
    metrics: Metrics | null;
    vault: Vault;
    /** Null if all deliveries are in Postgres. */
    cold: Cold | null;
    /** Null without tracing. */
    traced: Traced | null;
    /** Exports the last spans and metrics for a part of `withinMs`, and closes the resources. */
    close(withinMs: number): Promise<void>;
  }>;

/** Pools of connections to Postgres. */
type Pools = Readonly<{
  /** Pool for API requests. */
  queries: Database;
  /** Pool for the delivery pipeline. Separate, so that API queries can never starve it. */
  pipeline: Database;
  /** Pool for the intake of sends. One connection, since commits follow each other. */
  intake: Database;
  /** Pool for sends that wait for a lock. Connects only when a send waits. */
  patientIntake: Database;
  /** Pool for the renewal of leases, which must never wait behind deliveries. */
  leases: Database;
  /** Pool for reads of files; null if all deliveries are in Postgres. Connects only when a file is read. */
  files: Database | null;
  /** Learns from all pools whether Postgres takes writes. */
  writability: Writability;
}>;

/** The stream, and the notices between processes. */
type StreamParts = Readonly<{
  topology: Topology;
  connection: StreamConnection;
  control: Control;
  /** Signs the messages of the stream. */
  signer: MessageSigner;
}>;

/** The last export takes at most this long, and at most half the time for closing. */
const LAST_EXPORT_MS = 3_000;

/**
 * A commit of sends waits for a lock for at most this long. Short, since all sends wait with it, and ordinary commits hold locks
 * for far less time.
 */
const INTAKE_LOCK_MS = 100;

/**
 * Postgres cancels a statement after this share of our own time limit. So Postgres cancels first, and the connection and the
 * pool stay usable.
 */
const STATEMENT_SHARE = 0.9;

/** The recorder of spans, and the store of the deliveries' traces. */
export type Traced = Readonly<{ tracing: Tracing; store: TraceStore }>;

/**
 * Migrates the database to this version, and opens everything that the roles share. `isChild`: the main process has logged what
 * is to be said about settings.
 */
export async function openCore(config: Config, servers: Servers, log: Log, isChild = false): Promise<Core> {
  const settingsLog = isChild ? createLog("silent") : log;
  const settings = await migrate(servers, settingsLog);
  const metrics = createMetrics(config);
  const pools = await openPools(config, servers, { settings, metrics, log });
  const { queries } = pools;
  await checkPartitions(queries, config.partitions);
  await warnOfSettings(queries, config, settingsLog);
  const cold = await openCold({ settings: config.cold, db: queries, session: pools.files, log });
  const retention = await openRetention(config, queries, { log, metrics, cold });
  const keys = await encryptionKeys(config, servers, queries, settingsLog);
  const stream = openStream(config, servers, keys, log);
  const traced = await openTracing(config, queries, log);
  const metricExport = await exportMetrics(metrics, config, log);
  const background = [
    new StreamKeeper({ ...stream, clock: systemClock, log }),
    retention,
    foldingCounterDeltas({ db: queries, clock: systemClock, log }),
    foldingTallies({ db: queries, clock: systemClock, log }),
  ];
  for (const each of background) each.start();
  const close = async (withinMs: number) => {
    // Running statements end when the connections close.
    const stopped = background.map((each) => each.stop());
    // While the servers are connected: the last metrics say whether they answer.
    const exported = Promise.all([traced?.tracing.close(), metricExport?.close()]);
    await within(systemClock, Math.min(LAST_EXPORT_MS, withinMs / 2), exported);
    await stream.connection.close();
    await closePools(pools);
    await Promise.all(stopped);
  };
  return {
    processId: crypto.randomUUID(),
    config,
    log,
    clock: systemClock,
    metrics,
    ...pools,
    vault: new Vault(keys),
    cold,
    ...stream,
    traced,
    close,
  };
}

function migrate({ databaseUrl }: Servers, log: Log): Promise<SettingsTaken> {
  const heldUp = () => log.warn(HELD_UP);
  const leftOut = (parameters: readonly string[]) => log.warn({ parameters }, LEFT_OUT);
  return migrateDatabase(databaseUrl, { heldUp, leftOut });
}

type PoolsOptions = { settings: SettingsTaken; metrics: Metrics | null; log: Log };

async function openPools(
  config: Config,
  servers: Servers,
  { settings, metrics, log }: PoolsOptions,
): Promise<Pools> {
  const meterOf = metrics && databaseMeters(metrics);
  const writability = new Writability({ clock: systemClock, log, probe: () => probeWrites(pools.queries) });
  const open = (pool: string, capacity: Capacity, session = {}) => {
    const meter = meterOf?.(pool) ?? null;
    return openDatabase(config, servers, { log, settings, meter, writability, ...capacity }, session);
  };
  const sizes = poolSizes(config.databaseConnections - (config.cold === null ? 0 : 1));
  const pools = {
    queries: open("requests", { size: sizes.requests }),
    pipeline: open("pipeline", { size: sizes.pipeline }),
    intake: open("intake", { size: 1, depth: 2 }, { lock_timeout: `${INTAKE_LOCK_MS}ms` }),
    patientIntake: open("patient-intake", { size: 1 }),
    leases: open("leases", { size: 1 }),
    files: config.cold && open("files", { size: 1 }),
  };
  // Connects now: later a flood of clients may use up the open files, and sends need this connection alone.
  await pools.intake.run((sql) => sql`select`);
  return { ...pools, writability };
}

async function closePools({ writability, ...pools }: Pools): Promise<void> {
  const stopped = writability.stop();
  await Promise.all(Object.values(pools).map((each) => each?.close()));
  await stopped;
}

/** Connects to the stream, and makes the signers of its messages. */
function openStream(
  { partitions, streamReplicas: replicas, streamMaxBytes: maxBytes, natsCredentials }: Config,
  { natsUrl }: Servers,
  keys: readonly EncryptionKey[],
  log: Log,
): StreamParts {
  const topology = { partitions, replicas, maxBytes };
  const connection = new StreamConnection(natsUrl, log, natsCredentials);
  // One signer for each purpose: a signer refuses older messages, and notices overtake messages of the stream.
  const signerFor = (purpose: string) =>
    new MessageSigner(
      keys.map((key) => deriveKey(key, purpose)),
      systemClock,
    );
  const signer = signerFor("hermod stream");
  const control = new Control({ connection, signer: signerFor("hermod control"), clock: systemClock, log });
  return { topology, connection, control, signer };
}

/** Loads OpenTelemetry only where it is used. */
async function openTracing({ otlp }: Config, db: Database, log: Log): Promise<Traced | null> {
  if (otlp.traces === null) return null;
  const { startTracing } = await import("../otlp/traces");
  return { tracing: startTracing(otlp.traces, log), store: new TraceStore({ db, clock: systemClock, log }) };
}

function openDatabase(
  { queryTimeoutMs }: Config,
  { databaseUrl }: Servers,
  options: Pick<DatabaseOptions, "log" | "meter" | "settings" | "writability" | keyof Capacity>,
  session: Record<string, string>,
): Database {
  return new Database({
    ...options,
    url: databaseUrl,
    session: { ...BY_KEY, ...session },
    queryTimeoutMs,
    statementTimeoutMs: Math.floor(STATEMENT_SHARE * queryTimeoutMs),
  });
}

/** Logs the settings of Postgres that should be changed. */
async function warnOfSettings(
  db: Database,
  { databaseConnections, processes }: Config,
  log: Log,
): Promise<void> {
  const found = adviceOn(await db.run(readServerSettings), databaseConnections * processes);
  for (const { setting, value, advice } of found)
    log.warn({ setting, value, advice }, "a setting of Postgres should be changed");
}

/** Creates the current time ranges. Expired ones are dropped later, in the background. */
async function openRetention(
  { retentionMs }: Config,
  db: Database,
  { log, metrics, cold }: { log: Log; metrics: Metrics | null; cold: Cold | null },
): Promise<Retention> {
  const freezing = cold?.freezing ?? null;
  const retention = new Retention({ db, clock: systemClock, log, retentionMs, freezing });
  await retention
    .extend()
    .catch((error) =>
      log.warn(describeError(error), "could not create the next time ranges at the start; trying again"),
    );
  metrics?.total(
    { name: "hermod_retention_failures_total", help: "Rounds that could not create or drop time ranges." },
    () => retention.failures,
  );
  return retention;
}

function encryptionKeys(
  config: Config,
  servers: Servers,
  db: Database,
  log: Log,
): Promise<readonly EncryptionKey[]> {
  const { encryptionKeys: configured, production, dataDir } = config;
  const embedded = servers.embeddedDatabase;
  return ensureEncryptionKeys({ configured, production, dataDir, embedded, db, log });
}
