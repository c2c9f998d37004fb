import { readFile } from "node:fs/promises";
import { type Clock, sleep } from "../runtime/clock";
import { hasCode } from "../runtime/errors";
import type { Environment } from "./environment";

/**
 * A second signal within this time counts as the same request. A terminal sends Ctrl-C to every process in its foreground
 * group, and npx, which is one of them, forwards its signal to us.
 */
export const TWIN_SIGNAL_MS = 500;

const CHECK_EVERY_MS = 500;
/** Matches a script that becomes this process: of the package, or of `npx hermod`. Children of other scripts inherit the same variable. */
const OUR_SCRIPT = /\bexec bun \S*main\.ts|^'?hermod'?$/;

/**
 * Resolves when the `bun run` or `npx` that started this process has ended.
 *
 * Neither ends before us by itself, so its end means that we must end too. Otherwise we would run on unnoticed and keep the
 * port and the data folder. Never resolves for a process that was started directly, which may outlive its starter.
 */
export async function launcherGone(clock: Clock, env: Environment): Promise<void> {
  if (!OUR_SCRIPT.test(env.npm_lifecycle_script ?? "")) return new Promise(() => {});
  const runner = process.ppid;
  const shell = await parentShell(runner, env);
  while (process.ppid === runner && (shell === null || isRunning(shell))) await sleep(clock, CHECK_EVERY_MS);
}

/**
 * Finds the shell between npx and `bun run`: a SIGTERM to npx ends only that shell. Returns null without npx, without /proc, and
 * on systems other than Linux. Then only `bun run` is watched.
 */
async function parentShell(runner: number, env: Environment): Promise<number | null> {
  if (!env.npm_execpath?.endsWith("npm-cli.js")) return null;
  const stat = await readFile(`/proc/${runner}/stat`, "utf8").catch(() => "");
  // The command's name, in parentheses, may hold spaces; the state and the parent follow it.
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) || null;
}

/**
 * Asks the kernel by signal 0, which needs no file descriptor. Running out of descriptors must not look like an end, nor must a
 * process that this one may not signal.
 */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, "ESRCH");
  }
}
