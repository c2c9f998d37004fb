import type { Database } from "../db/database";
import { untilNoDeadlock } from "../db/deadlock";
import type { Sql } from "../db/pool";
import type { QueueKey } from "../db/queue-key";
import { cancelDoomed } from "../deliveries/cancellation";

/** Deliveries cancelled by one statement. */
export const CHUNK_ROWS = 2_000;

/**
 * Cancels what is queued for a deleted endpoint, chunk by chunk, until nothing is left or the time is over. True when nothing
 * is left. Throws `DatabaseUnavailable`.
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

// A delivery that is recorded at the same moment is either gone from the queue when its lock is had, or
// the record finds it gone.
async function cancelChunk(sql: Sql, { partition, endpointId }: QueueKey): Promise<number> {
  const [row] = await sql<{ cancelled: number }[]>`
    with doomed as materialized (
      select partition, endpoint_id, sequence from queue
      where partition = ${partition} and endpoint_id = ${endpointId}
      order by sequence limit ${CHUNK_ROWS}
      for update
    ),
    ${cancelDoomed(sql, "endpoint_deleted")}
    select count(*) as cancelled from gone
  `;
  return row?.cancelled ?? 0;
}
