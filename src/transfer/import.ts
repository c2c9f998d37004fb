import { createReadStream } from "node:fs";
import { pipeline as compose, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { Sql, TransactionSql } from "../db/pool";
import { sealedEndpoints } from "../endpoints/resealing";
import { readTimeRanges, rebuild } from "../retention/range-tables";
import { VERSION } from "../runtime/version";
import { countUnreadable } from "../vault/resealing";
import type { Vault } from "../vault/vault";
import { type End, FORMAT, LineReader, type Manifest } from "./export-file";
import { lastMigration, type MovedTable, movedTables, quoted, setTextFormats } from "./tables";

/**
 * Reads an export into a database with the migrations and no data, in one transaction. Throws if the file is
 * not whole or of another version, if the database is in use, or if the vault does not open the secrets. Returns the
 * number of rows.
 */
export async function importFrom(sql: Sql, path: string, vault: Vault): Promise<number> {
  // Reading the composed stream throws the errors of both streams.
  const text = compose(createReadStream(path), createGunzip(), () => {});
  const reader = new LineReader(text);
  try {
    return await sql.begin(async (transaction) => {
      const rows = await readAll(transaction as TransactionSql, reader);
      await checkSecrets(transaction as TransactionSql, vault);
      return rows;
    });
  } finally {
    text.destroy();
  }
}

async function readAll(sql: TransactionSql, reader: LineReader): Promise<number> {
  const manifest = (await reader.json()) as Manifest | null;
  if (manifest?.format !== FORMAT) throw new Error("the file is not an export of Hermod");
  if (manifest.migration !== (await lastMigration(sql)))
    throw new Error(
      `the file was written by version ${manifest.version}, and this is ${VERSION}: import it with that version, then upgrade`,
    );
  await setTextFormats(sql);
  const tables = movedTables();
  await emptyTables(sql, tables);
  const ranges = await readTimeRanges(sql);
  await rebuild(sql, ranges, { replaced: ranges.map(({ range }) => range), by: manifest.ranges }, "drop");
  for (const table of tables) {
    const head = (await reader.json()) as MovedTable | null;
    if (head?.name !== table.name)
      throw new Error(`the file is incomplete: it lacks the table ${table.name}; export again`);
    const into = `copy ${quoted(head.name)} (${quoted(...head.columns)}) from stdin`;
    await pipeline(Readable.from(reader.rows()), await sql.unsafe(into).writable());
  }
  await sql`select setval(pg_get_serial_sequence('feed_outbox', 'id'), coalesce(max(id), 0) + 1, false) from feed_outbox`;
  const end = (await reader.json()) as End | null;
  if (typeof end?.rows !== "number") throw new Error("the file is incomplete: it has no end; export again");
  return end.rows;
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
