import { eq } from "drizzle-orm";
import type { Database } from "../db/database";
import { settings } from "../db/schema";
import { typed } from "../db/typed";

/**
 * Fixes the number of partitions at the first start, and throws if another number is configured later. Rows contain their
 * endpoint's partition, so all processes must use the same number.
 */
export async function checkPartitions(db: Database, partitions: number): Promise<void> {
  const fixed = await fixSetting(db, "partitions", String(partitions));
  if (Number(fixed) === partitions) return;
  throw new Error(
    `HERMOD_PARTITIONS is ${partitions}, but this installation was made with ${fixed}: it can't change`,
  );
}

/** A setting that is fixed for the whole installation. */
export type FixedSettingName = "partitions" | "encryption_key";

/** A setting that administrators change. */
type ChangingSettingName = "accepts_accounts";

/** Writes the value of a setting that may change. */
export async function writeSetting(db: Database, name: ChangingSettingName, value: string): Promise<void> {
  const row = { name, value };
  const change = { target: settings.name, set: { value } };
  await db.run((sql) => typed(sql).insert(settings).values(row).onConflictDoUpdate(change));
}

/** Returns the value; null if there is none yet. */
export async function readSetting(
  db: Database,
  name: FixedSettingName | ChangingSettingName,
): Promise<string | null> {
  const [row] = await db.run((sql) => typed(sql).select().from(settings).where(eq(settings.name, name)));
  return row?.value ?? null;
}

/**
 * Fixes the value, unless it is fixed already. If several processes start at once, the first one's value stays, and all get it.
 */
export async function fixSetting(db: Database, name: FixedSettingName, value: string): Promise<string> {
  await db.run((sql) => typed(sql).insert(settings).values({ name, value }).onConflictDoNothing());
  const fixed = await readSetting(db, name);
  if (fixed === null) throw new Error(`the setting ${name} vanished from the database`);
  return fixed;
}
