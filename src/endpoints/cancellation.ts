import type { Database } from "../db/database";
import { untilNoDeadlock } from "../db/database";
import type { Sql } from "../db/pool";
import { cancelLocked } from "../deliveries/cancellation";
import { type QueueKey, SCHEDULED } from "../domain/partition";

/** Most deliveries that one statement cancels. */
export const CHUNK_ROWS = 2_000;

/**
 * Cancels a deleted endpoint's queue, chunk by chunk, until it is empty or the time is over. Resolves to true if it is empty.
 * Throws `DatabaseUnavailable`.
 */
export async function cancelQueue(
  db: Database,
  queue: QueueKey,
  isTimeOver: () => boolean,
): Promise<boolean> {
  for (;;) {
    const cancelled = await untilNoDeadlock(() => db.run((sql) => cancelChunk(sql, queue)));
    if (cancelled < CHUNK_ROWS) return true;
    if (isTimeOver()) return false;
  }
}

// Safe beside the recorder: if both end a delivery at the same moment, one of them finds it gone.
async function cancelChunk(sql: Sql, { partition, endpointId }: QueueKey): Promise<number> {
  const [row] = await sql<{ cancelled: number }[]>`
    with doomed as materialized (
      select partition, endpoint_id, sequence from queue
      where partition in (${SCHEDULED}, ${partition}) and endpoint_id = ${endpointId}
      order by partition, sequence limit ${CHUNK_ROWS}
      for update
    ),
    ${cancelLocked(sql, "endpoint_deleted")}
    select count(*) as cancelled from gone
  `;
  return row?.cancelled ?? 0;
}
