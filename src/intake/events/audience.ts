import type { Database } from "../../db/database";
import type { Sql } from "../../db/pool";
import { arrayOf } from "../../db/sql/arrays";
import { filterHasSql, patternsOfEventSql } from "../../db/sql/event-filter";
import { numberedId } from "../../db/sql/event-key";
import type { AccountId, EndpointId } from "../../domain/ids";
import { BoundedMap } from "../../runtime/bounded-map";
import { type AddressResult, type Directory, readTaken } from "../commit";
import type { FanOut } from "./fan-out";

/** Most endpoints that one event may go to. */
export const MAX_ENDPOINTS = 10_000;
/** Most deliveries in a commit that several events share. They take some 10 ms, for which other accounts' events wait. */
export const SHARED_DELIVERIES = 300;
/** Most event types whose endpoints one commit reads: it compares each with all endpoints of an account. */
export const MAX_READ = 4;
/** Most endpoints in the cache, counted once for each event type. */
const MAX_CACHED = 100_000;

/** Which endpoints of an account a fan-out goes to: those for its events, or those of its feed. */
export type AudienceKind = "events" | "feed";

/** The reason why a commit leaves an event out. */
export type Omission =
  | "too_many"
  /** It needs a commit of its own. */
  | "large"
  /** The next commit decides. */
  | "later";

/** An endpoint that wants events of a type. */
type Member = Readonly<{
  id: EndpointId;
  partition: number;
  filterRevision: number;
  isActive: boolean;
  hasFilter: boolean;
  /** False if it is inactive and skips events meanwhile. */
  getsIt: boolean;
}>;

/** The endpoints of an account that want events of one type, oldest first. Right while the account has this revision. */
type Audience = Readonly<{
  revision: number;
  /** True if an event would go to too many endpoints, whatever its payload. Then `members` is empty. */
  isTooLarge: boolean;
  members: readonly Member[];
}>;

type TypedEvent = Pick<FanOut, "accountId" | "event" | "about">;
type EventAddress = AddressResult<Omission>;

/** Caches which endpoints get the events of an account and type. Forgets those read longest ago. */
export class AudienceCache {
  private readonly cached = new BoundedMap<string, Audience>(MAX_CACHED, ({ members }) => 1 + members.length);

  constructor(private readonly kind: AudienceKind) {}

  /** Returns the directory for commits that make at most so many deliveries. */
  within(mostDeliveries: number): Directory<FanOut, Omission> {
    return {
      read: async (events, db, anew) => {
        const audiences = await this.audiencesOf(events, db, anew);
        const addresses = addressAll(events, audiences, this.kind, mostDeliveries);
        return (event) => addresses.get(event) ?? LATER;
      },
      readTaken: this.kind === "events" ? readTaken : readSent,
      clear: () => this.cached.clear(),
    };
  }

  /** Returns the audiences of the events. Reads only a few that it does not know. */
  private async audiencesOf(
    events: readonly FanOut[],
    db: Database,
    anew: boolean,
  ): Promise<ReadonlyMap<string, Audience>> {
    const audiences = new Map<string, Audience>();
    const unknown = new Map<string, TypedEvent>();
    for (const event of events) {
      const key = keyOf(event);
      if (anew) this.cached.delete(key);
      const cached = this.cached.get(key);
      if (cached) audiences.set(key, cached);
      else if (unknown.size < MAX_READ) unknown.set(key, event);
    }
    if (unknown.size === 0) return audiences;
    const found = await db.run((sql) => readAudiences(sql, [...unknown.values()], this.kind));
    [...unknown.keys()].forEach((key, i) => {
      const audience = found[i];
      if (!audience) return;
      audiences.set(key, audience);
      this.cached.set(key, audience);
    });
    return audiences;
  }
}

const LATER: EventAddress = { kind: "refused", refusal: "later" };
const LARGE: EventAddress = { kind: "refused", refusal: "large" };
const TOO_MANY: EventAddress = { kind: "refused", refusal: "too_many" };

/** Addresses the events that one commit can take, each account's in their order. */
function addressAll(
  events: readonly FanOut[],
  audiences: ReadonlyMap<string, Audience>,
  kind: AudienceKind,
  mostDeliveries: number,
): ReadonlyMap<FanOut, EventAddress> {
  const addresses = new Map<FanOut, EventAddress>();
  const waiting = new Set<AccountId>();
  let left = mostDeliveries;
  for (const event of events) {
    const audience = audiences.get(keyOf(event));
    const address = !audience || waiting.has(event.accountId) ? LATER : addressOf(event, audience, kind);
    const price = address.kind === "refused" ? 0 : address.targets.length;
    const fitting = price > mostDeliveries ? LARGE : price > left ? LATER : address;
    addresses.set(event, fitting);
    if (fitting === LARGE || fitting === LATER) waiting.add(event.accountId);
    else left -= price;
  }
  return addresses;
}

