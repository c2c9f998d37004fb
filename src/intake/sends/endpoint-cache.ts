import type { Database } from "../../db/database";
import type { Sql } from "../../db/pool";
import { arrayOf } from "../../db/sql/arrays";
import { type EventFilter, matches } from "../../domain/event-filter";
import type { AccountId, EndpointId } from "../../domain/ids";
import { isTest } from "../../domain/test-event";
import { BoundedMap } from "../../runtime/bounded-map";
import { type AddressResult, type Directory, readTaken } from "../commit";
import type { NewDelivery } from "../new-delivery";

/** The fields of an endpoint that a commit needs. They are right while the filter has this revision. */
export type CachedEndpoint = Readonly<{
  accountId: AccountId;
  partition: number;
  filterRevision: number;
  filter: EventFilter;
  /** True if it gets the account's feed, and no webhooks except tests. */
  isFeed: boolean;
}>;

/** The reason why a send's endpoint can't get it. */
export type SendRefusal = "unknown_endpoint" | "feed_endpoint";

type EndpointsById = Map<EndpointId, CachedEndpoint>;

/** Most endpoints in the cache. One with a long filter counts as several. */
const MAX_CACHED = 100_000;
/** Characters of a filter that take as much memory as an endpoint without one. */
const FILTER_CHARACTERS = 256;

/** Caches the endpoints that this process accepted sends to. Forgets those read longest ago. */
export class EndpointCache implements Directory<NewDelivery, SendRefusal> {
  readonly readTaken = readTaken;
  private readonly cached = new BoundedMap<EndpointId, CachedEndpoint>(MAX_CACHED, weightOf);

  async read(sends: readonly NewDelivery[], db: Database, anew: boolean) {
    const endpoints: EndpointsById = new Map();
    const missing = new Set<EndpointId>();
    for (const { endpointId } of sends) {
      const cached = anew ? undefined : this.cached.get(endpointId);
      if (cached) endpoints.set(endpointId, cached);
      else missing.add(endpointId);
    }
    if (missing.size > 0) await this.readInto(endpoints, [...missing], db);
    return (send: NewDelivery) => addressOf(send, endpoints.get(send.endpointId));
  }

  delete(id: EndpointId): void {
    this.cached.delete(id);
  }

  clear(): void {
    this.cached.clear();
  }

  private async readInto(endpoints: EndpointsById, ids: readonly EndpointId[], db: Database): Promise<void> {
    const found = await db.run((sql) => readEndpoints(sql, ids));
    for (const id of ids) {
      const endpoint = found.get(id);
      if (endpoint) endpoints.set(id, endpoint);
      // A feed's endpoint is read each time: a cached one could refuse webhooks after its feed has ended.
      if (endpoint && !endpoint.isFeed) this.cached.set(id, endpoint);
      else this.cached.delete(id);
    }
  }
}

function weightOf({ filter }: CachedEndpoint): number {
  const characters = filter.reduce((sum, pattern) => sum + pattern.length, 0);
  return 1 + Math.floor(characters / FILTER_CHARACTERS);
}

/** Refuses what the endpoint can't get: the account has no such endpoint, or a feed's gets only tests. */
export function addressOf(
  item: NewDelivery,
  endpoint: CachedEndpoint | undefined,
): AddressResult<SendRefusal> {
  if (endpoint?.accountId !== item.accountId) return { kind: "refused", refusal: "unknown_endpoint" };
  if (endpoint.isFeed && !isTest(item.event)) return { kind: "refused", refusal: "feed_endpoint" };
  const { partition, filterRevision, filter } = endpoint;
  const isWanted = !item.isRefused && matches(filter, item.event);
  const target = { deliveryId: item.id, endpointId: item.endpointId, partition, filterRevision, isWanted };
  return { kind: "webhook", targets: [target] };
}

/** Reads the endpoints in one snapshot, without deleted ones. */
async function readEndpoints(sql: Sql, ids: readonly EndpointId[]): Promise<EndpointsById> {
  const rows = await sql<(CachedEndpoint & { id: EndpointId })[]>`
    select m.endpoint_id as id, e.account_id as "accountId", m.partition, m.filter_revision as "filterRevision",
      e.event_types as filter, e.feed as "isFeed"
    from mailboxes m join endpoints e on e.id = m.endpoint_id
    where m.endpoint_id = any(${arrayOf(ids)}::uuid[])
  `;
  return new Map(rows.map(({ id, ...endpoint }) => [id, endpoint]));
}
