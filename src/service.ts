import { type Api, createApi } from "./api";
import type { Config } from "./config";
import { type Core, openCore } from "./core";
import { createDispatching, type Dispatching } from "./dispatching";
import { Endpoints } from "./endpoints/endpoint";
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

/** Starts the stages in the order of a delivery's way, and stops them in the same order. */
export async function startService(config: Config, role: Role, log: Log): Promise<Service> {
  const servers = await openServers(config, log);
  try {
    const core = await openCore(config, servers, log);
    const { queries, vault, control } = core;
    const endpoints = new Endpoints(
      queries,
      (id) => partitionOf(id, config.partitions),
      vault,
      (partition, id) => control.announceEndpointChange(partition, id),
    );
    const dispatching = role === "api" ? null : createDispatching(core, endpoints);
    const api = role === "dispatcher" ? null : createApi(core, endpoints, dispatching);
    const stop = async () => {
      await api?.stop();
      await dispatching?.stop(config.drainTimeoutMs);
      await core.close();
      await servers.stop();
    };
    return { port: await startStages(api, dispatching, core), stop };
  } catch (error) {
    await servers.stop();
    throw error;
  }
}

// The API first: where its port is taken, no partition has been taken from a dispatcher that works.
async function startStages(
  api: Api | null,
  dispatching: Dispatching | null,
  core: Core,
): Promise<number | null> {
  try {
    const port = (await api?.start()) ?? null;
    await dispatching?.start();
    return port;
  } catch (error) {
    await core.close();
    throw error;
  }
}
