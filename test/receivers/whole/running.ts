import { join } from "node:path";
import { until } from "../../support/faults/until";

/** The file in a receiver's folder for what its processes print as errors. */
const ERRORS = "errors.log";

/** The processes of a receiver, and the lines that they have printed so far. */
export class RunningProcesses implements AsyncDisposable {
  readonly lines: string[] = [];

  private constructor(private readonly children: readonly Bun.Subprocess<"ignore", "pipe", Bun.BunFile>[]) {
    for (const child of children) this.read(child.stdout);
  }

  /** Resolves once the receiver answers. */
  static async start(
    commands: readonly (readonly string[])[],
    { url, folder, env }: Readonly<{ url: string; folder: string; env: Record<string, string> }>,
  ): Promise<RunningProcesses> {
    const stderr = Bun.file(join(folder, ERRORS));
    const options = { cwd: folder, env, stdin: "ignore", stdout: "pipe", stderr } as const;
    const running = new RunningProcesses(commands.map((command) => Bun.spawn([...command], options)));
    try {
      await until(() => fetch(url).then(Boolean), { what: () => `${url} to listen` });
    } catch (error) {
      await running[Symbol.asyncDispose]();
      throw error;
    }
    return running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.children) child.kill("SIGKILL");
    await Promise.all(this.children.map((child) => child.exited));
  }

  private async read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of stream) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      this.lines.push(...lines);
    }
  }
}
