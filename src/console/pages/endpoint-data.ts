import type { EventType } from "../../client/types";
import { keyed } from "../shared/access";
import { call } from "../shared/api";
import { endpointsOf } from "../shared/endpoint-array";
import { type PageOf, readAllPages } from "../shared/live-list";
import { useResource } from "../shared/resource";

/** All endpoints that the session sees. */
export function useEndpoints() {
  return useResource(keyed("endpoints"), async () => endpointsOf(await call("get", "/v1/endpoints", {})), {
    every: 5_000,
  });
}

export function useEndpoint(id: string | null) {
  return useResource(
    id === null ? null : keyed("endpoint", id),
    () => call("get", "/v1/endpoints/{id}", { path: { id: id ?? "" } }),
    { every: 5_000 },
  );
}

/** Most event types that are read. */
const MOST_TYPES = 1_000;

/** The newest event types. */
export function useEventTypes() {
  return useResource(keyed("event-types"), () => readAllPages(eventTypesFrom, MOST_TYPES));
}

function eventTypesFrom(cursor: string | undefined): Promise<PageOf<EventType>> {
  return call("get", "/v1/event-types", { query: { limit: 100, cursor } });
}
