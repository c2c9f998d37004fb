import { and, eq, inArray } from "drizzle-orm";
import { LOCKS } from "../db/advisory-locks";
import type { Fragment, TransactionSql } from "../db/pool";
import { endpoints, events } from "../db/schema";
import { filterMatchesSql } from "../db/sql/event-filter";
import { lastIdSql, payloadOf } from "../db/sql/event-key";
import { typed } from "../db/typed";
import { type DeliveryId, type EndpointId, type EventId, hopsOf } from "../domain/ids";
import { tryFilter } from "../event-types/filter/try-filter";
import type { RulesThreads } from "../event-types/rules-threads";
import { ACCEPTS_EVENTS } from "../intake/accept";
import type { Replays } from "../intake/replays/replays";
import type { JobPosition, JobProgress, MissingReplay, Replay, RunningJob } from "./job";
import { type JobCandidate, rangeOf, selectEvents, selectRange } from "./range";

/** Most deliveries or events that a step reads, and most characters of payload that it sends. */
export const SCAN = 500;
const MAX_CHARACTERS = 2 * 1_048_576;
/**
 * A replay pauses while its endpoint has this many pending deliveries. So a new delivery waits for at most this many
 * deliveries of the replay, and a replay runs at its receiver's speed.
 */
export const MAX_PENDING = 100;

/** The failure of a job that would exceed the month's limit. */
export const OVER_LIMIT = "The plan's limit of webhooks a month is reached";

/** The candidates to send, and the last one read. */
export type Choice<Id extends JobPosition = DeliveryId> = {
  chosen: Id[];
  position: Id | null;
  examined: number;
};

/** Chooses wanted candidates in order, at least one, until `capacity` or the limit of characters is used up. */
export function choose<Id extends JobPosition>(
  candidates: readonly JobCandidate<Id>[],
  capacity: number,
): Choice<Id> {
  const chosen: Id[] = [];
  let characters = 0;
  let examined = 0;
  for (const { id, isWanted, size } of candidates) {
    if (isWanted) {
      const isFull = chosen.length >= capacity || (chosen.length > 0 && characters + size > MAX_CHARACTERS);
      if (isFull) break;
      chosen.push(id);
      characters += size;
    }
    examined++;
  }
  return { chosen, examined, position: candidates[examined - 1]?.id ?? null };
}

/** Sends the next deliveries of a replay's range again. */
export function replayStep(
  sql: TransactionSql,
  job: RunningJob<Replay>,
  replays: Replays,
): Promise<JobProgress> {
  const { accountId, id } = job;
  return replayNext(sql, job, {
    find: async () => {
      const candidates = await selectDeliveries(sql, job);
      return { candidates, isEnd: candidates.length < SCAN };
    },
    accept: (chosen) => replays.accept(sql, { accountId, hops: hopsOf(id) }, chosen),
    announce: (rows) => replays.announce(accountId, rows),
  });
}

/** Sends the next events of the range that the endpoint wants and never got. */
export async function missingReplayStep(
  sql: TransactionSql,
  job: RunningJob<MissingReplay>,
  replays: Replays,
  judge: FilterJudge,
): Promise<JobProgress> {
  const { accountId, endpointId, position, examined, done } = job;
  if (examined === 0 && (await mayStillMiss(sql, job)))
    return { position, examined, done, next: "stalled", afterCommit: () => {} };
  return replayNext(sql, job, {
    find: async () => {
      const all = await selectMissing(sql, job);
      const candidates = await wantedByFilter(sql, job, all, judge);
      return { candidates, isEnd: all.length < SCAN && candidates.length === all.length };
    },
    accept: (chosen) => replays.acceptMissing(sql, accountId, endpointId, chosen),
    announce: (rows) => replays.announce(accountId, rows),
  });
}

