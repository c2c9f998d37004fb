import { matches } from "../../domain/event-filter";
import type { AccountId } from "../../domain/ids";
import { MAX_REQUEST_STEPS } from "../judge";
import type { EndpointFilter } from "../rules-lookup";
import type { RulesThreads } from "../rules-threads";
import type { FilterVerdict } from "./payload-filter";

/** An endpoint with the filter that is tried; null for no filter. */
export type TriedFilter = Omit<EndpointFilter, "filter"> & Readonly<{ filter: string | null }>;
/** The result for a payload: `match`, or the part of the endpoint's filter that excludes it. */
export type SampleVerdict = FilterVerdict | "event_types";

/**
 * Evaluates an endpoint's event types and a filter for kept payloads, in order. Ends early, after at least one payload, if
 * together they take too many steps. Throws `QueueFull`.
 */
export async function tryFilter(
  thread: Pick<RulesThreads, "filter">,
  accountId: AccountId,
  { eventTypes, filter, metadata }: TriedFilter,
  payloads: readonly Readonly<{ event: string | null; data: string }>[],
): Promise<SampleVerdict[]> {
  const verdicts: SampleVerdict[] = [];
  let steps = MAX_REQUEST_STEPS;
  for (const { event, data } of payloads) {
    const isOfType = matches(eventTypes, event);
    if (filter === null || !isOfType) {
      verdicts.push(isOfType ? "match" : "event_types");
      continue;
    }
    const filters = [{ filter, metadata }];
    const answer = await thread.filter(accountId, { kind: "filter", event, data, filters, steps });
    steps = answer.steps;
    if (answer.verdicts === null) break;
    verdicts.push(...answer.verdicts);
  }
  return verdicts;
}
