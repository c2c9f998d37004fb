import type { Database } from "./db/database";

/**
 * Checks what is fixed once for the whole installation. The partition of an endpoint is in its rows and in its
 * subjects, so a process that counts partitions otherwise must not run beside the others.
 */
export async function checkInstallation(database: Database, partitions: number): Promise<void> {
  const [row] = await database.run(
    (sql) => sql<{ value: string }[]>`
      with fixed as (
        insert into settings (name, value) values ('partitions', ${String(partitions)})
        on conflict (name) do nothing returning value
      )
      select value from fixed union all select value from settings where name = 'partitions' limit 1`,
  );
  if (row && Number(row.value) !== partitions) {
    throw new Error(
      `HERMOD_PARTITIONS is ${partitions}, but this installation was made with ${row.value}: it can't change`,
    );
  }
}
