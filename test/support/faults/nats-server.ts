import { rm } from "node:fs/promises";
import { join } from "node:path";
import { connect, type JetStreamManager } from "nats";
import { startNats } from "../../../src/embedded/nats";
import type { EmbeddedServer } from "../../../src/embedded/server";
import { STREAM } from "../../../src/stream/topology";
import { NATS_COMMAND } from "../nats-command";
import type { Journal } from "./journal";

/** A NATS of the suite's own, with everything that can happen to it. None of it may cause a repeat. */
export class NatsServer {
  private readonly port: number;

  private constructor(
    private readonly dataDir: string,
    private readonly journal: Journal,
    private server: EmbeddedServer,
  ) {
    this.port = Number(new URL(server.url).port);
  }

  static async start(dataDir: string, journal: Journal): Promise<NatsServer> {
    return new NatsServer(dataDir, journal, await startNats({ dataDir, command: NATS_COMMAND }));
  }

  get url(): string {
    return this.server.url;
  }

  /** SIGKILL. The returned function starts it again. */
  kill(): Promise<() => Promise<void>> {
    return this.end("SIGKILL of NATS", () => this.server.kill());
  }

  /** An orderly stop. The returned function starts it again. */
  stop(): Promise<() => Promise<void>> {
    return this.end("stop of NATS", () => this.server.stop());
  }

  /** SIGKILL and the loss of its disk. The returned function starts it again, empty. */
  empty(): Promise<() => Promise<void>> {
    return this.end("NATS loses its store", async () => {
      await this.server.kill();
      await rm(join(this.dataDir, "nats"), { recursive: true, force: true });
    });
  }

  /** Takes the whole stream away, as an operator's mistake would. */
  async deleteStream(): Promise<void> {
    const over = this.journal.begin("the stream deleted", "nuisance");
    await withManager(this.url, (manager) => manager.streams.delete(STREAM));
    over();
  }

  /** Takes the consumers of so many partitions away. */
  async deleteConsumers(count: number): Promise<void> {
    const over = this.journal.begin(`${count} consumers deleted`, "nuisance");
    await withManager(this.url, async (manager) => {
      const consumers = await manager.consumers.list(STREAM).next();
      for (const { name } of consumers.slice(0, count)) await manager.consumers.delete(STREAM, name);
    });
    over();
  }

  /** Ends it for good. */
  close(): Promise<void> {
    return this.server.stop();
  }

  private async end(what: string, end: () => Promise<void>): Promise<() => Promise<void>> {
    const over = this.journal.begin(what, "nuisance");
    await end();
    return async () => {
      this.server = await startNats({ dataDir: this.dataDir, port: this.port, command: NATS_COMMAND });
      over();
    };
  }
}

async function withManager<T>(url: string, use: (manager: JetStreamManager) => Promise<T>): Promise<T> {
  const { host, username: user, password: pass } = new URL(url);
  const nats = await connect({ servers: host, user, pass, reconnect: false, timeout: 2_000 });
  try {
    return await use(await nats.jetstreamManager());
  } finally {
    await nats.close();
  }
}
