import type { AccountId, EndpointId } from "../../domain/ids";
import { QueueFull } from "../../runtime/queues/batcher";
import { MAX_REQUEST_STEPS } from "../judge";
import { RulesSuspended, type RulesThreads } from "../rules-threads";

/** A kept event, with its payload's JSON text; null once it is erased. */
type KeptEvent = Readonly<{ event: string | null; data: string | null }>;
type Condition = Readonly<{
  endpointId: EndpointId;
  filter: string | null;
  metadata: Readonly<Record<string, string>>;
}>;

const NONE: ReadonlyMap<EndpointId, string> = new Map();

/** Returns the errors of endpoints' filters for a kept event. None if its payload is erased, or the threads are busy. */
export async function filterErrors(
  thread: Pick<RulesThreads, "filter">,
  accountId: AccountId,
  { event, data }: KeptEvent,
  conditions: readonly Condition[],
): Promise<ReadonlyMap<EndpointId, string>> {
  const asked = conditions.flatMap((each) =>
    each.filter === null ? [] : [{ ...each, filter: each.filter }],
  );
  if (data === null || asked.length === 0) return NONE;
  const filters = asked.map(({ filter, metadata }) => ({ filter, metadata }));
  try {
    const { verdicts } = await thread.filter(accountId, {
      kind: "filter",
      event,
      data,
      filters,
      steps: MAX_REQUEST_STEPS,
    });
    const errors = asked.flatMap(({ endpointId }, i): [EndpointId, string][] => {
      const verdict = verdicts?.[i];
      return typeof verdict === "object" ? [[endpointId, verdict.error]] : [];
    });
    return new Map(errors);
  } catch (error) {
    if (error instanceof QueueFull || error instanceof RulesSuspended) return NONE;
    throw error;
  }
}
