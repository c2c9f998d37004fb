import { spawn } from "node:child_process";
import { childEnvironment } from "./child-environment";

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
