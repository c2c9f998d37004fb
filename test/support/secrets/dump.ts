import { readFile } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import type { Corpus } from "./search";

/** Returns every row of every table as text, each connection's last statement, and the server's log. */
export async function dumpDatabase(url: string): Promise<Corpus[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const tables = await sql<{ name: string }[]>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')
    `;
    const rows = tables.map(async ({ name }) => {
      const lines = await sql.unsafe<{ line: string }[]>(`select t::text as line from ${name} t`);
      return { name: `table ${name}`, text: lines.map(({ line }) => line).join("\n") };
    });
    const queries = await sql<{ query: string }[]>`
      select query from pg_stat_activity where datname = current_database()`;
    return [
      ...(await Promise.all(rows)),
      { name: "pg_stat_activity", text: queries.map(({ query }) => query).join("\n") },
      { name: "Postgres' log", text: await serverLog(sql) },
    ];
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Returns an empty text if the server is not ours. */
async function serverLog(sql: postgres.Sql): Promise<string> {
  const [row] = await sql<
    { folder: string | null }[]
  >`select current_setting('hermod.data_dir', true) as folder`;
  return row?.folder ? readFile(join(row.folder, "logs", "postgres.log"), "utf8") : "";
}
