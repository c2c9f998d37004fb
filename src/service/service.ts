import { Endpoints } from "../endpoints/endpoint";
import type { HttpServer } from "../http/edge/serve";
import { unlessAborted } from "../runtime/abort";
import { systemClock, within } from "../runtime/clock";
import type { Log } from "../runtime/log";
import { partitionOf } from "../stream/partition";
import { type Api, createApi } from "./api";
import type { Config } from "./config";
import { type Core, openCore } from "./core";
import { createDispatching, type Dispatching } from "./dispatching";
import { startMonitor } from "./monitor";
import { openServers } from "./servers";

export type Role = "all" | "api" | "dispatcher";

export type Service = Readonly<{
  /** The API's port; null without one. */
  port: number | null;
  /** That of metrics and health; null without one. */
  metricsPort: number | null;
  /** Stops accepting, finishes and records what is under way, hands over, stops its servers. In bounded time. */
  stop(): Promise<void>;
}>;

/** What a stop may take when the time for attempts is over, milliseconds. */
const RECORD_MS = 2_000;
const CLOSE_MS = 1_000;
const SERVERS_MS = 1_000;

/**
 * Starts the stages in the order of a delivery's way, and stops them in the same order. One that fails stops all, and so
 * does `signal`: what was just being opened is then left to the end of the process.
 */
export async function startService(
  config: Config,
  role: Role,
  log: Log,
  signal?: AbortSignal,
): Promise<Service> {
  const servers = await openServers(config, log, signal);
  const core = await unlessAborted(openCore(config, servers, log), signal).catch(async (error) => {
    await servers.stop();
    throw error;
  });
  const { api, dispatching } = createStages(core, role);
  let monitor: HttpServer | null = null;
  const stop = async (drainMs: number) => {
    // Fixed now: whoever waits for a server in vain takes it from those that follow, but for what is kept for them.
    const end = systemClock.monotonic() + drainMs + RECORD_MS + CLOSE_MS + SERVERS_MS;
    const leftBut = (keptMs: number) => Math.max(0, end - keptMs - systemClock.monotonic());
    await api?.stop(leftBut(CLOSE_MS + SERVERS_MS));
    await dispatching?.stop(leftBut(RECORD_MS + CLOSE_MS + SERVERS_MS), leftBut(CLOSE_MS + SERVERS_MS));
    await monitor?.close();
    await within(systemClock, leftBut(SERVERS_MS), core.close());
    await servers.stop(leftBut(0));
  };
  try {
    monitor = startMonitor(core, role);
    // The API first: where its port is taken, no partition has been taken from a dispatcher that works.
    const port = (await unlessAborted(Promise.resolve(api?.start()), signal)) ?? null;
    await unlessAborted(Promise.resolve(dispatching?.start()), signal);
    return { port, metricsPort: monitor?.port ?? null, stop: () => stop(config.drainTimeoutMs) };
  } catch (error) {
    await stop(0);
    throw error;
  }
}

function createStages(core: Core, role: Role): { api: Api | null; dispatching: Dispatching | null } {
  const { config, queries, vault, control } = core;
  const endpoints = new Endpoints(
    queries,
    (id) => partitionOf(id, config.partitions),
    vault,
    (partition, id) => control.announceEndpointChange(partition, id),
  );
  const dispatching = role === "api" ? null : createDispatching(core, endpoints);
  const api = role === "dispatcher" ? null : createApi(core, endpoints, dispatching);
  return { api, dispatching };
}
