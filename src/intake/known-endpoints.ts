import type { EventFilter } from "../endpoints/event-filter";
import type { AccountId, EndpointId } from "../runtime/ids";

/** An endpoint as a commit found it. It holds for as long as the endpoint's revision is this one. */
export type KnownEndpoint = Readonly<{
  accountId: AccountId;
  partition: number;
  revision: number;
  filter: EventFilter;
}>;

/** Endpoints remembered; beyond it all are learnt anew. */
const MAX_KNOWN = 100_000;

/**
 * What this process has found out about endpoints while it accepted sends to them. An endpoint is known once it was found
 * alike twice in a row: to count on one that changes all the time (it fails and recovers with every delivery, say) would
 * be in vain each time. And a filter that was read beside the revision of a change just then committed is found out.
 */
export class KnownEndpoints {
  private readonly found = new Map<EndpointId, { endpoint: KnownEndpoint; isConfirmed: boolean }>();

  get(id: EndpointId): KnownEndpoint | null {
    const found = this.found.get(id);
    return found?.isConfirmed ? found.endpoint : null;
  }

  learn(id: EndpointId, endpoint: KnownEndpoint): void {
    const before = this.found.get(id)?.endpoint;
    const isConfirmed = before?.revision === endpoint.revision && before.filter === endpoint.filter;
    if (!before && this.found.size >= MAX_KNOWN) this.found.clear();
    this.found.set(id, { endpoint, isConfirmed });
  }

  forget(id: EndpointId): void {
    this.found.delete(id);
  }
}
