import { matches } from "../../domain/event-filter";
import type { AccountId, EndpointId } from "../../domain/ids";
import type { CachedEndpoint } from "./endpoint-cache";
import type { Send } from "./send";

/** An id and its index in the plan. */
type Entry<Id> = { id: Id; index: number };
/** `count`: sends that go to the endpoint. */
export type PlannedEndpoint = Entry<EndpointId> &
  Pick<CachedEndpoint, "partition" | "filterRevision"> & { count: number; account: PlannedAccount };
/** `count`: all sends of the account. `events`: their number by event type; '' is no event, as in the counters. */
export type PlannedAccount = Entry<AccountId> & { count: number; events: Map<string, EventCount> };
type EventCount = { accepted: number; cancelled: number };

/** `nth`: its number among the sends to the same endpoint that are due now, from 1; or `EXCLUDED` or `LATER`. */
export type PlannedSend = { send: Send; endpoint: PlannedEndpoint; nth: number };

/** The endpoint's filter excludes the send. */
export const EXCLUDED = 0;
/** The send is scheduled, and gets its sequence when it is due. */
export const LATER = -1;

/** Everything that a commit writes, computed before. It is right while the endpoints are as they were read. */
export type CommitPlan = Readonly<{
  /** In the order of their ids, in which their rows are locked. */
  endpoints: readonly PlannedEndpoint[];
  sends: readonly PlannedSend[];
  /** In the order of their ids, in which their rows are locked. */
  accounts: readonly PlannedAccount[];
}>;

/** Numbers and counts the sends. `endpointOf` returns the endpoint of each. */
export function planCommit(
  sends: readonly Send[],
  endpointOf: (id: EndpointId) => CachedEndpoint,
): CommitPlan {
  const endpoints = new Map<EndpointId, PlannedEndpoint>();
  const accounts = new Map<AccountId, PlannedAccount>();
  const planned = sends.map((send): PlannedSend => {
    const found = endpointOf(send.endpointId);
    const account = entryOf(accounts, send.accountId, newAccount);
    const endpoint = entryOf(endpoints, send.endpointId, (id) => {
      const { partition, filterRevision } = found;
      return { id, index: 0, count: 0, partition, filterRevision, account };
    });
    const isWanted = !send.isRefused && matches(found.filter, send.event);
    countIn(account, send.event ?? "", isWanted);
    if (!isWanted) return { send, endpoint, nth: EXCLUDED };
    if ((send.dueAt ?? null) !== null) return { send, endpoint, nth: LATER };
    endpoint.count++;
    return { send, endpoint, nth: endpoint.count };
  });
  return { endpoints: inOrder(endpoints), sends: planned, accounts: inOrder(accounts) };
}

function newAccount(id: AccountId): PlannedAccount {
  return { id, index: 0, count: 0, events: new Map() };
}

function countIn(account: PlannedAccount, event: string, isWanted: boolean): void {
  const count = account.events.get(event) ?? { accepted: 0, cancelled: 0 };
  account.events.set(event, count);
  account.count++;
  count.accepted++;
  if (!isWanted) count.cancelled++;
}

function entryOf<Id, E extends Entry<Id>>(entries: Map<Id, E>, id: Id, make: (id: Id) => E): E {
  const found = entries.get(id);
  if (found) return found;
  const made = make(id);
  entries.set(id, made);
  return made;
}

/** Sorts by id and sets the indexes. */
function inOrder<Id extends string, E extends Entry<Id>>(entries: Map<Id, E>): E[] {
  const ordered = [...entries.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  ordered.forEach((entry, index) => {
    entry.index = index;
  });
  return ordered;
}