/** The functions with which `replayNext` finds and sends the items of a job. */
type ReplaySource<Id extends JobPosition, Row extends { source: Id; accepted: boolean }> = {
  /** Returns the next candidates. `isEnd` is true if the range has no more. */
  find(): Promise<{ candidates: JobCandidate<Id>[]; isEnd: boolean }>;
  accept(chosen: readonly Id[]): Promise<Row[]>;
  announce(accepted: readonly Row[]): void;
};

/** Sends the next items of the range, until the endpoint has `MAX_PENDING` pending deliveries. */
async function replayNext<Id extends JobPosition, Row extends { source: Id; accepted: boolean }>(
  sql: TransactionSql,
  { endpointId, position, examined, done }: RunningJob<Replay | MissingReplay>,
  { find, accept, announce }: ReplaySource<Id, Row>,
): Promise<JobProgress> {
  const unmoved = { position, examined, done, afterCommit: () => {} };
  if (!(await isAlone(sql, endpointId))) return { ...unmoved, next: "stalled" };
  const pending = await countPending(sql, endpointId);
  if (pending === null) return { ...unmoved, next: { failure: "The endpoint was deleted" } };
  const capacity = MAX_PENDING - pending;
  if (capacity <= 0) return { ...unmoved, next: "stalled" };
  const { candidates, isEnd } = await find();
  const choice = choose(candidates, capacity);
  const rows = choice.chosen.length === 0 ? [] : await accept(choice.chosen);
  const accepted = rows.filter((row) => row.accepted);
  const refused = rows.find((row) => !row.accepted);
  // Stops before the first item over the month's limit, where a later replay may start.
  const end = refused ? before(candidates, refused.source) : choice;
  return {
    position: end.position ?? position,
    examined: examined + end.examined,
    done: done + accepted.length,
    next: refused
      ? { failure: OVER_LIMIT }
      : isEnd && choice.examined === candidates.length
        ? "completed"
        : "on",
    afterCommit: () => announce(accepted),
  };
}

function before<Id extends JobPosition>(candidates: readonly JobCandidate<Id>[], id: Id) {
  const examined = candidates.findIndex((each) => each.id === id);
  return { examined, position: candidates[examined - 1]?.id ?? null };
}

/** Returns false while another process runs a replay's step to the same endpoint: each would fill up to `MAX_PENDING`. */
async function isAlone(sql: TransactionSql, endpointId: EndpointId): Promise<boolean> {
  const [row] = await sql<{ isAlone: boolean }[]>`
    select pg_try_advisory_xact_lock(${LOCKS.replays} # hashtextextended(${endpointId}, 0)) as "isAlone"
  `;
  return row?.isAlone ?? false;
}

/** Counts the endpoint's pending deliveries, up to `MAX_PENDING`; returns null if the endpoint is deleted. */
async function countPending(sql: TransactionSql, endpointId: EndpointId): Promise<number | null> {
  const [row] = await sql<{ pending: number }[]>`
    select (
      select count(*) from (
        select from queue q where q.partition = m.partition and q.endpoint_id = m.endpoint_id limit ${MAX_PENDING}
      ) as counted
    ) as pending
    from mailboxes m where m.endpoint_id = ${endpointId}
  `;
  return row?.pending ?? null;
}

/** Selects candidates. Wanted are first deliveries with the task's outcome that the endpoint's filter still matches. */
async function selectDeliveries(sql: TransactionSql, job: RunningJob<Replay>): Promise<JobCandidate[]> {
  const { status, event } = job;
  const range = await rangeOf(sql, job);
  const ended = status === null ? sql`r.status in ('delivered', 'failed')` : sql`r.status = ${status}`;
  const columns: Fragment = sql`
    i.id, coalesce(octet_length(${payloadOf(sql, "i")}), 0) as size,
    i.replay_of is null and i.data is distinct from '' and (${event}::text is null or i.event = ${event})
      and ${sql.unsafe(filterMatchesSql)}
      and exists (select from results r where r.endpoint_id = i.endpoint_id and r.delivery_id = i.id and ${ended}) as "isWanted"
  `;
  return sql<JobCandidate[]>`
    select c.* from endpoints e cross join lateral (
      ${selectRange(sql, range, columns, SCAN)}
    ) as c
    where e.id = ${job.endpointId}
    order by c.id
  `;
}

