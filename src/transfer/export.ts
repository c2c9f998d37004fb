import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { BLOCK_TABLES, decodeBlock, listOf } from "../cold/block-file";
import { type ColdBlock, readAll } from "../cold/blocks";
import type { ColdStore } from "../cold/store";
import type { Sql, TransactionSql } from "../db/pool";
import { readTimeRanges } from "../retention/range-tables";
import { VERSION } from "../runtime/version";
import { FORMAT, lineOf, type Manifest } from "./export-file";
import type { Progress } from "./progress";
import { lastMigration, type MovedTable, movedTables, OWN_SETTINGS, quoted } from "./tables";

/** Rows that are in memory at a time. A row has a payload of 1 MiB at most. */
export const ROWS_AT_ONCE = 64;

/** Where an export goes. `store` has the deliveries that are in cold files; null if there are none. */
export type ExportTarget = Readonly<{ path: string; store: ColdStore | null }>;

/**
 * Writes all of an installation to a file, as of one moment: one transaction reads everything. Secrets stay sealed. The file
 * gets its name only when it is whole. Rejects when `stopped` aborts, and leaves no file then.
 */
export async function exportTo(
  sql: Sql,
  { path, store }: ExportTarget,
  progress: Progress,
  stopped: AbortSignal,
): Promise<void> {
  const unfinished = `${path}.unfinished`;
  try {
    await sql.begin("isolation level repeatable read read only", async (transaction) => {
      const text = Readable.from(textOf(transaction as TransactionSql, store, progress));
      await pipeline(text, createGzip(), createWriteStream(unfinished, { mode: 0o600 }), { signal: stopped });
    });
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function* textOf(
  sql: TransactionSql,
  store: ColdStore | null,
  progress: Progress,
): AsyncGenerator<string> {
  yield lineOf(await manifestOf(sql));
  const cold = await ColdRows.open(sql, store);
  for (const table of movedTables()) {
    yield lineOf(table);
    progress.begin(table.name);
    for await (const rows of rowsOf(sql, table)) yield linesOf(rows, progress);
    for await (const rows of cold.of(sql, table)) yield linesOf(rows, progress);
    progress.end();
  }
  yield lineOf({ rows: progress.total });
}

function linesOf(rows: readonly string[], progress: Progress): string {
  progress.add(rows.length);
  return rows.map((row) => `${row}\n`).join("");
}

// Reads by a cursor of SQL. postgres.js pauses the socket of a COPY and may never resume it, and its own cursor takes a connection
// that breaks between two reads for the end of the rows.
async function* rowsOf(sql: TransactionSql, table: MovedTable): AsyncGenerator<string[]> {
  await sql.unsafe(`declare exported no scroll cursor for ${selectionOf(table)}`);
  for (;;) {
    const rows = await sql.unsafe<{ line: string }[]>(`fetch ${ROWS_AT_ONCE} from exported`);
    if (rows.length === 0) break;
    yield rows.map(({ line }) => line);
  }
  await sql.unsafe("close exported");
}

async function manifestOf(sql: TransactionSql): Promise<Manifest> {
  const ranges = (await readTimeRanges(sql)).map(({ range }) => range);
  const createdAt = new Date().toISOString();
  return { format: FORMAT, version: VERSION, createdAt, migration: await lastMigration(sql), ranges };
}

function selectionOf({ name, columns, order }: MovedTable): string {
  const own = OWN_SETTINGS.map((each) => `'${each}'`).join(", ");
  const where = name === "settings" ? `where name not in (${own})` : "";
  const values = columns.map((column) => `${quoted(column)}::text`).join(", ");
  const sorted = order === undefined ? "" : `order by ${quoted(order)}`;
  return `select array_to_json(array[${values}])::text as line from ${quoted(name)} ${where} ${sorted}`;
}

/** Reads the rows that are in files, for an export. An import brings them to Postgres. */
class ColdRows {
  private constructor(
    private readonly blocks: readonly ColdBlock[],
    private readonly store: ColdStore | null,
  ) {}

  /** Throws if there are files, and no store of them. */
  static async open(sql: TransactionSql, store: ColdStore | null): Promise<ColdRows> {
    const blocks = await readAll(sql);
    if (store === null && blocks.length > 0)
      throw new Error("HERMOD_COLD_STORE must be set: deliveries of this installation are in files");
    return new ColdRows(blocks, store);
  }

  /** Yields the rows of a table, the values of each as Postgres writes them as text. One file at a time. */
  async *of(sql: TransactionSql, { name, columns }: MovedTable): AsyncGenerator<string[]> {
    const table = BLOCK_TABLES.find((each) => each === name);
    if (table === undefined || this.store === null) return;
    const values = columns.map((column) => `${quoted(column)}::text`).join(", ");
    for (const { path, digest } of this.blocks) {
      const rows = await decodeBlock(await this.store.get(path), digest);
      const lines = await sql.unsafe<{ line: string }[]>(
        `select array_to_json(array[${values}])::text as line from json_populate_recordset(null::${table}, $1::text::json)`,
        [listOf(rows[table])],
      );
      yield lines.map(({ line }) => line);
    }
  }
}
