import { and, eq, sql as expression, isNotNull, isNull, type SQL } from "drizzle-orm";
import type { Database } from "../db/database";
import type { AnySql } from "../db/pool";
import { endpoints, eventTypes } from "../db/schema";
import { arrayOf } from "../db/sql/arrays";
import { typed } from "../db/typed";
import type { EventFilter } from "../domain/event-filter";
import type { AccountId, EndpointId } from "../domain/ids";
import { Batcher } from "../runtime/queues/batcher";

/** The event types of an account that have a schema, each with a version that changes with the schema. */
export type SchemaVersions = ReadonlyMap<string, string>;

/** A schema's version, and the account or installation that it belongs to. */
export type OwnedSchema = Readonly<{ owner: AccountId; version: string }>;

/** An endpoint's payload filter, and the facts that it may refer to. */
export type EndpointFilter = Readonly<{
  endpointId: EndpointId;
  eventTypes: EventFilter;
  filter: string;
  metadata: Readonly<Record<string, string>>;
}>;

/** The schemas and filters that decide about an account's payloads. */
export type AccountRules = Readonly<{ schemas: SchemaVersions; filters: readonly EndpointFilter[] }>;

/** A schema as JSON text, with a version that changes with it. */
export type VersionedSchema = { schema: string; version: string };

const MAX_BATCH = 500;
const MAX_READS = 2;
const MAX_QUEUED = 20_000;
/** A later answer is too old to decide about a payload. */
const LOOKUP_TIMEOUT_MS = 4_000;

const NONE: AccountRules = { schemas: new Map(), filters: [] };
/** Memory weight: this many characters of filters count as one account. */
const CHARACTERS_OF_AN_ACCOUNT = 1_024;

// Every change of a row changes its xmin and its ctid, which together are its version.
const VERSION = expression<string>`xmin::text || ctid::text`;

/** Returns the weight of rules in a cache. An account without filters weighs 1. */
export function weightOfRules({ filters }: AccountRules): number {
  if (filters.length === 0) return 1;
  return 1 + Math.ceil(JSON.stringify(filters).length / CHARACTERS_OF_AN_ACCOUNT);
}

/** Reads the event types with schemas and the endpoints with filters, for many accounts at a time. */
export class RulesLookup {
  private readonly batcher: Batcher<AccountId, AccountRules>;

  constructor(private readonly db: Database) {
    this.batcher = new Batcher({
      run: (accounts) => this.findRules(accounts),
      maxItems: MAX_BATCH,
      maxRunning: MAX_READS,
      maxQueued: MAX_QUEUED,
    });
  }

  /** Throws `DatabaseUnavailable`, or `QueueFull` if too many requests wait. */
  rules(accountId: AccountId): Promise<AccountRules> {
    return this.batcher.submit(accountId);
  }

  /** Resolves to null if the event type has no schema. Throws `DatabaseUnavailable`. */
  async schema(accountId: AccountId, name: string): Promise<VersionedSchema | null> {
    const isType = and(eq(eventTypes.accountId, accountId), eq(eventTypes.name, name));
    const [row] = await this.db.run(
      (sql) =>
        typed(sql).select({ schema: eventTypes.schema, version: VERSION }).from(eventTypes).where(isType),
      LOOKUP_TIMEOUT_MS,
    );
    return row?.schema ? { schema: row.schema, version: row.version } : null;
  }

  private async findRules(accounts: AccountId[]): Promise<AccountRules[]> {
    const ids = expression`any(${arrayOf(accounts)}::uuid[])`;
    const [schemas, filters] = await this.db.run(
      (sql) => Promise.all([findSchemas(sql, ids), findFilters(sql, ids)]),
      LOOKUP_TIMEOUT_MS,
    );
    const schemasOf = Map.groupBy(schemas, (row) => row.accountId);
    const filtersOf = Map.groupBy(filters, (row) => row.accountId);
    return accounts.map((account) => {
      const [typed, filtered] = [schemasOf.get(account), filtersOf.get(account)];
      if (!typed && !filtered) return NONE;
      return {
        schemas: new Map(typed?.map(({ name, version }) => [name, version])),
        filters: filtered ?? NONE.filters,
      };
    });
  }
}

function findSchemas(sql: AnySql, ids: SQL) {
  const { accountId, name, schema } = eventTypes;
  return typed(sql)
    .select({ accountId, name, version: VERSION })
    .from(eventTypes)
    .where(and(expression`${accountId} = ${ids}`, isNotNull(schema)));
}

async function findFilters(sql: AnySql, ids: SQL): Promise<(EndpointFilter & { accountId: AccountId })[]> {
  const { id, accountId, eventTypes: types, filter, metadata, feed, deletedAt } = endpoints;
  const rows = await typed(sql)
    .select({ accountId, endpointId: id, eventTypes: types, filter, metadata })
    .from(endpoints)
    .where(and(expression`${accountId} = ${ids}`, isNotNull(filter), eq(feed, false), isNull(deletedAt)));
  return rows.flatMap((row) => (row.filter === null ? [] : [{ ...row, filter: row.filter }]));
}
