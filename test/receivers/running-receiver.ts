import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/free-port";
import type { Place, Runtime } from "./runtimes";

/** How long a receiver may take to start, compiling included; milliseconds. */
const START_MS = 90_000;

/** A receiver in a process of its own. */
export class RunningReceiver {
  /** The lengths of the bodies that it has read to their end. */
  readonly lengths: number[] = [];

  private constructor(
    private readonly place: Place,
    private readonly child: Bun.Subprocess<"ignore", "pipe", "inherit">,
  ) {
    this.note();
  }

  /** Resolves once it takes connections; to null if something that it needs is missing. */
  static async start(runtime: Runtime, keepAliveMs: number): Promise<RunningReceiver | null> {
    const port = freePort();
    const place = { port, keepAliveMs, folder: mkdtempSync(join(tmpdir(), "hermod-receiver-")) };
    const command = runtime.command(place);
    if (command === null) {
      rmSync(place.folder, { recursive: true });
      return null;
    }
    const child = Bun.spawn([...command], { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
    const receiver = new RunningReceiver(place, child);
    const giveUpAt = performance.now() + START_MS;
    while (!(await takesConnections(port))) {
      if (child.exitCode === null && performance.now() < giveUpAt) continue;
      await receiver.stop();
      throw new Error("it did not start");
    }
    return receiver;
  }

  get port(): number {
    return this.place.port;
  }

  async stop(): Promise<void> {
    this.child.kill();
    await this.child.exited;
    rmSync(this.place.folder, { recursive: true });
  }

  private async note(): Promise<void> {
    let text = "";
    for await (const bytes of this.child.stdout) {
      const lines = (text + Buffer.from(bytes).toString()).split("\n");
      text = lines.pop() ?? "";
      this.lengths.push(...lines.map(Number));
    }
  }
}

async function takesConnections(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ port, host: "127.0.0.1" }, () => resolve(true)).on("error", () => resolve(false));
  const isOpen = await promise;
  socket.destroy();
  if (!isOpen) await Bun.sleep(100);
  return isOpen;
}
