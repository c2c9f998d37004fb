import type { Database } from "../db/database";
import type { Sql } from "../db/pool";
import type { AccountId } from "../runtime/ids";
import { type JsonSchema, schemaFlaw } from "./payload-schema";
import type { SchemaGate } from "./schema-gate";

export type EventType = {
  name: string;
  /** The JSON Schema that payloads must match; null: anything goes. */
  schema: JsonSchema | null;
  /** When it was first used or described, Unix milliseconds. */
  createdAt: number;
};

export type EventTypePage = {
  limit: number;
  /** The last name of the page before. */
  after?: string | undefined;
};

/** Event types with a schema that an account may have. */
export const MAX_SCHEMAS_PER_ACCOUNT = 500;

/** A value is no schema that could be used; the message goes after its name. */
export class InvalidSchema extends Error {
  constructor(readonly flaw: string) {
    super(flaw);
    this.name = "InvalidSchema";
  }
}

/** The account has as many schemas as it may. */
export class TooManySchemas extends Error {
  constructor() {
    super(`An account may have schemas for at most ${MAX_SCHEMAS_PER_ACCOUNT} event types`);
    this.name = "TooManySchemas";
  }
}

/** The event types of an account: those it has sent, and those it has described. */
export class EventTypes {
  /** The gate is told of changes, so that this process heeds them at once. */
  constructor(
    private readonly db: Database,
    private readonly gate?: Pick<SchemaGate, "forget">,
  ) {}

  /** A page, by name. Throws `DatabaseUnavailable`, as all do. */
  list(accountId: AccountId, { limit, after }: EventTypePage): Promise<EventType[]> {
    return this.db.run(
      (sql) => sql<EventType[]>`
        select ${columns(sql)} from event_types
        where account_id = ${accountId} and ${after === undefined ? sql`true` : sql`name > ${after}`}
        order by name
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

  /** Describes an event type, known or not. Throws `InvalidSchema` and `TooManySchemas`. */
  async putSchema(accountId: AccountId, name: string, schema: unknown): Promise<EventType> {
    const flaw = schemaFlaw(schema);
    if (flaw !== null) throw new InvalidSchema(flaw);
    const json = JSON.stringify(schema);
    const [type] = await this.db.run((sql) => upsertSchema(sql, accountId, name, json));
    this.gate?.forget(accountId);
    if (!type) throw new TooManySchemas();
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
function upsertSchema(sql: Sql, accountId: AccountId, name: string, json: string): Promise<EventType[]> {
  return sql<EventType[]>`
    insert into event_types (account_id, name, schema)
    select ${accountId}::uuid, ${name}::text, ${json}::text::jsonb
    where (
      select count(*) from event_types
      where account_id = ${accountId} and schema is not null and name <> ${name}
    ) < ${MAX_SCHEMAS_PER_ACCOUNT}
    on conflict (account_id, name) do update set schema = excluded.schema
    returning ${columns(sql)}
  `;
}

function columns(sql: Sql) {
  return sql`name, schema, (extract(epoch from created_at) * 1000)::float8 as "createdAt"`;
}
