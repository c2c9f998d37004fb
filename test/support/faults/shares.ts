import type { Cluster } from "./cluster";

/** Returns how many partitions each dispatcher with a valid lease owns, the largest share first. */
export async function sharesOf(cluster: Cluster): Promise<number[]> {
  const sql = await cluster.sql();
  const rows = await sql<{ count: number }[]>`
    select count(*)::float8 as count from partition_leases
    where owner is not null and expires_at > now() group by owner order by 1 desc`;
  return rows.map(({ count }) => count);
}
