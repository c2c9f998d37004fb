import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Sql, TransactionSql } from "../db/pool";
import { readTimeRanges } from "../retention/range-tables";
import { VERSION } from "../runtime/version";
import { FORMAT, lineOf, type Manifest } from "./export-file";
import type { Progress } from "./progress";
import { lastMigration, type MovedTable, movedTables, OWN_SETTINGS, quoted } from "./tables";

/** Rows that are in memory at a time. A row has a payload of 1 MiB at most. */
export const ROWS_AT_ONCE = 64;

/**
 * Writes all of an installation to a file, as of one moment: one transaction reads everything. Secrets stay sealed. The file
 * gets its name only when it is whole. Rejects when `stopped` aborts, and leaves no file then.
 */
export async function exportTo(
  sql: Sql,
  path: string,
  progress: Progress,
  stopped: AbortSignal,
): Promise<void> {
  const unfinished = `${path}.unfinished`;
  try {
    await sql.begin("isolation level repeatable read read only", async (transaction) => {
      const text = Readable.from(textOf(transaction as TransactionSql, progress));
      await pipeline(text, createGzip(), createWriteStream(unfinished, { mode: 0o600 }), { signal: stopped });
    });
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function* textOf(sql: TransactionSql, progress: Progress): AsyncGenerator<string> {
  yield lineOf(await manifestOf(sql));
  for (const table of movedTables()) {
    yield lineOf(table);
    progress.begin(table.name);
    yield* linesOf(sql, table, progress);
    progress.end();
  }
  yield lineOf({ rows: progress.total });
}

// Reads by a cursor of SQL. postgres.js pauses the socket of a COPY and may never resume it, and its own cursor takes a connection
// that breaks between two reads for the end of the rows.
async function* linesOf(sql: TransactionSql, table: MovedTable, progress: Progress): AsyncGenerator<string> {
  await sql.unsafe(`declare exported no scroll cursor for ${selectionOf(table)}`);
  for (;;) {
    const rows = await sql.unsafe<{ line: string }[]>(`fetch ${ROWS_AT_ONCE} from exported`);
    if (rows.length === 0) break;
    progress.add(rows.length);
    yield rows.map(({ line }) => `${line}\n`).join("");
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
