import postgres from "postgres";

const PARTITIONS = 64;

/**
 * Assigns every partition to a dispatcher that does not exist, so that an API sends the notices it would send to a real one.
 * The returned function releases the partitions. Does nothing without partitions.
 */
export async function absentDispatcher(databaseUrl: string): Promise<() => Promise<void>> {
  const sql = postgres(databaseUrl, { max: 1, fetch_types: false, onnotice: () => {} });
  const owner = crypto.randomUUID();
  const [table] = await sql<{ name: string | null }[]>`select to_regclass('partition_leases')::text as name`;
  if (table?.name) {
    await sql`
      insert into partition_leases (partition, owner, expires_at)
      select p, ${owner}::uuid, 'infinity' from generate_series(0, ${PARTITIONS - 1}::integer) p
      on conflict (partition) do update set owner = excluded.owner, expires_at = excluded.expires_at`;
  }
  return async () => {
    if (table?.name)
      await sql`update partition_leases set owner = null, expires_at = null where owner = ${owner}::uuid`;
    await sql.end({ timeout: 5 });
  };
}
