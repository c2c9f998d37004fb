import { matches } from "../endpoints/event-filter";
import type { AccountId, EndpointId } from "../runtime/ids";
import type { NumberedSend } from "./accept-sends";
import type { KnownEndpoint } from "./known-endpoints";

/** Its place in the draft, from 0, and how many of the sends are its own. */
type Entry<Id> = { id: Id; place: number; count: number };
type DraftEndpoint = Entry<EndpointId> &
  Pick<KnownEndpoint, "partition" | "filterRevision"> & { account: DraftAccount };
/** `events`: how many sends there are of each; '' stands for none, as in the counters. */
type DraftAccount = Entry<AccountId> & { events: Map<string, number> };

/** What a commit is to write, worked out before it: right for as long as its endpoints are as they are known. */
export type Draft = Readonly<{
  /** In the order of their ids, since their rows are locked in it. */
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
    const account = entryOf(accounts, accountId, newAccount);
    account.count++;
    account.events.set(event ?? "", (account.events.get(event ?? "") ?? 0) + 1);
    const endpoint = entryOf(endpoints, endpointId, (id) => {
      const { partition, filterRevision } = found;
      return { id, place: 0, count: 0, partition, filterRevision, account };
    });
    endpoint.count++;
    drafted.push({ send, endpoint, nth: endpoint.count });
  }
  return { endpoints: inOrder(endpoints), sends: drafted, accounts: inOrder(accounts) };
}

function isSure({ accountId, event, idempotency }: NumberedSend, endpoint: KnownEndpoint): boolean {
  return idempotency === null && endpoint.accountId === accountId && matches(endpoint.filter, event);
}

function newAccount(id: AccountId): DraftAccount {
  return { id, place: 0, count: 0, events: new Map() };
}

function entryOf<Id, E extends Entry<Id>>(entries: Map<Id, E>, id: Id, make: (id: Id) => E): E {
  const found = entries.get(id);
  if (found) return found;
  const made = make(id);
  entries.set(id, made);
  return made;
}

/** By their ids, with their places. */
function inOrder<Id extends string, E extends Entry<Id>>(entries: Map<Id, E>): E[] {
  const ordered = [...entries.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  ordered.forEach((entry, place) => {
    entry.place = place;
  });
  return ordered;
}
