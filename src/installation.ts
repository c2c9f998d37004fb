import type { Database } from "./db/database";

/**
 * The partition of an endpoint is in its rows, so the first process fixes their number, and one that
 * counts them otherwise must not run beside the others.
 */
export async function checkPartitions(database: Database, partitions: number): Promise<void> {
  await database.run(
    (sql) => sql`
      insert into settings (name, value) values ('partitions', ${String(partitions)}) on conflict (name) do nothing`,
  );
  const [row] = await database.run(
    (sql) => sql<{ value: string }[]>`select value from settings where name = 'partitions'`,
  );
  if (Number(row?.value) === partitions) return;
  throw new Error(
    `HERMOD_PARTITIONS is ${partitions}, but this installation was made with ${row?.value}: it can't change`,
  );
}
