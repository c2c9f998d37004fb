import { ensureRoom } from "../accounts/limit";
import type { Database } from "../db/database";
import type { PageRequest } from "../db/page";
import type { AnySql, Fragment } from "../db/pool";
import { unixMs } from "../db/unix-ms";
import type { AccountId } from "../runtime/ids";
import type { JsonSchema } from "./schema/schema-compiler";
import type { SchemaGate } from "./schema-gate";
import type { SchemaWorker } from "./schema-worker";

export type EventType = {
  name: string;
  /** The JSON Schema that payloads must match; null: anything goes. */
  schema: JsonSchema | null;
  /** When it was first used or described, Unix milliseconds. */
  createdAt: number;
};

/** Their names are kept at hand, since nearly every send asks for them. */
export const SCHEMAS = { most: 500, what: "event types with a schema" };

/** A value is no schema that could be used; the message goes after its name. */
export class InvalidSchema extends Error {
  constructor(readonly flaw: string) {
    super(flaw);
    this.name = "InvalidSchema";
  }
}

/** The event types of an account: those it has sent, and those it has described. */
export class EventTypes {
  /** Tells the gate of changes, so that this process applies them at once. */
  constructor(
    private readonly db: Database,
    private readonly worker: Pick<SchemaWorker, "check">,
    private readonly gate?: Pick<SchemaGate, "forget">,
  ) {}

  /** Some, newest first; of those created in the same transaction, the last by name. Throws `DatabaseUnavailable`, as all do. */
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

  /** False when it had none. */
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

// The text is cast twice, since drivers would encode a parameter of type jsonb once more.
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
  if (!type) throw new Error("the schema was not written");
  return type;
}

// Event types are never removed, so the name alone tells where the page before ended.
function isBefore(sql: AnySql, accountId: AccountId, name: string): Fragment {
  return sql`(created_at, name) < (
    select created_at, name from event_types where account_id = ${accountId} and name = ${name}
  )`;
}

function columns(sql: AnySql) {
  return sql`name, schema, ${unixMs(sql, "created_at")} as "createdAt"`;
}
