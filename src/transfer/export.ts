import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Sql, TransactionSql } from "../db/pool";
import { readTimeRanges } from "../retention/range-tables";
import { VERSION } from "../runtime/version";
import { END_OF_TABLE, FORMAT, lineOf, type Manifest } from "./export-file";
import { lastMigration, type MovedTable, movedTables, OWN_SETTINGS, quoted, setTextFormats } from "./tables";

/**
 * Writes all of an installation to a file, as of one moment: one transaction reads everything. Secrets stay sealed. The file
 * gets its name only when it is whole. Returns the number of rows.
 */
export async function exportTo(sql: Sql, path: string): Promise<number> {
  const draft = `${path}.unfinished`;
  const count = { rows: 0 };
  try {
    await sql.begin("isolation level repeatable read read only", async (transaction) => {
      const text = Readable.from(textOf(transaction as TransactionSql, count));
      await pipeline(text, createGzip(), createWriteStream(draft, { mode: 0o600 }));
    });
    await rename(draft, path);
    return count.rows;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function* textOf(sql: TransactionSql, count: { rows: number }): AsyncGenerator<string | Buffer> {
  await setTextFormats(sql);
  yield lineOf(await manifestOf(sql));
  for (const table of movedTables()) {
    yield lineOf(table);
    const rows = await sql.unsafe(copyOut(table)).readable();
    for await (const chunk of rows as AsyncIterable<Buffer>) {
      count.rows += rowsIn(chunk);
      yield chunk;
    }
    yield `${END_OF_TABLE}\n`;
  }
  yield lineOf(count);
}

async function manifestOf(sql: TransactionSql): Promise<Manifest> {
  const ranges = (await readTimeRanges(sql)).map(({ range }) => range);
  const createdAt = new Date().toISOString();
  return { format: FORMAT, version: VERSION, createdAt, migration: await lastMigration(sql), ranges };
}

// Copies a query, because COPY does not read a partitioned table.
function copyOut({ name, columns }: MovedTable): string {
  const own = OWN_SETTINGS.map((each) => `'${each}'`).join(", ");
  const where = name === "settings" ? `where name not in (${own})` : "";
  return `copy (select ${quoted(...columns)} from ${quoted(name)} ${where}) to stdout`;
}

/** Counts the rows of a chunk: COPY writes one line a row. */
function rowsIn(chunk: Buffer): number {
  let rows = 0;
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) rows++;
  return rows;
}
