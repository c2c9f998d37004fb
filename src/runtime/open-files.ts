import { readFileSync } from "node:fs";
import { hasCode } from "./errors";

/** Open files kept for other uses than attempts and clients: idle connections to receivers, look-ups, servers, logs. */
const RESERVED = 1_500;
/** The share of the open files that clients' connections to the API may take. */
const CLIENTS_SHARE = 1 / 8;

/** Returns the number of files and sockets that this process may open; null without a limit or without /proc. */
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

/** Returns the number of connections that clients may keep open, which leaves most of the limit to sending. */
export function connectionsWithin(wanted: number, limit: number | null): number {
  if (limit === null) return wanted;
  return Math.max(1, Math.min(wanted, Math.floor(limit * CLIENTS_SHARE)));
}

/**
 * Returns the number of deliveries that may be in flight, beside `connections` of clients. Keeps a reserve, at most half of the
 * limit, because an attempt that gets no socket fails.
 */
export function inFlightWithin(wanted: number, limit: number | null, connections: number): number {
  if (limit === null) return wanted;
  const reserve = Math.min(RESERVED + connections, Math.ceil(limit / 2));
  return Math.max(1, Math.min(wanted, limit - reserve));
}

/** The requests that Bun sends at a time unless BUN_CONFIG_MAX_HTTP_REQUESTS says otherwise. */
const SENT_BY_DEFAULT = 256;

/** Returns the number of requests that Bun sends at a time. Further ones wait, whatever they are for. */
export function sentAtOnce(given = process.env.BUN_CONFIG_MAX_HTTP_REQUESTS): number {
  return /^[1-9]\d*$/.test(given ?? "") ? Number(given) : SENT_BY_DEFAULT;
}
