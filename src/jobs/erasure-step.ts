import type { TransactionSql } from "../db/pool";
import type { ShortenedQueue } from "../deliveries/cancellation";
import { erasePayloads } from "../deliveries/erasure";
import type { DeliveryId } from "../runtime/ids";
import type { Progress, RunningJob } from "./job";
import { selectRange } from "./range";

/** Deliveries looked at in a step. */
const SCAN = 500;

/** Erases the payloads of the next deliveries in an erasure's range. */
export async function erasureStep(
  sql: TransactionSql,
  job: RunningJob,
  announceQueue: (queue: ShortenedQueue) => void,
): Promise<Progress> {
  const { accountId, event, position, lookedAt, done } = job;
  const ahead = await sql<{ id: DeliveryId; isWanted: boolean }[]>`
    ${selectRange(sql, job, sql`i.id, ${event}::text is null or i.event = ${event} as "isWanted"`)} limit ${SCAN}
  `;
  const wanted = ahead.filter((each) => each.isWanted).map(({ id }) => id);
  const { count, shortened } = await erasePayloads(sql, accountId, wanted);
  return {
    position: ahead.at(-1)?.id ?? position,
    lookedAt: lookedAt + ahead.length,
    done: done + count,
    next: ahead.length < SCAN ? "completed" : { afterMs: 0 },
    announce: () => {
      for (const queue of shortened) announceQueue(queue);
    },
  };
}
