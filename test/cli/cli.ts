import { join } from "node:path";
import { until } from "../support/faults/until";

/** The command line as its sources. */
const SOURCES = [process.execPath, join(import.meta.dir, "../../src/cli/main.ts")];

export type Ended = { code: number; out: string; err: string };

export type Environment = Record<string, string>;

/** Runs the command line as a process of its own, with only the given environment. */
export class Cli {
  constructor(
    private readonly env: Environment,
    private readonly program: readonly string[] = SOURCES,
  ) {}

  with(env: Environment): Cli {
    return new Cli({ ...this.env, ...env }, this.program);
  }

  /** Runs a command to its end. */
  async run(args: readonly string[], input = ""): Promise<Ended> {
    const child = Bun.spawn([...this.program, ...args], {
      env: { PATH: process.env.PATH ?? "", ...this.env },
      stdin: new Blob([input]),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    return { code, out, err };
  }

  /** Returns the objects that a command prints with --json. Throws if it does not exit with 0. */
  async json(args: readonly string[], input?: string) {
    const { code, out, err } = await this.run([...args, "--json"], input);
    if (code !== 0) throw new Error(`hermod ${args.join(" ")} ended with ${code}: ${err}`);
    return objectsIn(out);
  }

  /** Resolves with the output of a shell command that reads the command's output. */
  async piped(args: readonly string[], into: string): Promise<string> {
    const child = Bun.spawn(["sh", "-c", `"$@" | ${into}`, "sh", ...this.program, ...args], {
      env: { PATH: process.env.PATH ?? "", ...this.env },
      stdin: "ignore",
      stdout: "pipe",
    });
    return child.stdout.text();
  }

  /** Runs a command whose output goes to a file. */
  async writing(args: readonly string[], file: string): Promise<Omit<Ended, "out">> {
    const child = Bun.spawn([...this.program, ...args], {
      env: { PATH: process.env.PATH ?? "", ...this.env },
      stdin: "ignore",
      stdout: Bun.file(file),
      stderr: "pipe",
    });
    const [err, code] = await Promise.all([child.stderr.text(), child.exited]);
    return { code, err };
  }

  /** Starts a command that runs until it is stopped. */
  start(args: readonly string[]): LongRun {
    return new LongRun([...this.program, ...args], { PATH: process.env.PATH ?? "", ...this.env });
  }
}

export class LongRun implements AsyncDisposable {
  private readonly child: Bun.Subprocess<"ignore", "pipe", "pipe">;
  private out = "";
  private err = "";
  private readonly ended: Promise<unknown>;

  constructor(command: string[], env: Environment) {
    this.child = Bun.spawn(command, { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
    const { stdout, stderr } = this.child;
    this.ended = Promise.all([
      read(stdout, (text) => {
        this.out += text;
      }),
      read(stderr, (text) => {
        this.err += text;
      }),
    ]);
  }

  get output(): string {
    return this.out;
  }

  get errors(): string {
    return this.err;
  }

  /** Resolves with the output once it has this many JSON objects. */
  async objects(count: number) {
    await until(() => this.out.split("\n").length > count, { what: () => `${count} lines in ${this.out}` });
    return objectsIn(this.out);
  }

  /** Ends it like Ctrl-C, whose signal comes a second time if npx is in front. */
  async interrupt(twinAfterMs?: number): Promise<Ended> {
    this.child.kill("SIGINT");
    if (twinAfterMs !== undefined) {
      await Bun.sleep(twinAfterMs);
      this.child.kill("SIGINT");
    }
    const [code] = await Promise.all([this.child.exited, this.ended]);
    return { code, out: this.out, err: this.err };
  }

  /** Ends the process, whatever the result of the test. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    await this.child.exited;
  }
}

async function read(stream: ReadableStream<Uint8Array>, onText: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) onText(decoder.decode(chunk, { stream: true }));
}

function objectsIn(lines: string): ReturnType<typeof JSON.parse>[] {
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
