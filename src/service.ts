import { type Api, createApi } from "./api";
import type { Config } from "./config";
import { type Core, openCore } from "./core";
import { createDispatching, type Dispatching } from "./dispatching";
import { Endpoints } from "./endpoints/endpoint";
import { unlessAborted } from "./runtime/abort";
import type { Log } from "./runtime/log";
import { openServers } from "./servers";
import { partitionOf } from "./stream/partition";

export type Role = "all" | "api" | "dispatcher";

export type Service = Readonly<{
  /** The API's port; null without one. */
  port: number | null;
  /** Stops accepting, finishes and records what is under way, hands over, stops its servers. */
  stop(): Promise<void>;
}>;

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
  const stop = async (drainMs: number) => {
    await api?.stop();
    await dispatching?.stop(drainMs);
    await core.close();
    await servers.stop();
  };
  try {
    // The API first: where its port is taken, no partition has been taken from a dispatcher that works.
    const port = (await unlessAborted(Promise.resolve(api?.start()), signal)) ?? null;
    await unlessAborted(Promise.resolve(dispatching?.start()), signal);
    return { port, stop: () => stop(config.drainTimeoutMs) };
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
