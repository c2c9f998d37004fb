import { matches } from "../endpoints/event-filter";
import type { AccountId, EndpointId } from "../runtime/ids";
import type { NumberedSend } from "./accept";
import type { KnownEndpoint } from "./known-endpoints";

/** An endpoint with its place in the draft, from 0, and how many of the sends go to it. */
type DraftEndpoint = KnownEndpoint & { id: EndpointId; place: number; count: number };

/** How many sends an account has, of which events; '' stands for none, as in the counters. */
type DraftAccount = { id: AccountId; count: number; events: Map<string, number> };

/** What a commit is to write, worked out before it: right for as long as its endpoints are as they are known. */
export type Draft = Readonly<{
  endpoints: readonly DraftEndpoint[];
  /** `nth` among the sends to the same endpoint, from 1. */
  sends: readonly { send: NumberedSend; endpoint: DraftEndpoint; nth: number }[];
  /** In the order of their ids, since their rows are locked in it. */
  accounts: readonly DraftAccount[];
}>;

/**
 * Null when it can't be foretold that every send is accepted and goes to its endpoint, as with a key, which may be taken,
 * or an endpoint that is not known.
 */
export function draftOf(
  sends: readonly NumberedSend[],
  known: (id: EndpointId) => KnownEndpoint | null,
): Draft | null {
  const endpoints = new Map<EndpointId, DraftEndpoint>();
  const accounts = new Map<AccountId, DraftAccount>();
  const drafted: Draft["sends"][number][] = [];
  for (const send of sends) {
    const { accountId, endpointId, event } = send;
    const found = known(endpointId);
    if (!found || !isSure(send, found)) return null;
    const endpoint = entryOf(endpoints, endpointId, (id, place) => ({ ...found, id, place, count: 0 }));
    endpoint.count++;
    drafted.push({ send, endpoint, nth: endpoint.count });
    const account = entryOf(accounts, accountId, (id) => ({ id, count: 0, events: new Map() }));
    account.count++;
    account.events.set(event ?? "", (account.events.get(event ?? "") ?? 0) + 1);
  }
  return {
    endpoints: [...endpoints.values()],
    sends: drafted,
    accounts: [...accounts.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

function isSure({ accountId, event, idempotency }: NumberedSend, endpoint: KnownEndpoint): boolean {
  return idempotency === null && endpoint.accountId === accountId && matches(endpoint.filter, event);
}

function entryOf<Key, Entry>(
  entries: Map<Key, Entry>,
  key: Key,
  make: (key: Key, place: number) => Entry,
): Entry {
  const found = entries.get(key);
  if (found) return found;
  const made = make(key, entries.size);
  entries.set(key, made);
  return made;
}
