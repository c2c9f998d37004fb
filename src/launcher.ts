import { readFile } from "node:fs/promises";
import type { Environment } from "./environment";
import { type Clock, sleep } from "./runtime/clock";

/**
 * What comes this soon after a signal is the same request, milliseconds: a terminal sends Ctrl-C to every process in
 * front of it, and npx, being one of them, passes its own on to us.
 */
export const TWIN_SIGNAL_MS = 500;

const LOOK_EVERY_MS = 500;

/**
 * Resolves when the `npx` that started this process is gone. npx stands in front of a shell, `bun run` and us;
 * a SIGTERM to it ends the shell and goes no further, so that we would run on unseen, with port and data folder
 * taken. It never ends by itself before us, so its end was meant for us. Linux only; elsewhere never resolves.
 */
export async function launcherGone(clock: Clock, env: Environment): Promise<void> {
  const runner = process.ppid;
  const isBelowNpm = env.npm_execpath?.endsWith("npm-cli.js") ?? false;
  const shell = isBelowNpm ? await parentOf(runner) : null;
  if (shell === null) return new Promise(() => {});
  while ((await parentOf(runner)) === shell) await sleep(clock, LOOK_EVERY_MS);
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
