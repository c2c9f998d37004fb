import type { Database } from "../db/database";
import { fixSetting } from "./setting";

/**
 * The partition of an endpoint is in its rows, so the first process fixes their number, and one that
 * counts them otherwise must not run beside the others.
 */
export async function checkPartitions(db: Database, partitions: number): Promise<void> {
  const fixed = await fixSetting(db, "partitions", String(partitions));
  if (Number(fixed) === partitions) return;
  throw new Error(
    `HERMOD_PARTITIONS is ${partitions}, but this installation was made with ${fixed}: it can't change`,
  );
}
