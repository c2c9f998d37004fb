import type { EventFilter } from "../../domain/event-filter";
import type { AccountId, EndpointId } from "../../domain/ids";
import { BoundedMap } from "../../runtime/bounded-map";

/** The fields of an endpoint that a commit needs. They are right while the filter has this revision. */
export type CachedEndpoint = Readonly<{
  accountId: AccountId;
  partition: number;
  filterRevision: number;
  filter: EventFilter;
  /** True if it gets the account's feed, and no webhooks except tests. */
  isFeed: boolean;
}>;

/** Most endpoints in the cache. One with a long filter counts as several. */
const MAX_CACHED = 100_000;
/** Characters of a filter that take as much memory as an endpoint without one. */
const FILTER_CHARACTERS = 256;

/** Makes a cache of endpoints that this process accepted sends to. It forgets those read longest ago. */
export function newEndpointCache(): BoundedMap<EndpointId, CachedEndpoint> {
  return new BoundedMap(MAX_CACHED, ({ filter }) => {
    const characters = filter.reduce((sum, pattern) => sum + pattern.length, 0);
    return 1 + Math.floor(characters / FILTER_CHARACTERS);
  });
}
