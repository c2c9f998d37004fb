import { and, eq, inArray } from "drizzle-orm";
import type { TransactionSql } from "../db/pool";
import { endpoints, events } from "../db/schema";
import { typed } from "../db/typed";
import type { EventId } from "../domain/ids";
import { tryFilter } from "../event-types/filter/try-filter";
import type { RulesThreads } from "../event-types/rules-threads";
import type { MissingReplay, RunningJob } from "./job";
import type { JobCandidate } from "./range";

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
