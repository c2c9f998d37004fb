import { spawn } from "node:child_process";

/**
 * Returns the environment of a child process, with only the paths of this process. Ours contains secrets, which the child's user
 * could read in /proc.
 */
export function childEnvironment(): Record<string, string> {
  const { PATH = "", LD_LIBRARY_PATH } = process.env;
  return { PATH, LC_ALL: "C", TZ: "UTC", ...(LD_LIBRARY_PATH !== undefined && { LD_LIBRARY_PATH }) };
}

/**
 * Shuts the server `pid` down when this process ends, even by SIGKILL. Otherwise the server would run on unused.
 *
 * A shell waits at a pipe that only this process holds open, and that closes when this process ends. Returns a function that
 * cancels the watch. Call it as soon as the server has ended.
 */
export function endWithParent(pid: number): () => void {
  const watcher = spawn("sh", ["-c", 'read -r _; kill -INT "$1"', "hermod-lifeline", String(pid)], {
    cwd: "/",
    env: childEnvironment(),
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without a shell there is no watch. The next start still stops the servers that an earlier run left.
  watcher.on("error", () => {});
  watcher.unref();
  return () => void watcher.kill("SIGKILL");
}
