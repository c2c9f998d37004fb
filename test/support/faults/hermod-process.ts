import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { endWithParent } from "../../../src/embedded/child-process";
import type { ServiceRole } from "../../../src/service/service";
import { programFor } from "../program";
import type { Journal } from "./journal";
import type { SmallDisk } from "./small-disk";
import { until } from "./until";

export type ProcessOptions = {
  name: string;
  role: ServiceRole;
  /** The folder of its log files. */
  logs: string;
  env: Record<string, string>;
  journal: Journal;
  /** The disk that it sees at some folder, if it has one of its own. */
  disk?: SmallDisk | undefined;
};

type Run = {
  child: Bun.Subprocess;
  output: string;
  log: string;
  /** True once it was asked to end. */
  isAsked: boolean;
  release(): void;
};

const ROOT = join(import.meta.dir, "../../..");
const START_MS = 30_000;
const STOP_MS = 20_000;
/** The fault that each signal is. An orderly stop releases the partitions, so it excuses no repeat. */
const KINDS = { SIGKILL: "crash", SIGTERM: "nuisance", SIGINT: "nuisance", SIGSTOP: "stall" } as const;

/** A process of the service that can be started, killed, stalled, stopped and restarted. */
export class HermodProcess {
  private run: Run | null = null;
  private runs = 0;
  private port = "0";
  /** Ends the fault under way in the journal. */
  private recovered: () => void = () => {};
  /** The log of a run that ended although nobody had asked it to. */
  private failure: string | null = null;

  constructor(private readonly options: ProcessOptions) {}

  get name(): string {
    return this.options.name;
  }

  get role(): ServiceRole {
    return this.options.role;
  }

  get isRunning(): boolean {
    return this.run !== null && this.run.child.exitCode === null && this.run.child.signalCode === null;
  }

  get pid(): number {
    return this.current.child.pid;
  }

  /** The URL of its API, the same after each restart. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts the process. Resolves once it serves, and rejects with its log if it ends before. */
  async start(): Promise<void> {
    const run = this.spawn();
    this.run = run;
    const ended = run.child.exited.then(async (code) => {
      throw new Error(`${this.name} ended at its start with ${code}:\n${await textOf(run.log)}`);
    });
    ended.catch(() => {});
    const ready = until(() => this.isReady(run), { withinMs: START_MS, what: `start of ${this.name}` });
    await Promise.race([ready, ended]);
    this.recovered();
    this.watch(run);
  }

  /** Starts the process and tries again like a supervisor, since a process that finds no Postgres ends. */
  async startPatiently(): Promise<void> {
    await until(() => this.start().then(() => true), { withinMs: START_MS, pollMs: 200, what: this.name });
  }

  /** Sends SIGKILL to the process, and in the same moment to `others`, such as its servers. */
  async kill(others: readonly number[] = []): Promise<void> {
    this.begin("SIGKILL");
    for (const pid of others) process.kill(pid, "SIGKILL");
    await this.signal("SIGKILL");
  }

  /** Sends SIGTERM, as an operator does. Resolves with the exit code once the process has ended. */
  async terminate(): Promise<number | null> {
    this.begin("SIGTERM");
    return this.signal("SIGTERM");
  }

  /** Sends SIGINT twice, `afterMs` apart. Resolves with the exit code once the process has ended. */
  async interruptTwice(afterMs: number): Promise<number | null> {
    this.begin("SIGINT");
    const ended = this.signal("SIGINT");
    await Bun.sleep(afterMs);
    this.current.child.kill("SIGINT");
    return ended;
  }

  stall(): void {
    this.begin("SIGSTOP");
    this.current.child.kill("SIGSTOP");
  }

  proceed(): void {
    this.current.child.kill("SIGCONT");
    this.recovered();
  }

  /** Throws if the process ended although nobody had asked it to. */
  assertSound(): void {
    if (this.failure !== null) throw new Error(this.failure);
  }

  /** Returns the resident memory in bytes. */
  async memory(): Promise<number> {
    const text = await Bun.$`ps -o rss= -p ${this.current.child.pid}`.text();
    return Number(text) * 1_024;
  }

  /** Returns the lines that it has logged since its last start, without the plain text of a start that failed. */
  async logged(): Promise<{ level: number; msg: string }[]> {
    const text = await textOf(this.current.log);
    return text.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
  }

  private begin(signal: keyof typeof KINDS): void {
    // An API has nothing in flight, so its end excuses no repeat.
    const kind = this.role === "api" ? "nuisance" : KINDS[signal];
    this.recovered = this.options.journal.begin(`${signal} of ${this.name}`, kind);
  }

  private async signal(signal: "SIGKILL" | "SIGTERM" | "SIGINT"): Promise<number | null> {
    const run = this.current;
    run.isAsked = true;
    run.child.kill(signal);
    // Kills a process that does not stop. It then has no exit code.
    const force = setTimeout(() => run.child.kill("SIGKILL"), STOP_MS);
    await run.child.exited;
    clearTimeout(force);
    run.release();
    return run.child.exitCode;
  }

  private get current(): Run {
    if (!this.run) throw new Error(`${this.name} was never started`);
    return this.run;
  }

  private spawn(): Run {
    const { name, role, logs, env, disk } = this.options;
    const file = join(logs, `${name}-${++this.runs}`);
    const [output, log] = [`${file}.out`, `${file}.log`];
    const command = [...programFor(env), ...(role === "all" ? [] : [role])];
    const child = Bun.spawn(disk?.around(command) ?? command, {
      cwd: ROOT,
      env: { PATH: process.env.PATH ?? "", PORT: this.port, HERMOD_PROCESSES: "1", ...env },
      stdin: "ignore",
      stdout: Bun.file(output),
      stderr: Bun.file(log),
    });
    return { child, output, log, isAsked: false, release: endWithParent(child.pid) };
  }

  private watch(run: Run): void {
    run.child.exited.then(async (code) => {
      if (run.isAsked) return;
      this.failure ??= `${this.name} ended by itself with ${code}:\n${await textOf(run.log)}`;
    });
  }

  private async isReady({ output, log }: Run): Promise<boolean> {
    if (this.role === "dispatcher") return (await textOf(log)).includes('"msg":"dispatcher started"');
    // Reads the port from the banner, or in production, which shows none, from the log.
    const port =
      /API\s+http:\/\/127\.0\.0\.1:(\d+)\/v1/.exec(await textOf(output))?.[1] ??
      /"port":(\d+),"msg":"API listening"/.exec(await textOf(log))?.[1];
    if (port) this.port = port;
    return port !== undefined;
  }
}

function textOf(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}
