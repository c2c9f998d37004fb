import { ensureRoom } from "../accounts/limit";
import type { Database } from "../db/database";
import type { PageRequest } from "../db/page";
import type { AnySql, Fragment } from "../db/pool";
import { unixMs } from "../db/sql/time";
import type { AccountId } from "../domain/ids";
import type { JsonSchema } from "./schema/schema-compiler";
import type { SchemaGate } from "./schema-gate";
import type { SchemaWorker } from "./schema-worker";

export type EventType = {
  name: string;
  /** The JSON Schema that payloads must match; null accepts everything. */
  schema: JsonSchema | null;
  /** When it was first used or described, in Unix milliseconds. */
  createdAt: number;
};

/** Most types with a schema: their names are cached, since nearly every send needs them. */
export const SCHEMAS = { most: 500, what: "event types with a schema" };

/** A value that can't be used as a schema; the message follows its name. */
export class InvalidSchema extends Error {
  constructor(readonly flaw: string) {
    super(flaw);
    this.name = "InvalidSchema";
  }
}

/** An account's event types: the ones that it has sent, and the ones that it has described. */
export class EventTypes {
  /** Announces changes to the gate, so this process applies them at once. */
  constructor(
    private readonly db: Database,
    private readonly worker: Pick<SchemaWorker, "check">,
    private readonly gate?: Pick<SchemaGate, "forget">,
  ) {}

  /**
   * Lists a page of event types, newest first; within a transaction, by descending name. Throws `DatabaseUnavailable`,
   * as all methods do.
   */
  page(accountId: AccountId, { limit, beyond }: PageRequest<string>): Promise<EventType[]> {
    return this.db.run(
      (sql) => sql<EventType[]>`
        select ${columns(sql)} from event_types
        where account_id = ${accountId} and ${beyond === undefined ? sql`true` : isBefore(sql, accountId, beyond)}
        order by created_at desc, name desc
        limit ${limit}
      `,
    );
  }

  /** Null for an event type that the account has neither used nor described. */
  async get(accountId: AccountId, name: string): Promise<EventType | null> {
    const [type] = await this.db.run(
      (sql) => sql<EventType[]>`
        select ${columns(sql)} from event_types where account_id = ${accountId} and name = ${name}
      `,
    );
    return type ?? null;
  }

  /** Describes an event type, known or not. Throws `InvalidSchema`, `LimitReached` and `QueueFull`. */
  async putSchema(accountId: AccountId, name: string, schema: unknown): Promise<EventType> {
    const flaw = await this.worker.check(accountId, schema);
    if (flaw !== null) throw new InvalidSchema(flaw);
    const json = JSON.stringify(schema);
    const type = await this.db.transaction(async (sql) => {
      const others: Fragment = sql`
        select from event_types where account_id = ${accountId} and schema is not null and name <> ${name}
      `;
      await ensureRoom(sql, accountId, SCHEMAS, others);
      return upsertSchema(sql, accountId, name, json);
    });
    this.gate?.forget(accountId);
    return type;
  }

  /** Removes the schema; false when there was none. */
  async deleteSchema(accountId: AccountId, name: string): Promise<boolean> {
    const changed = await this.db.run(
      (sql) => sql`
        update event_types set schema = null
        where account_id = ${accountId} and name = ${name} and schema is not null
      `,
    );
    this.gate?.forget(accountId);
    return changed.count > 0;
  }
}

// Casts the text twice, since drivers would encode a jsonb parameter a second time.
async function upsertSchema(
  sql: AnySql,
  accountId: AccountId,
  name: string,
  json: string,
): Promise<EventType> {
  const [type] = await sql<EventType[]>`
    insert into event_types (account_id, name, schema) values (${accountId}, ${name}, ${json}::text::jsonb)
    on conflict (account_id, name) do update set schema = excluded.schema
    returning ${columns(sql)}
  `;
  if (!type) throw new Error("the update of a schema returned no row");
  return type;
}

// Event types are never removed, so the name alone marks where the previous page ended.
function isBefore(sql: AnySql, accountId: AccountId, name: string): Fragment {
  return sql`(created_at, name) < (
    select created_at, name from event_types where account_id = ${accountId} and name = ${name}
  )`;
}

function columns(sql: AnySql) {
  return sql`name, schema, ${unixMs(sql, "created_at")} as "createdAt"`;
}
