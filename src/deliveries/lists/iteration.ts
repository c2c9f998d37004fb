import type { Reads } from "../../db/database";
import type { Fragment, PendingQuery, Sql } from "../../db/pool";
import { payloadOf } from "../../db/sql/event-key";
import { type AccountId, type DeliveryId, leastIdAt } from "../../domain/ids";
import type { CreatedRange, DeliverySummary } from "../delivery";
import { AFTER_ALL_IDS, BEFORE_ALL_IDS, type IteratorPosition } from "./cursor";
import { literal, roundUp } from "./row-limit";
import type { DeliverySearch } from "./search";
import { attemptJoins, payloadMatches, searches } from "./search";
import type { SearchPace, SearchPaces } from "./search-pace";
import { type SummaryRow, summaryColumns, summaryJoins, toSummary } from "./summary";

export type IteratorQuery = DeliverySearch &
  CreatedRange & {
    /**
     * `start`: from the oldest stored delivery. `now`: after all deliveries accepted so far. A position: continues there.
     */
    from: "start" | "now" | IteratorPosition;
    limit: number;
    /** Reads only deliveries with a lower stamp; by default, those whose transactions have ended, as all before them have. */
    until?: string | undefined;
  };

export type IteratorStep = {
  data: DeliverySummary[];
  /** The position behind each delivery. */
  positions: IteratorPosition[];
  /** The position behind the whole step, also if nothing was found. */
  position: IteratorPosition;
  /** True if more deliveries are available now. */
  more: boolean;
};

/** The position before all deliveries. */
export const START: IteratorPosition = { transaction: "0", id: BEFORE_ALL_IDS, seen: null };

/**
 * Reads the next deliveries, oldest first, in the order of the transactions that accepted them. Reads only transactions older
 * than every running one, so no delivery can commit behind the position. Filters and searches compare the present state of a
 * delivery: one that matches only later is not returned.
 */
export async function readNext(
  reads: Reads,
  paces: SearchPaces,
  accountId: AccountId,
  query: IteratorQuery,
): Promise<IteratorStep> {
  const { from, limit } = query;
  if (from === "now")
    return { data: [], positions: [], position: await readNow(reads, accountId), more: false };
  const position = from === "start" ? START : from;
  const isNarrowed = searches(query) || narrows(query) || position.seen !== null;
  if (isNarrowed) return searchNext(reads, paces.of(accountId, query), accountId, query, position);
  return stepFrom(reads, accountId, query, position, roundUp(limit + 1));
}

/** Reads step by step, until the page is full, no delivery is left, or the time is over. */
async function searchNext(
  reads: Reads,
  pace: SearchPace,
  accountId: AccountId,
  query: IteratorQuery,
  from: IteratorPosition,
): Promise<IteratorStep> {
  const data: DeliverySummary[] = [];
  const positions: IteratorPosition[] = [];
  let position = from;
  for (;;) {
    const rest = { ...query, limit: query.limit - data.length };
    const step = await pace.piece((scan) => stepFrom(reads, accountId, rest, position, scan));
    if (step === null) return { data, positions, position, more: true };
    data.push(...step.data);
    positions.push(...step.positions);
    position = step.position;
    if (!step.more || data.length >= query.limit || pace.isOver) return { ...step, data, positions };
  }
}

async function stepFrom(
  reads: Reads,
  accountId: AccountId,
  query: IteratorQuery,
  position: IteratorPosition,
  scan: number,
): Promise<IteratorStep> {
  const rows = await reads.runVariant((sql) => selectNext(sql, accountId, query, position, scan));
  return stepOf(rows, position, query.limit, scan);
}

function narrows(query: IteratorQuery): boolean {
  const { event, endpointId, status, createdFrom, createdBefore } = query;
  return [event, endpointId, status, createdFrom, createdBefore].some((each) => each !== undefined);
}

/** Reads the position after everything that has committed by now, and before everything else. */
export async function readNow(reads: Pick<Reads, "run">, accountId: AccountId): Promise<IteratorPosition> {
  const [row] = await reads.run(
    (sql) => sql<{ xmin: string; xmax: string; running: string }[]>`
      select stamp(a.era, pg_snapshot_xmin(s))::text as xmin, stamp(a.era, pg_snapshot_xmax(s))::text as xmax,
        (select coalesce(string_agg(stamp(a.era, x)::text, ',' order by x), '') from pg_snapshot_xip(s) x) as running
      from pg_current_snapshot() s, accounts a where a.id = ${accountId}
    `,
  );
  if (!row) throw new Error("the read of the snapshot returned no row");
  const { xmin, xmax, running } = row;
  return { transaction: xmin, id: BEFORE_ALL_IDS, seen: xmin === xmax ? null : `${xmin}:${xmax}:${running}` };
}

