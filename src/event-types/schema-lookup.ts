import { and, eq, sql as expression, isNotNull } from "drizzle-orm";
import type { Database } from "../db/database";
import { eventTypes } from "../db/schema";
import { arrayOf } from "../db/sql/arrays";
import { typed } from "../db/typed";
import type { AccountId } from "../domain/ids";
import { Batcher } from "../runtime/queues/batcher";
import type { JsonSchema } from "./schema/schema-compiler";

/** An account's event types that have a schema, each with a version that changes with the schema. */
export type SchemaVersions = ReadonlyMap<string, string>;

export type VersionedSchema = { schema: JsonSchema; version: string };

const MAX_BATCH = 500;
const MAX_READS = 2;
const MAX_QUEUED = 20_000;
/** Answers later than this are too old to judge a payload by. */
const LOOKUP_TIMEOUT_MS = 4_000;

const NONE: SchemaVersions = new Map();

// Every change of a row changes its xmin and its place; together they are its version.
const VERSION = expression<string>`xmin::text || ctid::text`;

/** Reads which event types have schemas, for many accounts in one statement. */
export class SchemaLookup {
  private readonly batcher: Batcher<AccountId, SchemaVersions>;

  constructor(private readonly db: Database) {
    this.batcher = new Batcher({
      run: (accounts) => this.findVersions(accounts),
      maxItems: MAX_BATCH,
      maxRunning: MAX_READS,
      maxQueued: MAX_QUEUED,
    });
  }

  /** Throws `DatabaseUnavailable`, or `QueueFull` when too many wait. */
  versions(accountId: AccountId): Promise<SchemaVersions> {
    return this.batcher.submit(accountId);
  }

  /** Null when the event type has no schema. Throws `DatabaseUnavailable`. */
  async schema(accountId: AccountId, name: string): Promise<VersionedSchema | null> {
    const isType = and(eq(eventTypes.accountId, accountId), eq(eventTypes.name, name));
    const [row] = await this.db.run(
      (sql) =>
        typed(sql).select({ schema: eventTypes.schema, version: VERSION }).from(eventTypes).where(isType),
      LOOKUP_TIMEOUT_MS,
    );
    return row?.schema ? { schema: row.schema, version: row.version } : null;
  }

  private async findVersions(accounts: AccountId[]): Promise<SchemaVersions[]> {
    const { accountId, name, schema } = eventTypes;
    const isTheirs = expression`${accountId} = any(${arrayOf(accounts)}::uuid[])`;
    const rows = await this.db.run(
      (sql) =>
        typed(sql)
          .select({ accountId, name, version: VERSION })
          .from(eventTypes)
          .where(and(isTheirs, isNotNull(schema))),
      LOOKUP_TIMEOUT_MS,
    );
    const byAccount = Map.groupBy(rows, (row) => row.accountId);
    return accounts.map((account) => {
      const found = byAccount.get(account);
      return found ? new Map(found.map(({ name, version }) => [name, version])) : NONE;
    });
  }
}
