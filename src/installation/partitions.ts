import type { Database } from "../db/database";
import { fixSetting } from "./setting";

/**
 * Fixes the number of partitions at the first start. Rows contain their endpoint's partition, so a process with another
 * number must not run beside the others.
 */
export async function checkPartitions(db: Database, partitions: number): Promise<void> {
  const fixed = await fixSetting(db, "partitions", String(partitions));
  if (Number(fixed) === partitions) return;
  throw new Error(
    `HERMOD_PARTITIONS is ${partitions}, but this installation was made with ${fixed}: it can't change`,
  );
}
