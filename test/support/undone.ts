import type { AnySql } from "../../src/db/pool";
import { until } from "./faults/until";

/**
 * Waits until these connections, by process id, have ended, then counts the transactions that the database has rolled back.
 * A connection reports its count when it ends.
 */
export async function undoneOnceOver(sql: AnySql, connections: readonly number[]): Promise<number> {
  const areOver = async () => {
    const left = await sql`
      select from pg_stat_activity
      where datname = current_database() and pid = any(${`{${connections.join(",")}}`}::integer[])`;
    return left.length === 0;
  };
  await until(areOver, { what: "the end of connections" });
  const [row] = await sql<{ undone: number }[]>`
    select xact_rollback as undone from pg_stat_database where datname = current_database()`;
  return row?.undone ?? Number.NaN;
}
