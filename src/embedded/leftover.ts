import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { hasCode } from "../runtime/errors";
import { childEnvironment } from "./child-process";

const SHUTDOWN_MS = 10_000;
const KILL_MS = 5_000;
const POLL_MS = 25;

/** Identifies a server by its program and by an argument that no server of another service has. */
export type ServerMark = { readonly program: string; readonly argument: string };

export type LeftoverOptions = {
  /** Called with a line about the servers that are stopped. */
  readonly log?: ((line: string) => void) | undefined;
  /** Aborts the wait. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * Stops the servers that an earlier run left running, in order if possible. Resolves once they have ended.
 *
 * Finds them by their command lines. A pid in a file may belong to another process by now. Rejects if one still runs, for
 * example because it belongs to another user.
 */
export async function stopLeftovers(mark: ServerMark, { log, signal }: LeftoverOptions = {}): Promise<void> {
  const pids = await findServers(mark);
  if (pids.length === 0) return;
  log?.(`stopping ${mark.program}, left by an earlier run: pid ${pids.join(", ")}`);
  if (await gone(mark, "SIGINT", SHUTDOWN_MS, signal)) return;
  if (await gone(mark, "SIGKILL", KILL_MS, signal)) return;
  const left = (await findServers(mark)).join(", ");
  throw new Error(`${mark.program} of an earlier run is still running and cannot be stopped: pid ${left}.`);
}

async function gone(
  mark: ServerMark,
  how: NodeJS.Signals,
  patienceMs: number,
  aborted: AbortSignal | undefined,
): Promise<boolean> {
  for (const pid of await findServers(mark)) send(pid, how);
  const deadline = performance.now() + patienceMs;
  while ((await findServers(mark)).length > 0) {
    aborted?.throwIfAborted();
    if (performance.now() > deadline) return false;
    await Bun.sleep(POLL_MS);
  }
  return true;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (hasCode(error, "EPERM")) throw new Error(`Process ${pid} of an earlier run belongs to another user.`);
    if (!hasCode(error, "ESRCH")) throw error;
  }
}

/** Finds the pids of the running servers with this mark. */
export async function findServers(mark: ServerMark): Promise<number[]> {
  const found = await runningProcesses();
  return found.filter((one) => one.pid !== process.pid && hasMark(one, mark)).map((one) => one.pid);
}

// Compares the end of the line: otherwise the mark of a folder would match a folder whose name continues after a blank.
function hasMark({ command }: RunningProcess, { program, argument }: ServerMark): boolean {
  return command.includes(`/${program} `) && command.endsWith(` ${argument}`);
}

/** A process with its command line. Blanks separate the arguments, as `ps` prints them. */
export type RunningProcess = { readonly pid: number; readonly command: string };

export function runningProcesses(): Promise<RunningProcess[]> {
  return process.platform === "linux" ? linuxProcesses() : psProcesses();
}

async function linuxProcesses(): Promise<RunningProcess[]> {
  const pids = (await readdir("/proc")).map(Number).filter(Number.isInteger);
  return Promise.all(pids.map(async (pid) => ({ pid, command: await commandOf(pid) })));
}

/** Codes of a process that has ended, or that the kernel hides from our user. */
const NOT_VISIBLE = ["ENOENT", "ESRCH", "EACCES", "EPERM"];

/** Reads a command line; empty for a process that has ended. Throws EMFILE: an empty result would hide a running server. */
export async function commandOf(pid: number): Promise<string> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ").trim();
  } catch (error) {
    if (hasCode(error, ...NOT_VISIBLE)) return "";
    throw error;
  }
}

async function psProcesses(): Promise<RunningProcess[]> {
  const { stdout } = await promisify(execFile)("ps", ["-axww", "-o", "pid=,command="], {
    env: childEnvironment(),
  });
  return stdout.split("\n").map((line) => {
    const [, pid = "0", command = ""] = /^\s*(\d+)\s(.*)$/.exec(line) ?? [];
    return { pid: Number(pid), command };
  });
}
