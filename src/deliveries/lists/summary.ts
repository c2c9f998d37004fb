import type { AnySql, TransactionSql } from "../../db/pool";
import { arrayOf } from "../../db/sql/arrays";
import { deliveryById } from "../../db/sql/planner";
import { unixMs } from "../../db/sql/time";
import { type AccountId, type DeliveryId, timeOf } from "../../domain/ids";
import type { DeliverySummary } from "../delivery";

/** A row of `summaryColumns`. */
export type SummaryRow = Omit<DeliverySummary, "createdAt">;

/** The columns of lists, over a delivery `d` with its result `r` and its queue row `q`. */
export function summaryColumns(sql: AnySql) {
  return sql`
    d.id, d.endpoint_id as "endpointId", d.sequence, d.event, d.ordering_key as "orderingKey",
    coalesce(r.status, 'pending')::text as status,
    coalesce(r.attempt_count, q.attempt_count, 0::smallint) as "attemptCount",
    coalesce(r.response_status, q.response_status) as "responseStatus",
    r.end_reason::text as "endReason", ${unixMs(sql, "r.completed_at")} as "completedAt"
  `;
}

/**
 * SQL: the joins for `summaryColumns`. A delivery is pending while it is queued, and then has ended. By the limit, Postgres looks
 * each delivery up in the queue, whatever its statistics are, and never scans it.
 */
export function summaryJoins(sql: AnySql) {
  return sql`
    left join results r on r.endpoint_id = d.endpoint_id and r.delivery_id = d.id
    left join lateral (
      select w.* from queue w where w.account_id = d.account_id and w.delivery_id = d.id limit 1
    ) q on true
  `;
}

/** Makes a summary of a row, without the other columns of its statement. */
export function toSummary(row: SummaryRow): DeliverySummary {
  return {
    id: row.id,
    endpointId: row.endpointId,
    sequence: row.sequence,
    event: row.event,
    orderingKey: row.orderingKey,
    status: row.status,
    attemptCount: row.attemptCount,
    responseStatus: row.responseStatus,
    endReason: row.endReason,
    createdAt: timeOf(row.id),
    completedAt: row.completedAt,
  };
}

/** Reads the summaries of deliveries. Omits deliveries that are no longer stored. */
export async function readSummaries(
  sql: AnySql,
  accountId: AccountId,
  ids: readonly DeliveryId[],
): Promise<DeliverySummary[]> {
  const rows = await sql<SummaryRow[]>`
    select ${summaryColumns(sql)}
    from unnest(${arrayOf(ids)}::uuid[]) i(id)
    cross join lateral ${deliveryById(sql, accountId, sql`i.id`)} d
    ${summaryJoins(sql)}
    order by d.id
  `;
  return rows.map(toSummary);
}

/** Reads the summary of a delivery in this transaction. Resolves to null if the account has none with this id. */
export async function readSummary(
  sql: TransactionSql,
  accountId: AccountId,
  id: DeliveryId,
): Promise<DeliverySummary | null> {
  const [row] = await sql<SummaryRow[]>`
    select ${summaryColumns(sql)} from deliveries d ${summaryJoins(sql)}
    where d.id = ${id} and d.account_id = ${accountId}
  `;
  return row ? toSummary(row) : null;
}
