import type { Database } from "../db/database";
import { arrayOf } from "../db/sql/arrays";
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

type VersionRow = { accountId: AccountId; name: string; version: string };

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
    const [row] = await this.db.run(
      (sql) => sql<VersionedSchema[]>`
        select schema, xmin::text || ctid::text as version from event_types
        where account_id = ${accountId} and name = ${name} and schema is not null
      `,
      LOOKUP_TIMEOUT_MS,
    );
    return row ?? null;
  }

  // Every change of a row changes its xmin and its place; together they are its version.
  private async findVersions(accounts: AccountId[]): Promise<SchemaVersions[]> {
    const rows = await this.db.run(
      (sql) => sql<VersionRow[]>`
        select account_id as "accountId", name, xmin::text || ctid::text as version from event_types
        where account_id = any(${arrayOf(accounts)}::uuid[]) and schema is not null
      `,
      LOOKUP_TIMEOUT_MS,
    );
    const byAccount = Map.groupBy(rows, (row) => row.accountId);
    return accounts.map((account) => {
      const found = byAccount.get(account);
      return found ? new Map(found.map(({ name, version }) => [name, version])) : NONE;
    });
  }
}
