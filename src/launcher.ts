import { readFile } from "node:fs/promises";
import type { Environment } from "./environment";
import { type Clock, sleep } from "./runtime/clock";

/**
 * What comes this soon after a signal is the same request, milliseconds: a terminal sends Ctrl-C to every process in
 * front of it, and npx, being one of them, passes its own on to us.
 */
export const TWIN_SIGNAL_MS = 500;

const LOOK_EVERY_MS = 500;
/** A package script that becomes us. Everything below any script inherits its name, also what is to outlive it. */
const OUR_SCRIPT = /\bexec bun \S*main\.ts/;

/**
 * Resolves when the `bun run` or `npx` that started this process is gone: it never ends by itself before us, so its end
 * was meant for us, and we would run on unseen, with port and data folder taken. Never resolves for a process that was
 * started directly, and may outlive whoever did so.
 */
export async function launcherGone(clock: Clock, env: Environment): Promise<void> {
  if (!OUR_SCRIPT.test(env.npm_lifecycle_script ?? "")) return new Promise(() => {});
  const runner = process.ppid;
  const shell = await shellAbove(runner, env);
  while (process.ppid === runner && (await shellAbove(runner, env)) === shell)
    await sleep(clock, LOOK_EVERY_MS);
}

/**
 * The shell that npx stands in front of, with `bun run` and us below: a SIGTERM to npx ends the shell and goes no
 * further. Linux only; null elsewhere, and without npx.
 */
async function shellAbove(runner: number, env: Environment): Promise<number | null> {
  return env.npm_execpath?.endsWith("npm-cli.js") ? parentOf(runner) : null;
}

async function parentOf(pid: number): Promise<number | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    // The command's name, in parentheses, may hold spaces; the state and the parent follow it.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return null;
  }
}
