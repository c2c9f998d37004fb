import { parseDatabaseUrl } from "../db/address";
import type { EnvironmentReader } from "./environment";

/** Where an account moves, for the task `move`. */
export type MoveAddresses = Readonly<{
  /** The Postgres of the destination. */
  to: string;
  /** The Postgres of the source as the destination's reaches it; null if that is the address of DATABASE_URL. */
  from: string | null;
  deadlineMs: number;
}>;

/** Reads the settings of a move. Null for other tasks. */
export function readMove(read: EnvironmentReader, isMove: boolean): MoveAddresses | null {
  const to = read.checked("HERMOD_MOVE_TO", parseDatabaseUrl);
  const from = read.checked("HERMOD_MOVE_FROM", parseDatabaseUrl);
  const deadlineMs = read.duration("HERMOD_MOVE_DEADLINE", "24h", "1m", "30d");
  if (!isMove) return null;
  for (const name of ["DATABASE_URL", "HERMOD_MOVE_TO"])
    if (!read.isGiven(name))
      read.problem(
        `${name} must be set for move: the Postgres of the account's ${name === "DATABASE_URL" ? "cell" : "next cell"}`,
      );
  return to === null ? null : { to, from, deadlineMs };
}
