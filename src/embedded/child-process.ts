import { spawn } from "node:child_process";

/**
 * Returns the environment of a child process: the paths of this process and nothing else. Ours holds secrets, which the
 * user that the child runs as could read in /proc.
 */
export function childEnvironment(): Record<string, string> {
  const { PATH = "", LD_LIBRARY_PATH } = process.env;
  return { PATH, LC_ALL: "C", TZ: "UTC", ...(LD_LIBRARY_PATH !== undefined && { LD_LIBRARY_PATH }) };
}

/**
 * Shuts the server `pid` down when this process ends, even by SIGKILL. Otherwise it would run on unused.
 *
 * A shell waits at a pipe that only this process holds open: the pipe closes when this process ends. Returns a function
 * that cancels the watch, to be called as soon as the server has ended.
 */
export function tieLife(pid: number): () => void {
  const watcher = spawn("sh", ["-c", 'read -r _; kill -INT "$1"', "hermod-lifeline", String(pid)], {
    cwd: "/",
    env: childEnvironment(),
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without a shell there is no watch; the next start still stops what an earlier run left.
  watcher.on("error", () => {});
  watcher.unref();
  return () => void watcher.kill("SIGKILL");
}
