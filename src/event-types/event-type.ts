import { and, desc, eq, sql as expression, getTableColumns, isNotNull, ne, type SQL } from "drizzle-orm";
import { ensureRoom } from "../accounts/limit";
import type { Database } from "../db/database";
import type { PageRequest } from "../db/page";
import { eventTypes } from "../db/schema";
import { typed } from "../db/typed";
import type { AccountId } from "../domain/ids";
import type { PayloadGate } from "./payload-gate";
import type { JsonSchema } from "./schema/schema-compiler";
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

const { accountId: _, ...COLUMNS } = getTableColumns(eventTypes);

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
    private readonly gate?: Pick<PayloadGate, "forget">,
  ) {}

  /**
   * Lists a page of event types, newest first; within a transaction, by descending name. Throws `DatabaseUnavailable`,
   * as all methods do.
   */
  page(accountId: AccountId, { limit, beyond }: PageRequest<string>): Promise<EventType[]> {
    const those = and(
      eq(eventTypes.accountId, accountId),
      beyond === undefined ? undefined : isBefore(accountId, beyond),
    );
    return this.db.run((sql) =>
      typed(sql)
        .select(COLUMNS)
        .from(eventTypes)
        .where(those)
        .orderBy(desc(eventTypes.createdAt), desc(eventTypes.name))
        .limit(limit),
    );
  }

  /** Null for an event type that the account has neither used nor described. */
  async get(accountId: AccountId, name: string): Promise<EventType | null> {
    const [type] = await this.db.run((sql) =>
      typed(sql).select(COLUMNS).from(eventTypes).where(isType(accountId, name)),
    );
    return type ?? null;
  }

  /** Describes an event type, known or not. Throws `InvalidSchema`, `LimitReached` and `QueueFull`. */
  async putSchema(accountId: AccountId, name: string, schema: unknown): Promise<EventType> {
    const flaw = await this.worker.check(accountId, schema);
    if (flaw !== null) throw new InvalidSchema(flaw);
    const row = { accountId, name, schema: schema as JsonSchema };
    const isOther = and(
      eq(eventTypes.accountId, accountId),
      isNotNull(eventTypes.schema),
      ne(eventTypes.name, name),
    );
    const [type] = await this.db.transaction(async (sql) => {
      const others = typed(sql).select({ name: eventTypes.name }).from(eventTypes).where(isOther);
      await ensureRoom(sql, accountId, SCHEMAS, others);
      const target = [eventTypes.accountId, eventTypes.name];
      return typed(sql)
        .insert(eventTypes)
        .values(row)
        .onConflictDoUpdate({ target, set: row })
        .returning(COLUMNS);
    });
    if (!type) throw new Error("the update of a schema returned no row");
    this.gate?.forget(accountId);
    return type;
  }

  /** Removes the schema; false when there was none. */
  async deleteSchema(accountId: AccountId, name: string): Promise<boolean> {
    const hasSchema = and(isType(accountId, name), isNotNull(eventTypes.schema));
    const changed = await this.db.run((sql) =>
      typed(sql)
        .update(eventTypes)
        .set({ schema: null })
        .where(hasSchema)
        .returning({ name: eventTypes.name }),
    );
    this.gate?.forget(accountId);
    return changed.length > 0;
  }
}

// Event types are never removed, so the name alone marks where the previous page ended.
function isBefore(accountId: AccountId, name: string): SQL {
  return expression`(${eventTypes.createdAt}, ${eventTypes.name}) < (
    select created_at, name from event_types where account_id = ${accountId} and name = ${name}
  )`;
}

function isType(accountId: AccountId, name: string): SQL | undefined {
  return and(eq(eventTypes.accountId, accountId), eq(eventTypes.name, name));
}
