import type { AnySql } from "../db/pool";

/** The tables of a cold block, in the order of its lines. */
export const BLOCK_TABLES = ["events", "deliveries", "results", "attempts"] as const;
export type BlockTable = (typeof BLOCK_TABLES)[number];

/** The rows of a cold block: by table, one JSON text a row. */
export type BlockRows = Readonly<Record<BlockTable, readonly string[]>>;

/** The bytes of a file, and their SHA-256 in hexadecimal. */
export type BlockFile = Readonly<{ bytes: Uint8Array; digest: string }>;

const headOf = (table: BlockTable) => `{"table":"${table}","row":`;

/** Writes one line of JSON a row, `{"table":"deliveries","row":{…}}`, compressed by zstd. */
export async function encodeBlock(rows: BlockRows): Promise<BlockFile> {
  const lines = BLOCK_TABLES.flatMap((table) => rows[table].map((row) => `${headOf(table)}${row}}\n`));
  const bytes = await Bun.zstdCompress(lines.join(""));
  return { bytes, digest: digestOf(bytes) };
}

/** Reads the rows. Throws if the bytes are not those that were written. */
export async function decodeBlock(bytes: Uint8Array, digest: string): Promise<BlockRows> {
  if (digestOf(bytes) !== digest) throw new Error("the file of a cold block differs from its checksum");
  const lines = (await Bun.zstdDecompress(bytes)).toString("utf8").split("\n");
  const rowsOf = (table: BlockTable) => {
    const head = headOf(table);
    return lines.filter((line) => line.startsWith(head)).map((line) => line.slice(head.length, -1));
  };
  return {
    events: rowsOf("events"),
    deliveries: rowsOf("deliveries"),
    results: rowsOf("results"),
    attempts: rowsOf("attempts"),
  };
}

function digestOf(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}

/** Joins rows to a JSON array. */
export function listOf(rows: readonly string[]): string {
  return `[${rows.join(",")}]`;
}

/** Inserts the rows into the tables of these names that the session finds first. */
export async function insertRows(sql: AnySql, rows: BlockRows): Promise<void> {
  for (const table of BLOCK_TABLES) {
    if (rows[table].length === 0) continue;
    // Unprepared: the temporary tables of each read are new ones.
    await sql.unsafe(
      `insert into ${table} select * from json_populate_recordset(null::${table}, $1::text::json)`,
      [listOf(rows[table])],
    );
  }
}