function keyOf({ accountId, event, about = accountId }: TypedEvent): string {
  const account = about === accountId ? accountId : `${accountId}/${about}`;
  return event === null ? account : `${account}/${event}`;
}

function addressOf(
  item: FanOut,
  { members, isTooLarge, revision }: Audience,
  kind: AudienceKind,
): EventAddress {
  const { refusedBy = [] } = item;
  const refusing = new Set(refusedBy);
  // A filter that was set or changed since the payload was tried may not be applied.
  const wanting = members.filter(({ id, hasFilter }) => !hasFilter || !refusing.has(id));
  const getting = wanting.filter(({ getsIt }) => getsIt);
  if (isTooLarge || getting.length > MAX_ENDPOINTS) return TOO_MANY;
  const targets = getting.map(({ id, partition, filterRevision }, i) => {
    const deliveryId = numberedId(item.id, i + 1);
    return { deliveryId, endpointId: id, partition, filterRevision, isWanted: true };
  });
  const inactive = wanting.filter(({ isActive }) => !isActive).map(({ id }) => id);
  return { kind: kind === "events" ? "event" : "report", targets, revision, inactive, refusedBy };
}

type AudienceRow = Member & { n: number; revision: number; isTooLarge: boolean; id: EndpointId | null };

/** Reads the audiences of the events in one snapshot, in their order. */
async function readAudiences(
  sql: Sql,
  events: readonly TypedEvent[],
  kind: AudienceKind,
): Promise<Audience[]> {
  const rows = await sql<AudienceRow[]>`
    select i.n, a.audience_revision as revision, coalesce(f.sure > ${MAX_ENDPOINTS}, false) as "isTooLarge", f.id,
      m.partition, m.filter_revision as "filterRevision", f.is_active as "isActive", f.has_filter as "hasFilter",
      f.gets_it as "getsIt"
    from (
      select i.*, ${sql.unsafe(patternsOfEventSql)} as patterns
      from unnest(
        ${arrayOf(events.map(({ accountId }) => accountId))}::uuid[],
        ${arrayOf(events.map(({ event }) => event))}::text[],
        ${arrayOf(events.map(({ about, accountId }) => about ?? accountId))}::uuid[]
      ) with ordinality as i(account_id, event, about, n)
    ) i
    join accounts a on a.id = i.account_id
    left join lateral (
      select * from (
        select e.id, e.is_active, e.filter is not null as has_filter, t.gets_it,
          count(*) filter (where t.gets_it and e.filter is null) over () as sure, row_number() over () as number
        from endpoints e cross join lateral (select e.is_active or e.while_inactive = 'hold' as gets_it) t
        where e.account_id = i.account_id and e.deleted_at is null and e.feed = ${kind === "feed"}
          and ${sql.unsafe(filterHasSql)}
          and (e.feed_accounts = '{}' or i.about = any(coalesce(e.feed_accounts, array[e.account_id])))
      ) w
      -- Of too many, one row says so.
      where sure <= ${MAX_ENDPOINTS} or number = 1
    ) f on true
    left join mailboxes m on m.endpoint_id = f.id
    order by i.n, f.id
  `;
  const byEvent = Map.groupBy(rows, ({ n }) => n);
  return events.map((_, i) => {
    const own = byEvent.get(i + 1);
    if (!own?.[0]) throw new Error("an event has no account");
    const { revision, isTooLarge } = own[0];
    return { revision, isTooLarge, members: isTooLarge ? [] : own.filter(({ id }) => id !== null) };
  });
}

/** Returns the reports that the outbox does not have any more. */
async function readSent(sql: Sql, reports: readonly FanOut[]): Promise<Set<FanOut>> {
  const keys = reports.map(({ idempotency }) => Number(idempotency?.key));
  const rows = await sql<
    { id: number }[]
  >`select id from feed_outbox where id = any(${arrayOf(keys)}::bigint[])`;
  const waiting = new Set(rows.map(({ id }) => id));
  return new Set(reports.filter((_, i) => !waiting.has(keys[i] ?? 0)));
}
