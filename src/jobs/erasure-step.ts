import type { TransactionSql } from "../db/pool";
import { type Erased, erasePayloads } from "../deliveries/erasure";
import type { DeliveryId } from "../domain/ids";
import type { Erasure, Progress, RunningJob } from "./job";
import { rangeOf, selectRange } from "./range";

/** Deliveries that a step looks at. */
const SCAN = 500;

/** Erases the payloads of the next deliveries in an erasure's range. */
export async function erasureStep(
  sql: TransactionSql,
  job: RunningJob<Erasure>,
  announceErasure: (erased: Erased) => void,
): Promise<Progress> {
  const { accountId, event, position, lookedAt, done } = job;
  const range = await rangeOf(sql, job);
  const ahead = await sql<{ id: DeliveryId; isWanted: boolean }[]>`
    ${selectRange(sql, range, sql`i.id, ${event}::text is null or i.event = ${event} as "isWanted"`, SCAN)}
  `;
  const wanted = ahead.filter((each) => each.isWanted).map(({ id }) => id);
  const erased = await erasePayloads(sql, accountId, wanted);
  return {
    position: ahead.at(-1)?.id ?? position,
    lookedAt: lookedAt + ahead.length,
    done: done + erased.deliveries.length,
    next: ahead.length < SCAN ? "completed" : "on",
    announce: () => announceErasure(erased),
  };
}
