import type { Cluster } from "./cluster";

/** How many partitions each dispatcher has whose lease has not run out; the largest share first. */
export async function sharesOf(cluster: Cluster): Promise<number[]> {
  const sql = await cluster.sql();
  const rows = await sql<{ count: number }[]>`
    select count(*)::float8 as count from partition_leases
    where owner is not null and expires_at > now() group by owner order by 1 desc`;
  return rows.map(({ count }) => count);
}
