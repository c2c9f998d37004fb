import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

export type Report = { postgres?: { url: string; pid: number }; nats?: { url: string; pid: number } };

export type ServiceProcess = {
  readonly pid: number;
  /** Resolves with the service's output once it has started. Rejects with its error output if it ends before. */
  readonly started: Promise<Report>;
  /** Sends the signal to its whole process group, as a terminal does, and resolves with its further output. */
  end(signal: "SIGINT" | "SIGKILL"): Promise<{ code: number | null; output: string }>;
};

export type RunOptions = { checkout?: string; uid?: number; gid?: number };

/** Runs the substitute of the service on `dataDir`, from another checkout or as another user if wanted. */
export function runService(dataDir: string, servers: string[], options: RunOptions = {}): ServiceProcess {
  const { checkout = join(import.meta.dir, "../.."), ...account } = options;
  const script = join(checkout, "test/embedded/service.ts");
  const env = { PATH: process.env.PATH, HOME: checkout, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
  const child = spawn(process.execPath, [script, dataDir, ...servers], {
    ...account,
    cwd: checkout,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = once(child, "exit");
  const lines = linesOf(child);
  return {
    pid: child.pid ?? 0,
    started: firstReport(lines, child),
    async end(signal) {
      process.kill(-(child.pid ?? 0), signal);
      const [code] = await exit;
      return { code, output: (await Array.fromAsync(lines)).join("\n") };
    },
  };
}

function linesOf(child: ChildProcess): AsyncIterator<string> & AsyncIterable<string> {
  if (!child.stdout) throw new Error("no output");
  return createInterface({ input: child.stdout })[Symbol.asyncIterator]();
}

async function firstReport(lines: AsyncIterator<string>, child: ChildProcess): Promise<Report> {
  const errors: string[] = [];
  child.stderr?.on("data", (chunk) => errors.push(String(chunk)));
  const first = await lines.next();
  if (!first.done) return JSON.parse(first.value);
  throw new Error(errors.join(""));
}
