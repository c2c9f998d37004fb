import postgres from "postgres";
import { type DatabaseAddress, driverOptions } from "./address";
import { errorCode } from "./postgres-failure";
import { arrayTypes } from "./sql/arrays";

export type Sql = postgres.Sql<{ bigint: number }>;
export type TransactionSql = postgres.TransactionSql<{ bigint: number }>;

/** Runs statements, in a transaction or alone. */
export type AnySql = Sql | TransactionSql;
/** A statement that is sent when it is awaited. */
export type PendingQuery<Row extends object> = postgres.PendingQuery<Row[]>;
/** A piece of a statement. */
export type Fragment = ReturnType<Sql>;

export type PoolOptions = {
  address: DatabaseAddress;
  /** Most connections. */
  size: number;
  /** Most queries in flight on a connection. The caller admits no more. */
  depth: number;
  /** Postgres cancels a statement after this many milliseconds. */
  statementTimeoutMs: number;
  /** Session settings, e.g. planner switches. */
  session?: Record<string, string>;
  /** True if a pooler refuses settings at the start of a session: then `applySettings` sends them. */
  settingsFollow?: boolean;
};

/** Opens a postgres.js pool. */
export function createPool(options: PoolOptions, onLost: () => void): Sql {
  const settings = {
    ...driverOptions(options.address),
    max: options.size,
    // Ends a slot that hangs in its handshake after its backend died (see `Database`).
    connect_timeout: 3,
    idle_timeout: 0,
    // Connections live until they break, because a planned end would look like a loss.
    max_lifetime: null,
    // With many pipelined queries the pool's speed halves on Bun within 10 s; with two per connection it stays (measured).
    max_pipeline: options.depth,
    onnotice: () => {},
    onclose: onLost,
    connection: options.settingsFollow ? {} : settingsOf(options),
    // Not needed: sql/arrays.ts names the types of arrays, and counts and sequences stay far below 2^53.
    fetch_types: false,
    types: { ...arrayTypes, bigint: { to: 20, from: [20], parse: Number, serialize: String } },
  };
  return postgres(settings);
}

function settingsOf({ statementTimeoutMs, session, address }: PoolOptions): Record<string, string> {
  return {
    application_name: "hermod",
    statement_timeout: String(statementTimeoutMs),
    idle_in_transaction_session_timeout: String(statementTimeoutMs),
    ...session,
    ...address.parameters,
    // Comes last: the hours of the figures are UTC's, whatever the server, its user or the URL sets.
    timezone: "UTC",
  };
}

/** Opens all connections of a pool, and gives each its settings. They last as long as the connection. */
export async function settleSessions(sql: Sql, options: PoolOptions): Promise<void> {
  const ofEach = <T>(ask: () => PromiseLike<T>) => Promise.all(Array.from({ length: options.size }, ask));
  // Opens the connections first: the driver never answers a reservation that must connect, unless it fetches types (observed).
  await ofEach(() => sql`select`);
  const sessions = await ofEach(() => sql.reserve());
  await Promise.all(sessions.map((session) => applySettings(session, settingsOf(options))));
  for (const session of sessions) session.release();
}

/** Sets settings for the rest of a session. */
export async function applySettings(
  sql: Sql | postgres.Sql,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const json = JSON.stringify(settings);
  await sql`select set_config(key, value, false) from json_each_text(${json}::text::json)`;
}

/** True if a statement called `plan_out_of_date`, which rolls it back. */
export function isPlanOutOfDate(error: unknown): boolean {
  return errorCode(error) === "HM001";
}

/** True when a row refers to a row of another table that does not exist. */
export function isForeignKeyViolation(error: unknown): boolean {
  return errorCode(error) === "23503";
}

/** True when a unique index already has the row's value. */
export function isUniqueViolation(error: unknown): boolean {
  return errorCode(error) === "23505";
}

/** Returns the name of the check that a row violates; null for any other error. */
export function violatedCheck(error: unknown): string | null {
  if (!(error instanceof Error) || errorCode(error) !== "23514") return null;
  const { constraint_name } = error as { constraint_name?: unknown };
  return typeof constraint_name === "string" ? constraint_name : violatedCheck(error.cause);
}

/** A statement with a constant text; `values` by the names of its parameters. */
export type Statement<Row, Name extends string> = (
  sql: AnySql,
  values: Readonly<Record<Name, string | number>>,
) => Promise<Row[]>;

/**
 * Defines a statement for work done many times a second. `types` are those of its parameters, by name. `text` may name
 * a parameter several times; it is sent and parsed once. A statement put together for each use sends a parameter at
 * every place. Measured with 25 accepted sends, whose ids occur up to three times: an eighth more of Postgres' time and
 * half as much again of the driver's.
 */
export function statement<Row extends object, Name extends string>(
  types: Readonly<Record<Name, string>>,
  text: (parameters: Readonly<Record<Name, string>>) => string,
): Statement<Row, Name> {
  const names = Object.keys(types) as Name[];
  const placeholders = Object.fromEntries(names.map((name, i) => [name, `$${i + 1}::${types[name]}`]));
  const written = text(placeholders as Record<Name, string>);
  return (sql, values) =>
    sql.unsafe<Row[]>(
      written,
      names.map((name) => values[name]),
      { prepare: true },
    );
}
