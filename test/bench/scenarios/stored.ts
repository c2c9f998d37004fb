import type postgres from "postgres";

/** What a Postgres has written so far. Sizes in bytes. */
export type Stored = Readonly<{ wal: number; tables: number; indexes: number; commits: number }>;

export async function stored(sql: postgres.Sql): Promise<Stored> {
  const [row] = await sql<Stored[]>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal,
      (select sum(pg_table_size(oid))::float8 from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace) as tables,
      (select sum(pg_relation_size(oid))::float8 from pg_class where relkind = 'i' and relnamespace = 'public'::regnamespace) as indexes,
      (select xact_commit::float8 from pg_stat_database where datname = current_database()) as commits`;
  if (!row) throw new Error("Postgres did not say what it has stored");
  return row;
}
