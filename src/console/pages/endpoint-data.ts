import type { EventType } from "../../client/types";
import { keyed } from "../shared/access";
import { call } from "../shared/api";
import { endpointsOf } from "../shared/endpoint-array";
import { type PageOf, readAllPages } from "../shared/live-list";
import { useResource } from "../shared/resource";
import { MOST_TYPES } from "./type-tree";

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

/** How long lists to choose from are kept, in milliseconds. Each hundred event types take a request. */
const KEPT_MS = 60_000;

/** The newest event types, for a list to choose from. */
export function useEventTypes() {
  return useReadTypes(KEPT_MS);
}

/** The newest event types as they are now, for the catalogue itself. */
export function useCatalogue() {
  return useReadTypes(0);
}

function useReadTypes(keptMs: number) {
  return useResource(keyed("event-types"), () => readAllPages(eventTypesFrom, MOST_TYPES), { keptMs });
}

function eventTypesFrom(cursor: string | undefined): Promise<PageOf<EventType>> {
  return call("get", "/v1/event-types", { query: { limit: 100, cursor } });
}
