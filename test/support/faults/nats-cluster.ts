import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect, type JetStreamManager } from "nats";
import { natsBinary } from "../../../src/embedded/nats-binary";
import { LOOPBACK } from "../../../src/embedded/port";
import { type EmbeddedServer, launch, type Program } from "../../../src/embedded/server";
import { STREAM } from "../../../src/stream/topology";
import { freePort } from "../free-port";
import { NATS_COMMAND } from "../nats-command";
import type { Journal } from "./journal";
import { until } from "./until";

type Node = { readonly name: string; readonly program: Program; server: EmbeddedServer; isUp: boolean };

const NODES = 3;

/** Three nats-servers in a cluster. No fault of theirs excuses a repeat. */
export class NatsCluster implements AsyncDisposable {
  readonly size = NODES;

  private constructor(
    private readonly nodes: readonly Node[],
    private readonly journal: Journal,
  ) {}

  static async start(folder: string, journal: Journal): Promise<NatsCluster> {
    const command = NATS_COMMAND ?? (await natsBinary({ dataDir: folder }));
    const ports = Array.from({ length: 2 * NODES }, freePort);
    const routes = ports.slice(NODES).map((port) => `nats-route://${LOOPBACK}:${port}`);
    const made = ports.slice(0, NODES).map(async (port, i): Promise<Node> => {
      const name = `node-${i + 1}`;
      const program = await programOf(join(folder, name), name, command, port, ports[NODES + i] ?? 0, routes);
      return { name, program, server: await launch(program), isUp: true };
    });
    return new NatsCluster(await Promise.all(made), journal);
  }

  /** Their URLs, separated by commas. */
  get url(): string {
    return this.nodes.map(({ program }) => program.url).join();
  }

  /** Kills the node that leads the stream. The returned function starts it again. */
  async killLeader(): Promise<() => Promise<void>> {
    const leader = await this.ask(async ({ streams }) => (await streams.info(STREAM)).cluster?.leader);
    return this.kill(this.nodes.find(({ name }) => name === leader));
  }

  /** Kills a node that is still up. If another one is down, the last has no quorum. */
  killOther(): Promise<() => Promise<void>> {
    return this.kill(this.nodes.find(({ isUp }) => isUp));
  }

  /** Returns for each consumer the number of nodes that have its current state. */
  async replicasOfConsumers(): Promise<number[]> {
    return this.ask(async ({ consumers }) => {
      const infos = await consumers.list(STREAM).next();
      return infos.map(({ cluster }) => 1 + (cluster?.replicas ?? []).filter((each) => each.current).length);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.nodes.map(({ server }) => server.kill()));
  }

  private async kill(node: Node | undefined): Promise<() => Promise<void>> {
    if (!node) throw new Error("there is no such node");
    const over = this.journal.begin(`SIGKILL of ${node.name}`, "nuisance");
    node.isUp = false;
    await node.server.kill();
    return async () => {
      node.server = await launch(node.program);
      node.isUp = true;
      over();
    };
  }

  private async ask<T>(question: (manager: JetStreamManager) => Promise<T>): Promise<T> {
    const nats = await connect({ servers: this.url.split(","), reconnect: false, timeout: 2_000 });
    try {
      const manager = await nats.jetstreamManager();
      return await until(async () => ({ answer: await question(manager) })).then(({ answer }) => answer);
    } finally {
      await nats.close();
    }
  }
}

async function programOf(
  folder: string,
  name: string,
  command: string,
  port: number,
  clusterPort: number,
  routes: readonly string[],
): Promise<Program> {
  await mkdir(folder, { recursive: true });
  const config = {
    server_name: name,
    listen: `${LOOPBACK}:${port}`,
    jetstream: { store_dir: join(folder, "store"), max_file_store: 2 ** 32, max_memory_store: 2 ** 28 },
    cluster: { name: "hermod", listen: `${LOOPBACK}:${clusterPort}`, routes },
  };
  const file = join(folder, "nats.conf");
  await writeFile(file, JSON.stringify(config));
  const servers = `${LOOPBACK}:${port}`;
  return {
    name,
    command,
    args: ["-c", file],
    cwd: folder,
    env: { PATH: process.env.PATH ?? "" },
    logFile: join(folder, "nats.log"),
    instead: "",
    url: `nats://${servers}`,
    probe: async () => ((await decides(servers)) ? "ready" : "away"),
  };
}

/** Returns true once the cluster has elected a leader. */
async function decides(servers: string): Promise<boolean> {
  const nats = await connect({ servers, reconnect: false, timeout: 2_000 }).catch(() => null);
  try {
    await (await nats?.jetstreamManager())?.getAccountInfo();
    return nats !== null;
  } catch {
    return false;
  } finally {
    await nats?.close();
  }
}
