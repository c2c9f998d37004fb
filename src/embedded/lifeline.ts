import { spawn } from "node:child_process";

/**
 * Has the server `pid` shut down when this process is gone, even by SIGKILL, so that it does not run on for
 * nobody. A shell waits at a pipe that only this process holds open: its end is the end of this process.
 * Returns a function that calls the watch off, to be called as soon as the server has ended.
 */
export function tieLife(pid: number): () => void {
  const watcher = spawn("sh", ["-c", 'read -r _; kill -INT "$1"', "hermod-lifeline", String(pid)], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without a shell there is no watch; the next start still stops what an earlier run left.
  watcher.on("error", () => {});
  watcher.unref();
  return () => void watcher.kill("SIGKILL");
}
