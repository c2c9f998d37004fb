import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

/** A log file is emptied when a start finds it larger than this, in bytes. */
export const LOG_LIMIT_BYTES = 10 * 1024 * 1024;

const TAIL_LINES = 15;

export type LogFile = {
  /** Open for appending, to be handed to a child process. */
  readonly fd: number;
  readonly path: string;
  /** The last lines written since this was opened; empty when there are none. */
  tail(): string;
  close(): void;
};

/** Opens the log `path` for appending, making it (mode 0600) and its folder (mode 0700) when missing. */
export function openLog(path: string): LogFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fd = openSync(path, "a", 0o600);
  if (fstatSync(fd).size > LOG_LIMIT_BYTES) ftruncateSync(fd);
  const start = fstatSync(fd).size;
  return { fd, path, tail: () => tailSince(path, start), close: () => closeSync(fd) };
}

function tailSince(path: string, start: number): string {
  const bytes = readFileSync(path);
  // A server that rotates its own log leaves a file shorter than what we saw.
  const news = bytes.subarray(bytes.length < start ? 0 : start).toString();
  return news.trimEnd().split("\n").slice(-TAIL_LINES).join("\n");
}
