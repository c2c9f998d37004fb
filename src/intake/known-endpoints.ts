import type { EventFilter } from "../endpoints/event-filter";
import { BoundedMap } from "../runtime/bounded-map";
import type { AccountId, EndpointId } from "../runtime/ids";

/** An endpoint as a commit found it. It holds for as long as its filter's revision is this one. */
export type KnownEndpoint = Readonly<{
  accountId: AccountId;
  partition: number;
  filterRevision: number;
  filter: EventFilter;
}>;

type FoundEndpoint = KnownEndpoint & Readonly<{ isConfirmed: boolean }>;

/** Endpoints remembered; beyond it those found longest ago are forgotten. */
const MAX_KNOWN = 100_000;

/**
 * What this process has found out about endpoints while it accepted sends to them. An endpoint is known once a statement
 * found it settled, or two, one after the other, found it alike. The first may have waited for a change to commit, and then
 * reads the new revision beside the filter of before; the second reads both anew.
 */
export class KnownEndpoints {
  private readonly found = new BoundedMap<EndpointId, FoundEndpoint>(MAX_KNOWN);

  get(id: EndpointId): KnownEndpoint | null {
    const found = this.found.get(id);
    return found?.isConfirmed ? found : null;
  }

  /** `isSettled`: surely of one moment. */
  learn(id: EndpointId, endpoint: KnownEndpoint, isSettled: boolean): void {
    const before = this.found.get(id);
    const isAlike =
      before?.filterRevision === endpoint.filterRevision && isSame(before.filter, endpoint.filter);
    this.found.set(id, { ...endpoint, isConfirmed: isSettled || isAlike });
  }

  /** The account has no such endpoint, or no longer. */
  forgetOf(accountId: AccountId, id: EndpointId): void {
    if (this.found.get(id)?.accountId === accountId) this.forget(id);
  }

  /** It may have changed. */
  forget(id: EndpointId): void {
    this.found.delete(id);
  }

  /** After a loss of the connection: the server may be another one now, that lacks the last commits. */
  forgetAll(): void {
    this.found.clear();
  }
}

function isSame(a: EventFilter, b: EventFilter): boolean {
  return a.length === b.length && a.every((pattern, i) => pattern === b[i]);
}
