import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { copyFile, rm, stat, truncate } from "node:fs/promises";
import { dirname } from "node:path";
import { systemClock } from "../runtime/clock";
import { Loop } from "../runtime/loop";

/** A larger log is emptied at a start, and while a server without a limit of its own runs. */
export const LOG_LIMIT_BYTES = 10 * 1024 * 1024;
const CHECK_EVERY_MS = 60_000;

const TAIL_LINES = 15;

export type LogFile = {
  /** Open for appending, for a child process. */
  readonly fd: number;
  readonly path: string;
  /** Returns the last lines since the log was opened; empty if there are none. */
  tail(): string;
  close(): void;
};

/** Opens the log `path` for appending. Makes it (mode 0600) and its folder (mode 0700) if they are missing. */
export function openLog(path: string): LogFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fd = openSync(path, "a", 0o600);
  if (fstatSync(fd).size > LOG_LIMIT_BYTES) ftruncateSync(fd);
  const start = fstatSync(fd).size;
  return { fd, path, tail: () => tailSince(path, start), close: () => closeSync(fd) };
}

/** Keeps a log short until the server that appends to it has ended. */
export function limitSize(path: string, ended: Promise<unknown>, everyMs = CHECK_EVERY_MS): void {
  const round = async () => {
    await shorten(path);
    return everyMs;
  };
  const loop = new Loop({ clock: systemClock, round, failed: () => everyMs });
  loop.start();
  ended.finally(() => loop.stop());
}

/**
 * Moves the text of a log that is too long to a file beside it, which it replaces. A line written meanwhile is lost; on a full
 * disk the text is lost too.
 */
async function shorten(path: string): Promise<void> {
  const { size } = await stat(path);
  if (size <= LOG_LIMIT_BYTES) return;
  const former = `${path}.1`;
  await copyFile(path, former)
    .catch(() => rm(former, { force: true }))
    .catch(() => {});
  // The server has the file open for appending, so it continues at the new end.
  await truncate(path);
}

function tailSince(path: string, start: number): string {
  const bytes = readFileSync(path);
  // A server that rotates its own log leaves a file shorter than `start`.
  const appended = bytes.subarray(bytes.length < start ? 0 : start).toString();
  return appended.trimEnd().split("\n").slice(-TAIL_LINES).join("\n");
}
