import type { Account, EventType } from "../../client/types";
import { call } from "../shared/api";
import { endpointsOf } from "../shared/endpoint-array";
import { useResource } from "../shared/resource";
import { account, can } from "./session";

/** Prefixes a key with the account, since the answers of accounts differ. */
export function keyed(...parts: readonly (string | number | null | undefined)[]): string {
  return [...parts, account.value].join(" ");
}

/** All endpoints of the account. */
export function useEndpoints() {
  return useResource(keyed("endpoints"), async () => endpointsOf(await call("get", "/v1/endpoints", {})), {
    every: 10_000,
  });
}

/** The newest event types, for the filters and the palette. */
export function useEventTypes() {
  return useResource(keyed("event-types"), async () => {
    const found: EventType[] = [];
    let cursor: string | undefined;
    do {
      const page = await call("get", "/v1/event-types", { query: { limit: 100, cursor } });
      found.push(...page.data);
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined && found.length < 1_000);
    return found;
  });
}

/** The accounts for which the session may act, newest first; null if it has only one. */
export function useAccounts() {
  return useResource(can("accounts:act") ? "accounts" : null, async () => {
    const found: Account[] = [];
    let cursor: string | undefined;
    do {
      const page = await call("get", "/v1/admin/accounts", { query: { limit: 100, cursor } });
      found.push(...page.data);
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined && found.length < 2_000);
    return found;
  });
}

export function useEndpoint(id: string | null) {
  return useResource(
    id === null ? null : keyed("endpoint", id),
    () => call("get", "/v1/endpoints/{id}", { path: { id: id ?? "" } }),
    { every: 5_000 },
  );
}
