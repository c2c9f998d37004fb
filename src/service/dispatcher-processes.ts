import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { Supervisor } from "../embedded/supervisor";
import type { RecordedAttempt } from "../intake/events/delivery-pace";
import { type Clock, sleep, unlessAborted } from "../runtime/clock";
import type { Log } from "../runtime/log";
import { isBinary } from "../runtime/shipped";
import { type Hint, withinLimit } from "../stream/hint";
import { CHILD, type ChildReport, type HandOver, weightOf } from "./dispatcher-process";
import type { Environment } from "./environment";
import type { Servers } from "./servers";

/** Most characters of deliveries on their way to a child. It finds further ones in Postgres. */
export const MOST_UNDER_WAY = 16_777_216;
const STOP_MS = 10_000;
/** Wait before a first start is tried again, and how long it is tried beyond a drain. */
const START = { waitMs: 250, longerMs: 5_000 };
const NAME = "dispatcher process";

export type DispatcherProcessesOptions = Readonly<{
  count: number;
  env: Environment;
  servers: Pick<Servers, "databaseUrl" | "natsUrl">;
  metricsPort: number | null;
  drainTimeoutMs: number;
  /** The origin of this process's messages on the stream. */
  origin(): string;
  clock: Clock;
  log: Log;
}>;

/**
 * Delivers by child processes, so that accepting and delivering use a core each. Hands accepted deliveries over by a pipe, as a
 * single process does in memory. A child that ends is started again, and meanwhile its deliveries wait in Postgres.
 */
export class DispatcherProcesses {
  private readonly children: DispatcherChild[] = [];
  private readonly supervisors: Supervisor<DispatcherChild>[] = [];
  private readonly listeners: ((outcomes: readonly RecordedAttempt[]) => void)[] = [];

  constructor(private readonly options: DispatcherProcessesOptions) {}

  async start(signal?: AbortSignal): Promise<void> {
    const { count, clock, log } = this.options;
    const starts = Array.from({ length: count }, async (_, i) => {
      const child = await this.launchFirst(i, signal);
      const start = (_: DispatcherChild, stopping: AbortSignal) => this.launch(i, stopping);
      this.supervisors.push(new Supervisor(child, { name: NAME, start, clock, log }));
    });
    await Promise.all(starts);
  }

  /** Hands a delivery to the child that owns its partition. Returns false if no child does. */
  offer(hint: Hint): boolean {
    return this.children.some((child) => child.offer(hint));
  }

  onRecorded(listener: (outcomes: readonly RecordedAttempt[]) => void): void {
    this.listeners.push(listener);
  }

  /** Children finish, record and release by themselves; after `withinMs` they are ended by force. */
  async stop(withinMs: number): Promise<void> {
    await Promise.all(this.supervisors.map((each) => each.stop(withinMs)));
    await Promise.all(this.children.map((each) => each.stop(withinMs)));
  }

  /** The dispatcher of a main process that was killed has its metrics port until it is drained. */
  private async launchFirst(index: number, signal?: AbortSignal): Promise<DispatcherChild> {
    const { metricsPort, drainTimeoutMs, clock } = this.options;
    const until = clock.monotonic() + (metricsPort ? drainTimeoutMs + START.longerMs : 0);
    for (;;) {
      try {
        return await this.launch(index, signal);
      } catch (error) {
        if (signal?.aborted || clock.monotonic() >= until) throw error;
        await sleep(clock, START.waitMs, signal);
      }
    }
  }

  private async launch(index: number, signal?: AbortSignal): Promise<DispatcherChild> {
    const { origin, clock } = this.options;
    const child = new DispatcherChild({
      env: this.environmentOf(index),
      origin,
      clock,
      onRecorded: (outcomes) => {
        for (const notify of this.listeners) notify(outcomes);
      },
    });
    this.children[index] = child;
    try {
      await unlessAborted(child.started, signal);
    } catch (error) {
      await child.stop();
      throw error;
    }
    return child;
  }

  /** Without the variables of the package script, whose end the main process watches for. */
  private environmentOf(index: number): Record<string, string | undefined> {
    const { env, servers, metricsPort } = this.options;
    const { npm_lifecycle_script: _, ...own } = env;
    const port = metricsPort ? { HERMOD_METRICS_PORT: String(metricsPort + 1 + index) } : {};
    return { ...own, ...addressesFor(env, servers), ...port };
  }
}

/** Returns the addresses of servers that the environment does not name. */
function addressesFor(env: Environment, servers: DispatcherProcessesOptions["servers"]): Environment {
  const isGiven = (name: string) => Boolean(env[name] || env[`${name}_FILE`]);
  return {
    ...(!isGiven("DATABASE_URL") && { DATABASE_URL: servers.databaseUrl }),
    ...(!isGiven("NATS_URL") && { NATS_URL: servers.natsUrl }),
  };
}

type ChildOptions = Pick<DispatcherProcessesOptions, "origin" | "clock"> & {
  env: Record<string, string | undefined>;
  onRecorded(outcomes: readonly RecordedAttempt[]): void;
};

/** A dispatcher in a process of its own. */
class DispatcherChild {
  /** Rejects if the process ends before. */
  readonly started: Promise<void>;
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  private readonly child: ChildProcess;
  private owned: ReadonlySet<number> = new Set();
  private waiting: Hint[] = [];
  private underWay = 0;

  constructor(private readonly options: ChildOptions) {
    // Detached, because Ctrl-C must reach only the main process, which stops this one.
    this.child = spawn(process.execPath, commandLine(), {
      env: options.env,
      detached: true,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const started = Promise.withResolvers<void>();
    this.child.on("message", (message: ChildReport) => this.receive(message, started.resolve));
    this.exited = new Promise((resolve) => {
      this.child.on("exit", (code, signal) => resolve({ code, signal }));
      // With a pid, the error is about a message or a signal, not about the end.
      this.child.on("error", () => {
        if (this.child.pid === undefined) resolve({ code: null, signal: null });
      });
    });
    this.exited.then(({ code, signal }) => {
      this.owned = new Set();
      started.reject(new Error(`a dispatcher process ended at its start with ${signal ?? `code ${code}`}`));
    });
    this.started = started.promise;
  }

  offer(hint: Hint): boolean {
    if (!this.owned.has(hint.partition)) return false;
    if (this.underWay >= MOST_UNDER_WAY) return true;
    const light = withinLimit(hint);
    this.underWay += weightOf(light);
    this.waiting.push(light);
    // Later, so that clients get their answers first, and one message takes many.
    if (this.waiting.length === 1) this.options.clock.after(0, () => this.handOver());
    return true;
  }

  async stop(withinMs = STOP_MS): Promise<void> {
    this.child.kill("SIGTERM");
    const cancel = this.options.clock.after(withinMs, () => this.child.kill("SIGKILL"));
    await this.exited;
    cancel();
  }

  private handOver(): void {
    const hints = this.waiting;
    this.waiting = [];
    if (this.child.connected)
      this.child.send({ origin: this.options.origin(), hints } satisfies HandOver, () => {});
  }

  private receive(message: ChildReport, started: () => void): void {
    switch (message.kind) {
      case "started":
        started();
        return;
      case "owns":
        this.owned = new Set(message.partitions);
        return;
      case "took":
        this.underWay -= message.weight;
        return;
      case "recorded":
        this.options.onRecorded(message.outcomes);
    }
  }
}

function commandLine(): string[] {
  const program = isBinary ? [] : [join(import.meta.dir, "../main.ts")];
  return [...program, "dispatcher", CHILD];
}
