/**
 * A failure that is not the statement's fault: the same statement may succeed later.
 *
 * - `broken`: the connection broke in use, and others probably have too.
 * - `unreachable`: a server that refuses connections, or lacks what a session needs.
 * - `read_only`: a standby or read-only server. Another server at the same address may take writes.
 * - `departed`: the statement would write for an account that has left for another cell.
 * - `disk_full`, `no_memory`, `too_late`, `locked`, `conflict`: of this statement alone, over a healthy connection.
 */
export type PostgresFailure =
  | "broken"
  | "unreachable"
  | "read_only"
  | "departed"
  | "disk_full"
  | "no_memory"
  | "too_late"
  | "locked"
  | "conflict";

/** SQLSTATEs, and codes of the driver and the runtime, by what they mean. The first match counts. */
const FAILURES: readonly (readonly [RegExp, PostgresFailure])[] = [
  [/^25006$/, "read_only"],
  // Raised by `refuse_departed`.
  [/^HM002$/, "departed"],
  [/^53100$/, "disk_full"],
  // Also a full table of locks.
  [/^53200$/, "no_memory"],
  // Not finished within the statement_timeout, or cancelled by an operator.
  [/^57014$/, "too_late"],
  // Not granted within the lock_timeout.
  [/^55P03$/, "locked"],
  // A serialization failure, a deadlock.
  [/^40(001|P01)$/, "conflict"],
  // A connection that is refused or lost (08), a server that stops or starts (57P), a transaction that was open for too long and
  // ended with its connection (25P).
  [/^(08...|57P0[1-3]|25P0[34])$/, "broken"],
  // Of the driver.
  [/^CONNECTION_(CLOSED|ENDED|DESTROYED)$/, "broken"],
  // Of the runtime: sockets (ECONNREFUSED, EHOSTUNREACH, EMFILE, ERR_SOCKET_CLOSED), name look-ups (ENOTFOUND, EAI_AGAIN) and
  // certificates (CERT_HAS_EXPIRED). No SQLSTATE starts like these.
  [/^(E|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)[A-Z]/, "broken"],
  // The password (28) or the database (3D) is being changed; no connections left (53); a system error of the server's machine (58).
  [/^(28|3D|57P|53|58)/, "unreachable"],
  // A connection broke before a `begin` of postgres.js, so no part of the transaction ran.
  [/^(CONNECT_TIMEOUT|UNSAFE_TRANSACTION)$/, "unreachable"],
];

/** Returns null if the error is the statement's own. */
export function failureOf(error: unknown): PostgresFailure | null {
  const code = errorCode(error);
  return FAILURES.find(([pattern]) => code !== null && pattern.test(code))?.[1] ?? null;
}

/** Returns the code of an error or of its cause: drizzle wraps Postgres' errors. */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : errorCode(error.cause);
}

/** True when a connection broke while in use. */
export function isConnectionLost(error: unknown): boolean {
  return failureOf(error) === "broken";
}

/** True when the same statement may be retried at once: a deadlock or a serialization failure. */
export function isRetryable(error: unknown): boolean {
  return failureOf(error) === "conflict";
}

/** True when a lock was not granted within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return failureOf(error) === "locked";
}
