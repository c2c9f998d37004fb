import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  AckPolicy,
  type ConsumerAPI,
  type ConsumerConfig,
  type ConsumerInfo,
  connect,
  DiscardPolicy,
  type JetStreamManager,
  type NatsConnection,
  RetentionPolicy,
  type StreamConfig,
  type StreamState,
} from "nats";
import { startNats } from "../../../src/embedded/nats";
import type { EmbeddedServer } from "../../../src/embedded/server";
import { STREAM } from "../../../src/stream/topology";
import { NATS_COMMAND } from "../nats-command";
import type { Journal } from "./journal";
import { until } from "./until";

/** A NATS server of the suite, with its faults. None of them excuses a repeat. */
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

  /** Kills the server. The returned function starts it again. */
  kill(): Promise<() => Promise<void>> {
    return this.end("SIGKILL of NATS", () => this.server.kill());
  }

  /** Stops the server in order. The returned function starts it again. */
  stop(): Promise<() => Promise<void>> {
    return this.end("stop of NATS", () => this.server.stop());
  }

  /** Suspends the server, which then accepts and answers nothing. The returned function resumes it. */
  stall(): () => void {
    const over = this.journal.begin("NATS is suspended", "nuisance");
    const { pid } = this.server;
    process.kill(pid, "SIGSTOP");
    return () => {
      process.kill(pid, "SIGCONT");
      over();
    };
  }

  /** Kills the server and deletes its store. The returned function starts it again, empty. */
  empty(): Promise<() => Promise<void>> {
    return this.end("NATS loses its store", async () => {
      await this.server.kill();
      await rm(this.store, { recursive: true, force: true });
    });
  }

  /** Copies the store of the stopped server. The returned function stops it again and starts it with that copy. */
  async backUp(): Promise<() => Promise<void>> {
    const backup = `${this.store}.backup`;
    const restart = await this.end("NATS stops for a backup", async () => {
      await this.server.stop();
      await rm(backup, { recursive: true, force: true });
      await cp(this.store, backup, { recursive: true });
    });
    await restart();
    return () => this.restore(backup);
  }

  /** Deletes the whole stream, as an operator might by mistake. */
  async deleteStream(): Promise<void> {
    const over = this.journal.begin("the stream deleted", "nuisance");
    await this.manage((manager) => manager.streams.delete(STREAM));
    over();
  }

  /** Deletes every dispatcher's consumer. */
  async deleteConsumers(): Promise<void> {
    const over = this.journal.begin("the consumers deleted", "nuisance");
    await this.manage(async (manager) => {
      const consumers = await manager.consumers.list(STREAM).next();
      for (const { name } of consumers) await manager.consumers.delete(STREAM, name);
    });
    over();
  }

  /** Changes the stream's subjects and limits so that it keeps hardly anything, as an operator might by mistake. */
  async reconfigureStream(): Promise<void> {
    const over = this.journal.begin("the stream reconfigured", "nuisance");
    const config = { subjects: ["elsewhere.>"], max_bytes: 4_096, max_msgs: 8, discard: DiscardPolicy.Old };
    await this.manage((manager) => manager.streams.update(STREAM, config));
    over();
  }

  /** Replaces the stream by one that no update can turn into ours. */
  async replaceStream(): Promise<void> {
    const over = this.journal.begin("the stream replaced by another kind", "nuisance");
    await this.manage(async (manager) => {
      const { config } = await manager.streams.info(STREAM);
      await manager.streams.delete(STREAM);
      await manager.streams.add({ ...config, retention: RetentionPolicy.Workqueue });
    });
    over();
  }

  /** Replaces the consumers in use by ones that let almost no message through. */
  async replaceConsumers(): Promise<void> {
    const over = this.journal.begin("the consumers replaced", "nuisance");
    await this.manage(async ({ consumers }) => {
      for (const { name, config } of await inUse(consumers)) {
        await consumers.delete(STREAM, name);
        await consumers.add(STREAM, { ...config, ack_policy: AckPolicy.Explicit, max_ack_pending: 1 });
      }
    });
    over();
  }

  /** Makes the consumers return messages without their content. Servers do not notify a consumer's readers of it. */
  async reconfigureConsumers(): Promise<void> {
    const over = this.journal.begin("the consumers reconfigured", "nuisance");
    await this.manage(async ({ consumers }) => {
      for (const { name } of await inUse(consumers)) {
        await consumers.update(STREAM, name, { headers_only: true });
      }
    });
    over();
  }

  /** Returns the current configuration of the stream and its consumers. */
  async topology(): Promise<{ stream: StreamConfig; consumers: ConsumerConfig[] }> {
    const nats = await this.connect();
    try {
      const { streams, consumers } = await nats.jetstreamManager();
      const { config: stream } = await streams.info(STREAM);
      const infos = await consumers.list(STREAM).next();
      return { stream, consumers: infos.map(({ config }) => config) };
    } finally {
      await nats.close();
    }
  }

  /** Returns the number of messages and bytes in the stream. */
  async state(): Promise<StreamState> {
    const nats = await this.connect();
    try {
      return (await (await nats.jetstreamManager()).streams.info(STREAM)).state;
    } finally {
      await nats.close();
    }
  }

  /** Opens a connection for a test that interferes. */
  connect(): Promise<NatsConnection> {
    const { host, username: user, password: pass } = new URL(this.url);
    return connect({ servers: host, user, pass, reconnect: false, timeout: 2_000 });
  }

  /** Stops the server for good. */
  close(): Promise<void> {
    return this.server.stop();
  }

  private async restore(backup: string): Promise<void> {
    const restart = await this.end("an old store of NATS restored", async () => {
      await this.server.stop();
      await rm(this.store, { recursive: true, force: true });
      await cp(backup, this.store, { recursive: true });
    });
    await restart();
  }

  private get store(): string {
    return join(this.dataDir, "nats");
  }

  // Retries while the service has not yet repaired an earlier fault.
  private async manage(use: (manager: JetStreamManager) => Promise<unknown>): Promise<void> {
    const nats = await this.connect();
    try {
      const manager = await nats.jetstreamManager();
      await until(() => use(manager).then(() => true), { pollMs: 100, what: "a change to the stream" });
    } finally {
      await nats.close();
    }
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

/** Returns the consumers that have a waiting request for messages. */
async function inUse(consumers: ConsumerAPI): Promise<ConsumerInfo[]> {
  const found = (await consumers.list(STREAM).next()).filter(({ num_waiting }) => num_waiting > 0);
  if (found.length === 0) throw new Error("nobody asks for messages");
  return found;
}
