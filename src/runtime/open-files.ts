import { readFileSync } from "node:fs";
import { hasCode } from "./errno";

/** Of what a process may have open this much is for other things than deliveries, or half of all if that is less. */
const RESERVED = 2_000;

/** Returns how many files and sockets this process may open; null means no limit, or no /proc to read it from. */
export function openFilesLimit(): number | null {
  try {
    return parseLimits(readFileSync("/proc/self/limits", "utf8"));
  } catch (error) {
    if (hasCode(error, "ENOENT", "EACCES")) return null;
    throw error;
  }
}

/** Parses the soft limit from /proc/<pid>/limits (proc_pid_limits(5)); null when there is none. */
export function parseLimits(text: string): number | null {
  const match = /^Max open files +(\d+) /m.exec(text);
  return match ? Number(match[1]) : null;
}

/**
 * How many deliveries may be in flight under a limit on open files: one that can't have its socket looks as if its receiver
 * had refused the connection.
 */
export function inFlightWithin(wanted: number, limit: number | null): number {
  if (limit === null) return wanted;
  return Math.max(1, Math.min(wanted, limit - Math.min(RESERVED, Math.ceil(limit / 2))));
}
