import type { Thawing } from "../cold/thawing";
import type { Fragment, TransactionSql } from "../db/pool";
import { eventIdFrom, eventIdSql } from "../db/sql/event-key";
import { type Erased, erasePayloads } from "../deliveries/erasure";
import type { DeliveryId, EventId } from "../domain/ids";
import type { Erasure, JobProgress, RunningJob } from "./job";
import { rangeOf, selectEvents, selectRange } from "./range";

/** Most deliveries and events that a step reads. */
const SCAN = 500;
/** Most deliveries of events that a step erases along with their events. */
const MAX_SHARED = 10_000;

type ErasureCandidate = { id: DeliveryId | EventId; isWanted: boolean; shared: number };

export type ErasureStepOptions = { thawing?: Thawing | null; mostShared?: number };

/** Erases the payloads of the next deliveries and events in an erasure's range. */
export async function erasureStep(
  sql: TransactionSql,
  job: RunningJob<Erasure>,
  afterErasure: (erased: Erased) => void,
  { thawing = null, mostShared = MAX_SHARED }: ErasureStepOptions = {},
): Promise<JobProgress> {
  const { accountId, position, examined, done } = job;
  const ahead = await selectAhead(sql, job);
  const chosen = choose(ahead, mostShared);
  const wanted = chosen.filter((each) => each.isWanted).map(({ id }) => id);
  const erased = await erasePayloads(sql, accountId, wanted, thawing);
  return {
    position: chosen.at(-1)?.id ?? position,
    examined: examined + chosen.length,
    done: done + erased.deliveries.length + erased.events.length,
    next: ahead.length < SCAN && chosen.length === ahead.length ? "completed" : "on",
    afterCommit: () => afterErasure(erased),
  };
}

/** Chooses the first items, at least one, while their events have few deliveries in all. Their payloads are erased too. */
function choose(ahead: readonly ErasureCandidate[], most: number): readonly ErasureCandidate[] {
  const events = new Set<EventId>();
  let deliveries = 0;
  for (const [i, { id, isWanted, shared }] of ahead.entries()) {
    if (!isWanted || events.has(eventIdFrom(id))) continue;
    events.add(eventIdFrom(id));
    deliveries += shared;
    if (i > 0 && deliveries > most) return ahead.slice(0, i);
  }
  return ahead;
}

async function selectAhead(sql: TransactionSql, job: RunningJob<Erasure>): Promise<ErasureCandidate[]> {
  const { event, endpointId } = job;
  const range = await rangeOf(sql, job);
  const columns: Fragment = sql`
    i.id, ${event}::text is null or i.event = ${event} as "isWanted", coalesce((
      select v.delivery_count from events v
      where v.account_id = i.account_id and v.id = ${sql.unsafe(eventIdSql("i.id"))} and v.data <> '' limit 1
    ), 0) as shared
  `;
  // An event may have no delivery.
  const ofEvents: Fragment =
    endpointId === null ? sql`union all (${selectEvents(sql, range, columns, SCAN)})` : sql``;
  return sql<ErasureCandidate[]>`
    select * from ((${selectRange(sql, range, columns, SCAN)}) ${ofEvents}) ahead
    order by id limit ${SCAN}
  `;
}