type ScannedTo = { scanned: number; transaction: string; lastId: DeliveryId; isPastSeen: boolean };
type StepRow = ScannedTo & ((SummaryRow & { at: string }) | { id: null });

function stepOf(rows: StepRow[], before: IteratorPosition, limit: number, scan: number): IteratorStep {
  const [first] = rows;
  // There was no delivery behind the position.
  if (!first || first.scanned === 0) return { data: [], positions: [], position: before, more: false };
  const matching = rows.filter(isListed);
  const given = matching.slice(0, limit);
  const data = given.map(toSummary);
  const positions = given.map(({ at, id }) => ({ ...before, transaction: at, id }));
  const last = positions.at(-1);
  if (last && matching.length > limit) return { data, positions, position: last, more: true };
  const seen = first.isPastSeen ? null : before.seen;
  const position = { transaction: first.transaction, id: first.lastId, seen };
  return { data, positions, position, more: first.scanned === scan };
}

function selectNext(
  sql: Sql,
  accountId: AccountId,
  query: IteratorQuery,
  { transaction, id, seen }: IteratorPosition,
  scan: number,
): PendingQuery<StepRow> {
  return sql<StepRow[]>`
    with scanned as materialized (
      select d.id, d.account_id, d.transaction, d.sequence, d.event, d.ordering_key, d.endpoint_id
        ${query.payload === undefined ? sql`` : sql`, ${payloadMatches(sql, query.payload, payloadOf(sql, "d"))} as has_fields`}
      from deliveries d
      where d.account_id = ${accountId}
        and (d.transaction, d.id) > (${transaction}::text::xid8, ${id}::uuid)
        and d.transaction < ${untilOf(sql, accountId, query)}
      order by d.transaction, d.id
      limit ${literal(sql, scan)}
    )
    select reached.*, listed.*
    from (
      select count(*) over () as scanned, s.transaction::text as transaction, s.id as "lastId",
        coalesce(s.transaction >= pg_snapshot_xmax(${seen}::text::pg_snapshot), true) as "isPastSeen"
      from scanned s order by s.transaction desc, s.id desc limit 1
    ) reached
    left join (
      select ${summaryColumns(sql)}, d.transaction::text as at, d.transaction as ordering
      from scanned d
      ${summaryJoins(sql)}
      ${attemptJoins(sql, query, { accountId, id: sql`d.id`, endpointId: sql`d.endpoint_id` })}
      where ${matching(sql, query)} and pg_visible_in_snapshot(d.transaction, ${seen}::text::pg_snapshot) is not true
      order by d.transaction, d.id
      limit ${literal(sql, roundUp(query.limit + 1))}
    ) listed on true
    order by listed.ordering, listed.id
  `;
}

function untilOf(sql: Sql, accountId: AccountId, { until }: IteratorQuery): Fragment {
  if (until !== undefined) return sql`${until}::text::xid8`;
  return sql`(select stamp(era, pg_snapshot_xmin(pg_current_snapshot())) from accounts where id = ${accountId})`;
}

/** SQL: the same text for all filters. They choose no index here, and each text would be another prepared statement. */
function matching(sql: Sql, query: IteratorQuery) {
  const { event = null, endpointId = null, status = null, payload, createdFrom, createdBefore } = query;
  const { orderingKey = null, sequence = null } = query;
  const from = createdFrom === undefined ? BEFORE_ALL_IDS : leastIdAt(createdFrom);
  const before = createdBefore === undefined ? AFTER_ALL_IDS : leastIdAt(createdBefore);
  return sql`
    (${event}::text is null or d.event = ${event})
    and (${endpointId}::uuid is null or d.endpoint_id = ${endpointId})
    and (${status}::text is null or coalesce(r.status, 'pending')::text = ${status})
    and (${orderingKey}::text is null or d.ordering_key = ${orderingKey})
    and (${sequence}::bigint is null or d.sequence = ${sequence})
    and ${payload === undefined ? sql`true` : sql`d.has_fields`}
    and d.id >= ${from} and d.id < ${before}
  `;
}

function isListed<T extends { id: string | null }>(row: T): row is T & SummaryRow & { at: string } {
  return row.id !== null;
}
