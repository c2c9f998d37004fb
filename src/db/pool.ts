import postgres from "postgres";
import { type DatabaseAddress, driverOptions } from "./address";
import { arrayTypes } from "./arrays";

export type Sql = postgres.Sql<{ bigint: number }>;
export type TransactionSql = postgres.TransactionSql<{ bigint: number }>;

/** Either of the two: what runs in a transaction or by itself. */
export type AnySql = Sql | TransactionSql;
/** A statement that is not sent before it is waited for. */
export type Query<Row extends object> = postgres.PendingQuery<Row[]>;
/** A piece of a statement. */
export type Fragment = ReturnType<Sql>;

export type PoolOptions = {
  address: DatabaseAddress;
  /** Connections at most. */
  size: number;
  /** Queries sent on a connection at once. It is the caller who lets no more in. */
  depth: number;
  /** Postgres gives a statement up after this many milliseconds. */
  statementTimeoutMs: number;
  /** Session settings, e.g. planner switches. */
  session?: Record<string, string>;
};

/** A postgres.js pool that tells when one of its connections is lost. */
export function createPool(options: PoolOptions, onLost: () => void): Sql {
  const settings = {
    ...driverOptions(options.address),
    max: options.size,
    // A slot that hangs in its handshake after its backend died is found by this (see Database).
    connect_timeout: 3,
    idle_timeout: 0,
    // Connections live until they break: a planned end could not be told from a loss.
    max_lifetime: null,
    // Measured on Bun: with many queries pipelined on the connections of a pool the speed halves within ten seconds; with
    // two on one connection it stays.
    max_pipeline: options.depth,
    onnotice: () => {},
    onclose: onLost,
    connection: {
      application_name: "hermod",
      statement_timeout: options.statementTimeoutMs,
      idle_in_transaction_session_timeout: options.statementTimeoutMs,
      ...options.session,
      ...options.address.parameters,
    },
    // The array types are named in ./arrays. Counts and sequence numbers stay far below 2^53.
    fetch_types: false,
    types: { ...arrayTypes, bigint: { to: 20, from: [20], parse: Number, serialize: String } },
  };
  return postgres(settings);
}

// Connection lost or refused (SQLSTATE class 08), also for a password (28) or a database (3D) that is changed meanwhile;
// server stopping or starting (57P), out of disk, memory or connections (53), an error of its machine's (58), a transaction
// that stood still for too long and was ended with its connection.
const UNAVAILABLE_SQLSTATE = /^(08|28|3D|57P|53|58|25P03)/;
/** A standby, or a server gone read-only: it can't take what we write. */
const READ_ONLY = "25006";
/** The server did not get to it within the statement_timeout. */
const TOO_LATE = "57014";
/** Answered over a connection that is sound: disk full, out of memory, too late. */
const SOUND = new Set(["53100", "53200", TOO_LATE]);
const UNAVAILABLE_CODES = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  // A connection broke before a `begin` of postgres.js: nothing of the transaction was done.
  "UNSAFE_TRANSACTION",
  READ_ONLY,
  TOO_LATE,
]);

// The runtime's words for what fails at sockets (ECONNREFUSED, EHOSTUNREACH, EMFILE, ERR_SOCKET_CLOSED), look-ups of names
// (ENOTFOUND, EAI_AGAIN) and certificates (CERT_HAS_EXPIRED). No SQLSTATE begins so.
const OUTSIDE_POSTGRES = /^(E|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)[A-Z]/;
// The driver's own words, and those of a server that ends the connection.
const LOST = /^(CONNECTION_(CLOSED|ENDED|DESTROYED)|57P0[1-3]|25P03|08...)$/;

/** True when a connection broke while it was in use. */
export function isConnectionLost(error: unknown): boolean {
  const code = errorCode(error) ?? "";
  return LOST.test(code) || OUTSIDE_POSTGRES.test(code);
}

/** True when an error says that Postgres is out of reach rather than that the statement is wrong. */
export function isUnavailable(error: unknown): boolean {
  const code = errorCode(error);
  if (code === null) return false;
  return UNAVAILABLE_CODES.has(code) || UNAVAILABLE_SQLSTATE.test(code) || OUTSIDE_POSTGRES.test(code);
}

/** True when an error says that this server, as it is, takes no writes; another one may by now, at the same address. */
export function isReadOnly(error: unknown): boolean {
  return errorCode(error) === READ_ONLY;
}

/** True when an error came over a sound connection: there is too little disk or memory, or time, for the statement alone. */
export function isOfStatementAlone(error: unknown): boolean {
  return SOUND.has(errorCode(error) ?? "");
}

/** True when the same statement may simply be tried again: a deadlock or a serialization failure. */
export function isRetryable(error: unknown): boolean {
  const code = errorCode(error);
  return code === "40P01" || code === "40001";
}

/** True when a lock was not had within its `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return errorCode(error) === "55P03";
}

/** True when a statement divided by zero, as some do on purpose, to undo what they have done. */
export function isDivisionByZero(error: unknown): boolean {
  return errorCode(error) === "22012";
}

/** True when a row names one of another table that is not there. */
export function isForeignKeyViolation(error: unknown): boolean {
  return errorCode(error) === "23503";
}

/** True when a row has what another row has in a unique index. */
export function isUniqueViolation(error: unknown): boolean {
  return errorCode(error) === "23505";
}

/** Drizzle, which migrates, has Postgres' own error for a cause. */
function errorCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : errorCode(error.cause);
}
