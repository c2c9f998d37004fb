import type { Sql } from "../db/pool";
import type { AccountId } from "../runtime/ids";
import type { DeliveryStatus } from "./delivery";

/** Deliveries by how they ended, from the counters: exact, whatever the length of the history. */
export type Counts = Record<DeliveryStatus, number> & { total: number };

/** The counts of an account, or of one of its event types. */
export async function readCounts(sql: Sql, accountId: AccountId, event?: string): Promise<Counts> {
  const [row] = await sql<Counts[]>`
    select ${countColumns(sql)} from counters c
    where c.account_id = ${accountId} and ${event === undefined ? sql`true` : sql`c.event = ${event}`}
  `;
  if (!row) throw new Error("a sum has one row");
  return row;
}

const NONE: Counts = { total: 0, delivered: 0, failed: 0, cancelled: 0, pending: 0 };

/** The counts of an account and those of one of its event types; without one they are the same. */
export async function readCountsBoth(
  sql: Sql,
  accountId: AccountId,
  event: string | undefined,
): Promise<{ all: Counts; ofEvent: Counts }> {
  const rows = await sql<(Counts & { isEvent: boolean })[]>`
    select ${event === undefined ? sql`true` : sql`c.event = ${event}`} as "isEvent", ${countColumns(sql)}
    from counters c where c.account_id = ${accountId}
    group by 1
  `;
  const ofEvent = rows.find((row) => row.isEvent) ?? NONE;
  const others = rows.find((row) => !row.isEvent) ?? NONE;
  return { all: sumOf(ofEvent, others), ofEvent };
}

function sumOf(a: Counts, b: Counts): Counts {
  return {
    total: a.total + b.total,
    delivered: a.delivered + b.delivered,
    failed: a.failed + b.failed,
    cancelled: a.cancelled + b.cancelled,
    pending: a.pending + b.pending,
  };
}

/** Sums over `c` of counters. Pending is what was accepted and has not ended. */
export function countColumns(sql: Sql) {
  return sql`
    coalesce(sum(c.accepted), 0)::bigint as total,
    coalesce(sum(c.delivered), 0)::bigint as delivered,
    coalesce(sum(c.failed), 0)::bigint as failed,
    coalesce(sum(c.cancelled), 0)::bigint as cancelled,
    coalesce(sum(c.accepted - c.delivered - c.failed - c.cancelled), 0)::bigint as pending
  `;
}

/** How many deliveries a status filter leaves. */
export function countOf(counts: Counts, status: DeliveryStatus | undefined): number {
  return status === undefined ? counts.total : counts[status];
}
