import type { Database } from "./db/database";

/**
 * What is fixed once for the whole installation: the value of `name` that the first process to ask gave. Those that ask
 * at the same time get the same one.
 */
export async function fixedSetting(database: Database, name: string, value: string): Promise<string> {
  await database.run(
    (sql) => sql`insert into settings (name, value) values (${name}, ${value}) on conflict (name) do nothing`,
  );
  const [row] = await database.run(
    (sql) => sql<{ value: string }[]>`select value from settings where name = ${name}`,
  );
  if (!row) throw new Error(`the setting ${name} was not written`);
  return row.value;
}

/**
 * The partition of an endpoint is in its rows and in its subjects, so a process that counts partitions otherwise must
 * not run beside the others.
 */
export async function checkPartitions(database: Database, partitions: number): Promise<void> {
  const fixed = await fixedSetting(database, "partitions", String(partitions));
  if (Number(fixed) === partitions) return;
  throw new Error(
    `HERMOD_PARTITIONS is ${partitions}, but this installation was made with ${fixed}: it can't change`,
  );
}
