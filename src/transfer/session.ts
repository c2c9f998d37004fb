import type postgres from "postgres";
import { applySettings } from "../db/pool";

export type SessionLimits = Readonly<{
  /** Postgres ends the transaction of a process that is stopped or gone for this long. */
  idleMs: number;
  /** Postgres cancels a statement after this time. A statement moves 1 MiB or 64 rows. */
  statementMs: number;
}>;

export const SESSION_LIMITS: SessionLimits = { idleMs: 60_000, statementMs: 300_000 };

/** Formats of values that both servers write and read. */
const TEXT_FORMATS = {
  datestyle: "ISO",
  intervalstyle: "postgres",
  timezone: "UTC",
  bytea_output: "hex",
  extra_float_digits: "1",
  client_encoding: "UTF8",
};

/** Sets the formats of values, and the times after which Postgres ends a transaction whose process has died or hangs. */
export async function prepareSession(
  sql: postgres.Sql,
  { idleMs, statementMs }: SessionLimits,
): Promise<void> {
  await applySettings(sql, {
    ...TEXT_FORMATS,
    statement_timeout: String(statementMs),
    idle_in_transaction_session_timeout: String(idleMs),
    // Finds a machine that is gone, also while Postgres waits for it to take rows.
    tcp_user_timeout: String(idleMs),
    tcp_keepalives_idle: String(Math.ceil(idleMs / 2_000)),
    tcp_keepalives_interval: "10",
    tcp_keepalives_count: "3",
  });
}
