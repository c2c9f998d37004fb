import type { Database } from "../db/database";

/** What is fixed once for the whole installation. */
export type SettingName = "partitions" | "encryption_key";

/** Null when it is not fixed yet. */
export async function readSetting(db: Database, name: SettingName): Promise<string | null> {
  const [row] = await db.run(
    (sql) => sql<{ value: string }[]>`select value from settings where name = ${name}`,
  );
  return row?.value ?? null;
}

/** Fixes it, unless it is. Of several processes that start at once the first one's value stays, and all get that one. */
export async function fixSetting(db: Database, name: SettingName, value: string): Promise<string> {
  await db.run(
    (sql) => sql`insert into settings (name, value) values (${name}, ${value}) on conflict (name) do nothing`,
  );
  const fixed = await readSetting(db, name);
  if (fixed === null) throw new Error(`the setting ${name} vanished from the database`);
  return fixed;
}
