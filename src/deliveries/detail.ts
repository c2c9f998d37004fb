import type { Database } from "../db/database";
import type { Sql } from "../db/pool";
import { eventIdSql, payloadOf } from "../db/sql/event-key";
import { unixMs } from "../db/sql/time";
import { type AccountId, type DeliveryId, timeOf } from "../domain/ids";
import { attemptsAt } from "./attempts";
import type { DeliveryDetail } from "./delivery";
import { summaryColumns, summaryJoins } from "./lists/summary";
import { orderPositionOf, type WaitingFacts, waitingFacts, waitingFor } from "./waiting";

type DetailRow = Omit<DeliveryDetail, "createdAt" | "waitingFor"> & { waiting: WaitingFacts | null };

/** Reads a delivery with all its details. Resolves to null if the account has no delivery with this id. */
export async function readDetail(
  db: Database,
  accountId: AccountId,
  id: DeliveryId,
): Promise<DeliveryDetail | null> {
  const [row] = await db.run((sql) => selectDetail(sql, accountId, id));
  if (!row) return null;
  const { waiting, ...rest } = row;
  return { ...rest, createdAt: timeOf(id), waitingFor: waiting && waitingFor(waiting) };
}

// One statement, so that the attempts and their count are from the same moment.
function selectDetail(sql: Sql, accountId: AccountId, id: DeliveryId): Promise<DetailRow[]> {
  return sql<DetailRow[]>`
    select ${summaryColumns(sql)}, ${payloadOf(sql, "d")} as data, d.replay_of as "replayOf",
      d.event_external_id as "eventExternalId",
      (
        select v.id from events v
        where v.account_id = d.account_id and v.id = ${sql.unsafe(eventIdSql("coalesce(d.replay_of, d.id)"))}
      ) as "eventId",
      (
        select ${unixMs(sql, "e.erased_at")} from erasures e where e.delivery_id = d.id
      ) as "erasedAt",
      ${unixMs(sql, "d.due_at")} as "dueAt",
      ${unixMs(sql, "q.next_attempt_at")} as "nextAttemptAt",
      ${waitingFacts(sql)} as waiting, ${orderPositionOf(sql)} as place,
      (
        select coalesce(json_agg(json_build_object(
            'attempt', a.attempt,
            'isPulled', a.exchange is null,
            'status', a.status,
            'error', a.error,
            'errorDetail', a.error_detail,
            'location', a.location,
            'startedAt', ${unixMs(sql, "a.started_at")},
            'durationMs', a.duration_ms,
            'responseBody', a.response_body,
            'exchange', a.exchange
          ) order by a.attempt), '[]'::json)
        from ${attemptsAt(sql, sql`d.id`, sql`d.endpoint_id`)} a
      ) as attempts
    from deliveries d
    ${summaryJoins(sql)}
    where d.id = ${id} and d.account_id = ${accountId}
  `;
}
