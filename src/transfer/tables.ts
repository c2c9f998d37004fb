import { getTableColumns, getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import type { AnySql } from "../db/pool";
import * as schema from "../db/schema";

/** A table that is exported, with the columns in the order of the values of its rows in the file. */
export type MovedTable = Readonly<{
  name: string;
  columns: readonly string[];
  /** The column by which the rows are in order; absent if their order does not matter. */
  order?: string;
}>;

/** Tables that are not exported: they belong to running processes, to this server, or to the store of its files. */
const NOT_EXPORTED: readonly PgTable[] = [
  schema.coldBlocks,
  schema.coldNumbers,
  schema.dispatchers,
  schema.movedRows,
  schema.moves,
  schema.partitionLeases,
  schema.processes,
  schema.rateWindows,
  schema.retentionProgress,
  schema.retentionCounts,
  schema.sessions,
  schema.traces,
  schema.usedSignIns,
];

/**
 * Tables to which others refer, in the order in which they can be filled. Rows with an id are in its order, because they refer to
 * earlier rows of their own table.
 */
const FIRST: readonly PgTable[] = [schema.plans, schema.accounts, schema.endpoints, schema.apiKeys];

/** Settings that stay on this server. The encryption key is never exported with the secrets that it seals. */
export const OWN_SETTINGS = ["encryption_key", "server"] as const;

/** Returns all tables of the schema. */
export function allTables(): PgTable[] {
  return Object.values<unknown>(schema).filter((each): each is PgTable => is(each, PgTable));
}

/** Returns the exported tables, in the order in which they can be filled. */
export function movedTables(): MovedTable[] {
  const others = allTables().filter((each) => !FIRST.includes(each) && !NOT_EXPORTED.includes(each));
  return [...FIRST, ...others].map((table) => {
    const columns = Object.values(getTableColumns(table)).map(({ name }) => name);
    const isOrdered = FIRST.includes(table) && columns.includes("id");
    return { name: getTableName(table), columns, ...(isOrdered && { order: "id" }) };
  });
}

/** Quotes names of tables or columns for a statement. */
export function quoted(...names: readonly string[]): string {
  return names.map((name) => `"${name.replaceAll('"', '""')}"`).join(", ");
}

/** Returns the hash of the last migration that the database has. */
export async function lastMigration(sql: AnySql): Promise<string> {
  const [row] = await sql<{ hash: string }[]>`
    select hash from drizzle.__drizzle_migrations order by created_at desc limit 1
  `;
  if (!row) throw new Error("the database has no tables of Hermod: check DATABASE_URL");
  return row.hash;
}
