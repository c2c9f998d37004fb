import type { AccountId, DeliveryId, EndpointId, EventId } from "../domain/ids";
import type { IdempotencyClaim } from "./new-delivery";

/** A webhook, event or report of a feed, as a commit writes it. */
export type CommitItem = Readonly<{
  id: DeliveryId | EventId;
  accountId: AccountId;
  event: string | null;
  orderingKey: string | null;
  /** The sender's own id of the event. */
  externalId?: string | null;
  data: string;
  /** When it is due, in Unix milliseconds; at once by default. */
  dueAt?: number | null;
  idempotency: IdempotencyClaim | null;
  traceparent?: string | null;
  /** The first delivery of the payload, if this one is a replay. */
  replayOf?: DeliveryId | null;
}>;

/** An endpoint that an item goes to, as it was read, and the id of its delivery. */
export type Recipient = Readonly<{
  deliveryId: DeliveryId;
  endpointId: EndpointId;
  partition: number;
  filterRevision: number;
  /** False if the endpoint's filter excludes the item. */
  isWanted: boolean;
}>;

/**
 * All endpoints that an item goes to. An event is stored with the payload of all its deliveries. A missing delivery belongs to
 * an event that is stored already. A report is in the outbox under its key, and counts against no limit.
 */
export type Addressees = Readonly<{ targets: readonly Recipient[] }> &
  (
    | { kind: "webhook" | "replay" | "missing" }
    | {
        kind: "event" | "report";
        /** The revision of the account's endpoints when they were read. */
        revision: number;
        /** The inactive endpoints that want the event. */
        inactive: readonly EndpointId[];
        /** The endpoints whose filters refuse the payload. */
        refusedBy: readonly EndpointId[];
      }
  );

/** Items in the order in which they are numbered, and their recipients. */
export type AddressedItems = ReadonlyMap<CommitItem, Addressees>;

/** An id and its index in the plan. */
type Indexed<Id> = { id: Id; index: number };
/** `count`: deliveries of the endpoint that are due now. */
type PlannedEndpoint = Indexed<EndpointId> &
  Pick<Recipient, "partition" | "filterRevision"> & { count: number; account: PlannedAccount };
/** `count`: deliveries that count against the limit. `events`: all by event type; '' is no event, as in the counters. */
type PlannedAccount = Indexed<AccountId> & { count: number; events: Map<string, EventCount> };
type EventCount = { accepted: number; cancelled: number };

/** `nth`: its number among the deliveries of the endpoint that are due now, from 1; or `EXCLUDED` or `LATER`. */
type PlannedDelivery = {
  id: DeliveryId;
  item: CommitItem;
  kind: Addressees["kind"];
  endpoint: PlannedEndpoint;
  nth: number;
};

/** The endpoint's filter excludes the delivery. */
export const EXCLUDED = 0;
/** The delivery is scheduled, and gets its sequence when it is due. */
export const LATER = -1;

/** Everything that a commit writes, computed before. It is right while the endpoints are as they were read. */
export type CommitPlan = Readonly<{
  addressed: AddressedItems;
  /** In the order of their ids, in which their rows are locked. */
  endpoints: readonly PlannedEndpoint[];
  /** In the order of the items and their targets. */
  deliveries: readonly PlannedDelivery[];
  /** In the order of their ids, in which their rows are locked. */
  accounts: readonly PlannedAccount[];
}>;

/** Numbers and counts the deliveries. */
export function planCommit(addressed: AddressedItems): CommitPlan {
  const endpoints = new Map<EndpointId, PlannedEndpoint>();
  const accounts = new Map<AccountId, PlannedAccount>();
  const deliveries: PlannedDelivery[] = [];
  for (const [item, { kind, targets }] of addressed) {
    const account = entryOf(accounts, item.accountId, newAccount);
    if (kind !== "report") account.count += targets.length;
    for (const target of targets) {
      const { deliveryId, endpointId, partition, filterRevision, isWanted } = target;
      const endpoint = entryOf(endpoints, endpointId, (id) => {
        return { id, index: 0, count: 0, partition, filterRevision, account };
      });
      countIn(account, item.event ?? "", isWanted);
      deliveries.push({ id: deliveryId, item, kind, endpoint, nth: nthOf(item, isWanted, endpoint) });
    }
  }
  return { addressed, endpoints: inOrder(endpoints), deliveries, accounts: inOrder(accounts) };
}

function nthOf({ dueAt = null }: CommitItem, isWanted: boolean, endpoint: PlannedEndpoint): number {
  if (!isWanted) return EXCLUDED;
  if (dueAt !== null) return LATER;
  endpoint.count++;
  return endpoint.count;
}

function newAccount(id: AccountId): PlannedAccount {
  return { id, index: 0, count: 0, events: new Map() };
}

function countIn(account: PlannedAccount, event: string, isWanted: boolean): void {
  const count = account.events.get(event) ?? { accepted: 0, cancelled: 0 };
  account.events.set(event, count);
  count.accepted++;
  if (!isWanted) count.cancelled++;
}

function entryOf<Id, E extends Indexed<Id>>(entries: Map<Id, E>, id: Id, make: (id: Id) => E): E {
  const found = entries.get(id);
  if (found) return found;
  const made = make(id);
  entries.set(id, made);
  return made;
}

/** Sorts by id and sets the indexes. */
function inOrder<Id extends string, E extends Indexed<Id>>(entries: Map<Id, E>): E[] {
  const ordered = [...entries.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  ordered.forEach((entry, index) => {
    entry.index = index;
  });
  return ordered;
}
