import { openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Subprocess } from "bun";
import { endWithParent } from "../../src/embedded/child-process";

export type ChildOptions = {
  name: string;
  command: string[];
  /** Variables besides PATH and Bun's own. */
  env: Record<string, string>;
  /** Receives the error output. */
  logFile: string;
};

/** How long a process may take to end after SIGTERM. */
const STOP_MS = 40_000;
const START_MS = 30_000;

/** A process of the bench, which ends with the bench in any case. */
export class Child {
  private output = "";
  private readonly reading: Promise<void>;

  private constructor(
    private readonly options: ChildOptions,
    private readonly process: Subprocess<"ignore", "pipe", number>,
  ) {
    const release = endWithParent(process.pid);
    process.exited.then(release);
    this.reading = this.read();
  }

  static start(options: ChildOptions): Child {
    const { command, env, logFile } = options;
    const common = {
      PATH: process.env.PATH ?? "",
      HOME: process.env.HOME ?? "",
      BUN_CONFIG_MAX_HTTP_REQUESTS: "65535",
    };
    const stderr = openSync(logFile, "a");
    return new Child(
      options,
      Bun.spawn(command, { env: { ...common, ...env }, stdin: "ignore", stdout: "pipe", stderr }),
    );
  }

  get pid(): number {
    return this.process.pid;
  }

  /** Resolves with the first match in its output. Rejects if it ends, or takes too long. */
  async line(pattern: RegExp): Promise<RegExpExecArray> {
    const deadline = performance.now() + START_MS;
    while (this.process.exitCode === null && performance.now() < deadline) {
      const match = pattern.exec(this.output);
      if (match) return match;
      await Bun.sleep(10);
    }
    throw new Error(`${this.options.name} did not start:\n${await this.log()}`);
  }

  /** Rejects once it has ended. */
  async check(): Promise<void> {
    if (this.process.exitCode === null) return;
    throw new Error(`${this.options.name} ended with code ${this.process.exitCode}:\n${await this.log()}`);
  }

  async stop(): Promise<void> {
    this.process.kill("SIGTERM");
    const force = setTimeout(() => this.process.kill("SIGKILL"), STOP_MS);
    await this.process.exited;
    clearTimeout(force);
    await this.reading;
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.process.stdout) this.output += decoder.decode(chunk, { stream: true });
  }

  private async log(): Promise<string> {
    const text = await readFile(this.options.logFile, "utf8").catch(() => "");
    return `${this.output}${text}`.slice(-4_000);
  }
}