/**
 * True while an intake statement runs that began before the job. It may not see that the endpoint wants its events, and commit
 * them behind the job's position. Statements that begin later see it.
 */
async function mayStillMiss(sql: TransactionSql, { createdAt }: RunningJob): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select from pg_stat_activity a
      where a.datname = current_database() and a.state = 'active' and a.pid <> pg_backend_pid()
        and a.query like ${`%${ACCEPTS_EVENTS}%`} and a.xact_start < ${new Date(createdAt + 1)}
    ) as found
  `;
  return row?.found ?? true;
}

/** Selects candidates. Wanted are events that the endpoint's filter matches and of which it has no delivery. */
async function selectMissing(
  sql: TransactionSql,
  job: RunningJob<MissingReplay>,
): Promise<JobCandidate<EventId>[]> {
  const range = await rangeOf(sql, job);
  const isOfEvent: Fragment = sql`> i.id and delivery_id <= ${sql.unsafe(lastIdSql("i.id"))}`;
  const columns: Fragment = sql`
    i.id, octet_length(i.data) as size,
    i.data <> '' and ${sql.unsafe(filterMatchesSql)}
      and not exists (select from results where endpoint_id = e.id and delivery_id ${isOfEvent})
      and not exists (
        select from queue where account_id = e.account_id and endpoint_id = e.id and delivery_id ${isOfEvent}
      ) as "isWanted"
  `;
  return sql<JobCandidate<EventId>[]>`
    select c.* from endpoints e cross join lateral (
      ${selectEvents(sql, range, columns, SCAN)}
    ) as c
    where e.id = ${job.endpointId}
    order by c.id
  `;
}

/** Evaluates filters on payloads. */
export type FilterJudge = Pick<RulesThreads, "filter">;

/** Most bytes of payload that one step evaluates. */
const MAX_BYTES = 4_194_304;

/**
 * Unmarks the candidates that the endpoint's payload filter does not match. Returns the candidates before the first one that
 * it could not evaluate in this step. Throws `QueueFull`.
 */
export async function wantedByFilter(
  sql: TransactionSql,
  { accountId, endpointId }: RunningJob<MissingReplay>,
  candidates: readonly JobCandidate<EventId>[],
  judge: FilterJudge,
): Promise<JobCandidate<EventId>[]> {
  const { eventTypes, filter, metadata } = endpoints;
  const [endpoint] = await typed(sql)
    .select({ endpointId: endpoints.id, eventTypes, filter, metadata })
    .from(endpoints)
    .where(eq(endpoints.id, endpointId));
  if (!endpoint || endpoint.filter === null) return [...candidates];
  const asked = within(candidates.filter(({ isWanted }) => isWanted));
  const ids = asked.map(({ id }) => id);
  const payloads = await typed(sql)
    .select({ id: events.id, event: events.event, data: events.data })
    .from(events)
    .where(and(eq(events.accountId, accountId), inArray(events.id, ids)))
    .orderBy(events.id);
  const verdicts = await tryFilter(judge, accountId, endpoint, payloads);
  const verdictOf = new Map(verdicts.map((verdict, i) => [payloads[i]?.id, verdict]));
  const end = candidates.findIndex(({ id, isWanted }) => isWanted && !verdictOf.has(id));
  return candidates
    .slice(0, end === -1 ? candidates.length : end)
    .map((each) => ({ ...each, isWanted: verdictOf.get(each.id) === "match" }));
}

/** The first candidates that fit, at least one. */
function within(candidates: readonly JobCandidate<EventId>[]): JobCandidate<EventId>[] {
  let bytes = 0;
  return candidates.filter(({ size }, i) => {
    bytes += size;
    return i === 0 || bytes <= MAX_BYTES;
  });
}
