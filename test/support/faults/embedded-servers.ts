import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findServers, type ServerMark, stopLeftovers } from "../../../src/embedded/leftover";

/** The servers that a process of the service starts for itself on a data folder. */
export class EmbeddedServers {
  private readonly marks: readonly ServerMark[];

  /** `root`: the data folder's path as seen from here, if the service sees it on a disk of its own. */
  constructor(
    private readonly dataDir: string,
    private readonly root = "",
  ) {
    this.marks = [
      { program: "postgres", argument: `hermod.data_dir=${dataDir}` },
      { program: "nats-server", argument: join(dataDir, "nats.conf") },
    ];
  }

  async databaseUrl(): Promise<string> {
    const [password, port] = await Promise.all(
      ["postgres.password", "postgres.port"].map((name) =>
        readFile(join(this.root, this.dataDir, name), "utf8"),
      ),
    );
    return `postgres://hermod:${password?.trim()}@127.0.0.1:${port?.trim()}/hermod`;
  }

  async natsUrl(): Promise<string> {
    const [password, port] = await Promise.all(
      ["nats.password", "nats.port"].map((name) => readFile(join(this.root, this.dataDir, name), "utf8")),
    );
    return `nats://hermod:${password?.trim()}@127.0.0.1:${port?.trim()}`;
  }

  async pids(): Promise<number[]> {
    return (await Promise.all(this.marks.map((mark) => findServers(mark)))).flat();
  }

  /** Stops the servers that still run. */
  async stop(): Promise<void> {
    await Promise.all(this.marks.map((mark) => stopLeftovers(mark)));
  }
}
