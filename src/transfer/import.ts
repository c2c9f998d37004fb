import { createReadStream } from "node:fs";
import { addAbortSignal, pipeline as compose } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Sql, TransactionSql } from "../db/pool";
import { sealedEndpoints } from "../endpoints/resealing";
import { readTimeRanges, rebuild } from "../retention/range-tables";
import { hasCode } from "../runtime/errors";
import { VERSION } from "../runtime/version";
import { countUnreadable } from "../vault/resealing";
import type { Vault } from "../vault/vault";
import { type ExportEnd, FORMAT, LineReader, type Manifest } from "./export-file";
import type { Progress } from "./progress";
import { lastMigration, type MovedTable, movedTables, quoted } from "./tables";

/** The codes of zlib for a file that ends too early, or is no gzip. */
const UNREADABLE = ["Z_BUF_ERROR", "Z_DATA_ERROR"];

/** The file is unpacked in pieces of this size, so that a large row is joined from few of them. */
const PIECE_BYTES = 1_048_576;

/**
 * Reads an export into a database with the migrations and no data, in one transaction. Throws if the file is
 * not whole or of another version, if the database is in use, if the vault does not open the secrets, or when `stopped`
 * aborts.
 */
export async function importFrom(
  sql: Sql,
  path: string,
  vault: Vault,
  progress: Progress,
  stopped: AbortSignal,
): Promise<void> {
  // Reading the composed stream throws the errors of both streams.
  const text = compose(createReadStream(path), createGunzip({ chunkSize: PIECE_BYTES }), () => {});
  const reader = new LineReader(addAbortSignal(stopped, text));
  try {
    await sql.begin(async (transaction) => {
      await readAll(transaction as TransactionSql, reader, progress);
      await checkSecrets(transaction as TransactionSql, vault);
    });
  } catch (error) {
    throw hasCode(error, ...UNREADABLE)
      ? new Error("the file is incomplete or damaged: export again")
      : error;
  } finally {
    text.destroy();
  }
}

async function readAll(sql: TransactionSql, reader: LineReader, progress: Progress): Promise<void> {
  const manifest = (await reader.json()) as Manifest | null;
  if (manifest?.format !== FORMAT) throw new Error("the file is not an export of Hermod");
  if (manifest.migration !== (await lastMigration(sql)))
    throw new Error(
      `the file was written by version ${manifest.version}, and this is ${VERSION}: import it with that version, then upgrade`,
    );
  const tables = movedTables();
  await emptyTables(sql, tables);
  const ranges = await readTimeRanges(sql);
  await rebuild(sql, ranges, { replaced: ranges.map(({ range }) => range), by: manifest.ranges }, "drop");
  for (const table of tables) {
    const head = (await reader.json()) as MovedTable | null;
    if (head?.name !== table.name)
      throw new Error(`the file is incomplete: it lacks the table ${table.name}; export again`);
    progress.begin(table.name);
    const insertion = await insertionOf(sql, head);
    for await (const rows of reader.rows()) {
      await sql.unsafe(insertion, [`[${rows.join(",")}]`], { prepare: true });
      progress.add(rows.length);
    }
    progress.end();
  }
  await sql`select setval(pg_get_serial_sequence('feed_outbox', 'id'), coalesce(max(id), 0) + 1, false) from feed_outbox`;
  const end = (await reader.json()) as ExportEnd | null;
  if (end?.rows !== progress.total)
    throw new Error("the file is incomplete: it lacks rows or its end; export again");
}

// Inserts rows from one parameter. With COPY, postgres.js would wait for ever if Postgres refuses the last rows of a table.
async function insertionOf(sql: TransactionSql, { name, columns }: MovedTable): Promise<string> {
  const types = await typesOf(sql, name);
  const values = columns.map((column, i) => `(r->>${i})::${types.get(column)}`).join(", ");
  return `insert into ${quoted(name)} (${quoted(...columns)}) overriding system value
    select ${values} from jsonb_array_elements($1::text::jsonb) r`;
}

async function typesOf(sql: TransactionSql, table: string): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ name: string; type: string }[]>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0
  `;
  return new Map(rows.map(({ name, type }) => [name, type]));
}

/** Number of plans that the migrations create. */
const BUILT_IN_PLANS = 4;

/**
 * Deletes the rows of migrations and of a first start: the built-in plans, the default account and its admin key. Throws if
 * anybody has made anything else that an import would replace.
 */
async function emptyTables(sql: TransactionSql, tables: readonly MovedTable[]): Promise<void> {
  // Waits for running writes, and blocks later ones until the import commits.
  await sql.unsafe(`lock table ${quoted(...tables.map(({ name }) => name))} in access exclusive mode`);
  const [used] = await sql`
    (select from endpoints limit 1) union all (select from deliveries limit 1) union all (select from events limit 1)
    union all (select from event_types limit 1) union all (select from accounts offset 1 limit 1)
    union all (select from api_keys offset 1 limit 1) union all (select from plans offset ${BUILT_IN_PLANS} limit 1)
  `;
  if (used) throw new Error("the database is in use: import into an empty one");
  await sql.unsafe(`truncate ${quoted(...tables.map(({ name }) => name))} cascade`);
}

async function checkSecrets(sql: TransactionSql, vault: Vault): Promise<void> {
  // Replaces the database by the transaction, since no other connection sees the imported secrets yet.
  const inside = { run: <T>(work: (sql: Sql) => Promise<T>) => work(sql as unknown as Sql) };
  const unreadable = await countUnreadable((opener) => sealedEndpoints(inside, opener), vault);
  if (unreadable === 0) return;
  throw new Error(
    `HERMOD_ENCRYPTION_KEY does not open the secrets of ${unreadable} endpoints: give the key of the old installation`,
  );
}
