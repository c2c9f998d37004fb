import { LOCKS } from "../db/advisory-locks";
import type { Fragment, TransactionSql } from "../db/pool";
import { payloadOf } from "../db/sql/event-key";
import { type DeliveryId, type EndpointId, hopsOf } from "../domain/ids";
import { filterMatchesSql } from "../endpoints/event-filter-sql";
import type { Replays } from "../intake/replays/replays";
import type { Progress, Replay, RunningJob } from "./job";
import { rangeOf, selectRange } from "./range";

/** Deliveries that a step looks at, and characters of payload that it sends again. */
const SCAN = 500;
const MAX_CHARACTERS = 2 * 1_048_576;
/**
 * Pending deliveries at which a replay to the endpoint pauses. So new deliveries find at most this many in front of
 * them, and a replay runs at its receiver's speed.
 */
export const MAX_PENDING = 100;

/** A delivery in a job's range. */
export type Candidate = { id: DeliveryId; isWanted: boolean; size: number };

/** The candidates to send again, and the last one looked at. */
export type Choice = { chosen: DeliveryId[]; position: DeliveryId | null; lookedAt: number };

/** Takes candidates from the first one on while there is room, at least one; skips none that is wanted. */
export function choose(candidates: readonly Candidate[], room: number): Choice {
  const chosen: DeliveryId[] = [];
  let characters = 0;
  let lookedAt = 0;
  for (const { id, isWanted, size } of candidates) {
    if (isWanted) {
      const isFull = chosen.length >= room || (chosen.length > 0 && characters + size > MAX_CHARACTERS);
      if (isFull) break;
      chosen.push(id);
      characters += size;
    }
    lookedAt++;
  }
  return { chosen, lookedAt, position: candidates[lookedAt - 1]?.id ?? null };
}

/** Sends the next deliveries of a replay's range again. */
export async function replayStep(
  sql: TransactionSql,
  job: RunningJob<Replay>,
  replays: Replays,
): Promise<Progress> {
  const { accountId, endpointId, position, lookedAt, done } = job;
  const unmoved = { position, lookedAt, done, announce: () => {} };
  if (!(await isAlone(sql, endpointId))) return { ...unmoved, next: "stalled" };
  const pending = await countPending(sql, endpointId);
  if (pending === null) return { ...unmoved, next: { failure: "The endpoint was deleted" } };
  const sender = { accountId, hops: hopsOf(job.id) };
  const room = MAX_PENDING - pending;
  if (room <= 0) return { ...unmoved, next: "stalled" };
  const candidates = await selectCandidates(sql, job);
  const choice = choose(candidates, room);
  const rows = choice.chosen.length === 0 ? [] : await replays.accept(sql, sender, choice.chosen);
  const accepted = rows.filter((row) => row.accepted);
  const refused = rows.find((row) => !row.accepted);
  // A later replay may start at the deliveries that the month has no room for.
  const end = refused ? before(candidates, refused.source) : choice;
  return {
    position: end.position ?? position,
    lookedAt: lookedAt + end.lookedAt,
    done: done + accepted.length,
    next: refused
      ? { failure: "The plan's limit of webhooks a month is reached" }
      : candidates.length < SCAN && choice.lookedAt === candidates.length
        ? "completed"
        : "on",
    announce: () => replays.announce(accountId, accepted),
  };
}

function before(candidates: readonly Candidate[], id: DeliveryId) {
  const lookedAt = candidates.findIndex((each) => each.id === id);
  return { lookedAt, position: candidates[lookedAt - 1]?.id ?? null };
}

/** False while another process runs a step of a replay to the same endpoint: each would use all the room. */
async function isAlone(sql: TransactionSql, endpointId: EndpointId): Promise<boolean> {
  const [row] = await sql<{ isAlone: boolean }[]>`
    select pg_try_advisory_xact_lock(${LOCKS.replays} # hashtextextended(${endpointId}, 0)) as "isAlone"
  `;
  return row?.isAlone ?? false;
}

/** Counts the endpoint's pending deliveries, up to the bound that matters; null when it is deleted. */
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

/** True for first deliveries with the wanted outcome that the endpoint's filter still matches. */
async function selectCandidates(sql: TransactionSql, job: RunningJob<Replay>): Promise<Candidate[]> {
  const { status, event } = job;
  const range = await rangeOf(sql, job);
  const ended = status === null ? sql`r.status in ('delivered', 'failed')` : sql`r.status = ${status}`;
  const columns: Fragment = sql`
    i.id, coalesce(octet_length(${payloadOf(sql, "i")}), 0) as size,
    i.replay_of is null and i.data is distinct from '' and (${event}::text is null or i.event = ${event})
      and ${sql.unsafe(filterMatchesSql)}
      and exists (select from results r where r.endpoint_id = i.endpoint_id and r.delivery_id = i.id and ${ended}) as "isWanted"
  `;
  return sql<Candidate[]>`
    select c.* from endpoints e cross join lateral (
      ${selectRange(sql, range, columns, SCAN)}
    ) as c
    where e.id = ${job.endpointId}
    order by c.id
  `;
}
