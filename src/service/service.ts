import type { HttpServer } from "../api/edge/serve";
import { partitionOf } from "../domain/partition";
import { Endpoints } from "../endpoints/endpoint";
import { type ProcessFigures, reportingPresence } from "../installation/processes";
import { systemClock, unlessAborted, within } from "../runtime/clock";
import type { Log } from "../runtime/log";
import { type Api, createApi } from "./api";
import type { Config } from "./config";
import { type Core, openCore } from "./core";
import { reportStart, serveMainProcess } from "./dispatcher-process";
import { DispatcherProcesses } from "./dispatcher-processes";
import { createDispatching, type Dispatching } from "./dispatching";
import type { Environment } from "./environment";
import { startMonitor } from "./monitor";
import { openServers, type Servers } from "./servers";

export type ServiceRole = "all" | "api" | "dispatcher";

export type Service = Readonly<{
  /** The host and port of the API; null without an API. */
  host: string | null;
  port: number | null;
  /** The port of metrics and health; null if it is not configured. */
  metricsPort: number | null;
  /**
   * Stops accepting, finishes and records running work, releases partitions and stops embedded servers. Takes bounded time.
   */
  stop(): Promise<void>;
}>;

/** Recording may take this long after the time for attempts. */
const RECORD_MS = 2_000;
const CLOSE_MS = 1_000;
const SERVERS_MS = 1_000;

export type StartOptions = Readonly<{
  signal?: AbortSignal;
  /** The environment of dispatcher processes. With it the role `all` delivers by `config.processes - 1` of them. */
  childEnvironment?: Environment;
  /** True for a dispatcher process of another one. */
  isChild?: boolean;
}>;

/**
 * Starts the stages in the order in which a delivery passes them, and stops them in the same order. If one fails, or `signal`
 * aborts, all stop. The end of the process then closes resources that were still being opened.
 */
export async function startService(
  config: Config,
  role: ServiceRole,
  log: Log,
  { signal, childEnvironment, isChild = false }: StartOptions = {},
): Promise<Service> {
  const servers = await openServers(config, log, signal);
  const core = await unlessAborted(openCore(config, servers, log, isChild), signal).catch(async (error) => {
    await servers.stop();
    throw error;
  });
  const { api, dispatching, children } = createStages(core, role, servers, childEnvironment ?? null);
  if (isChild && dispatching) serveMainProcess(dispatching, core.signer);
  const presence = reportingPresence({
    db: core.queries,
    clock: systemClock,
    log,
    id: core.processId,
    role: children ? "api" : role,
    figures: () => ({
      ...(api && { sends_waiting: api.queued() }),
      ...(dispatching && figuresOf(dispatching)),
    }),
  });
  let monitor: HttpServer | null = null;
  const stop = async (drainMs: number) => {
    // Fixes the end time now. A stage that waits for a dead server uses up the time of later stages, except their reserve.
    const end = systemClock.monotonic() + drainMs + RECORD_MS + CLOSE_MS + SERVERS_MS;
    const leftBut = (keptMs: number) => Math.max(0, end - keptMs - systemClock.monotonic());
    await api?.stop(leftBut(CLOSE_MS + SERVERS_MS));
    await dispatching?.stop(leftBut(RECORD_MS + CLOSE_MS + SERVERS_MS), leftBut(CLOSE_MS + SERVERS_MS));
    await children?.stop(leftBut(SERVERS_MS));
    await Promise.all([monitor?.close(), presence.stop()]);
    await within(systemClock, leftBut(SERVERS_MS), core.close(leftBut(SERVERS_MS)));
    await servers.stop(leftBut(0));
  };
  try {
    monitor = startMonitor(core, children ? "api" : role, dispatching && (() => dispatching.owns(0)));
    presence.start();
    // Starts the API first: if its port is taken, this process has not yet claimed partitions from a working dispatcher.
    const address = (await unlessAborted(Promise.resolve(api?.start()), signal)) ?? {
      host: null,
      port: null,
    };
    await unlessAborted(Promise.resolve(dispatching?.start()), signal);
    await children?.start(signal);
    if (isChild) reportStart();
    const { host, port } = address;
    return { host, port, metricsPort: monitor?.port ?? null, stop: () => stop(config.drainTimeoutMs) };
  } catch (error) {
    await stop(0);
    throw error;
  }
}

function figuresOf(dispatching: Dispatching): ProcessFigures {
  const { partitions, endpoints, due, attemptsUnderWay, attemptsWaiting, outcomesWaiting } =
    dispatching.figures();
  return {
    partitions,
    endpoints,
    endpoints_due: due,
    attempts_under_way: attemptsUnderWay,
    attempts_waiting: attemptsWaiting,
    outcomes_waiting: outcomesWaiting,
  };
}

type Stages = {
  api: Api | null;
  dispatching: Dispatching | null;
  /** Dispatchers in processes of their own, in place of `dispatching`. */
  children: DispatcherProcesses | null;
};

function createStages(
  core: Core,
  role: ServiceRole,
  servers: Servers,
  childEnvironment: Environment | null,
): Stages {
  const { config, queries, vault, control } = core;
  const endpoints = new Endpoints(
    queries,
    (id) => partitionOf(id, config.partitions),
    vault,
    control.notifyChange.bind(control),
  );
  const children = role === "all" ? childrenOf(core, servers, childEnvironment) : null;
  const dispatching = role === "api" || children ? null : createDispatching(core, endpoints);
  const api = role === "dispatcher" ? null : createApi(core, endpoints, children ?? dispatching);
  return { api, dispatching, children };
}

function childrenOf(
  { config, signer, clock, log }: Core,
  servers: Servers,
  env: Environment | null,
): DispatcherProcesses | null {
  const count = config.processes - 1;
  if (env === null || count === 0) return null;
  const { metricsPort, drainTimeoutMs } = config;
  const origin = () => signer.from;
  return new DispatcherProcesses({ count, env, servers, metricsPort, drainTimeoutMs, origin, clock, log });
}
