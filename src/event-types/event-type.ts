import { and, desc, eq, inArray, isNotNull, lte, ne, type SQL } from "drizzle-orm";
import { ensureBelowLimit } from "../accounts/limit";
import { type Database, untilNoDeadlock } from "../db/database";
import type { PageRequest } from "../db/page";
import type { TransactionSql } from "../db/pool";
import { eventTypes, schemaVersions } from "../db/schema";
import { typed } from "../db/typed";
import { type AccountId, INSTALLATION } from "../domain/ids";
import type { ReadYaml } from "./catalogue/yaml";
import { type Description, IS_DESCRIBED } from "./description";
import { DESCRIBED, MAX_VERSIONS, SCHEMAS } from "./event-type-limits";
import { type NewEventType, storeAll } from "./new-event-types";
import type { PayloadGate } from "./payload-gate";
import type { RulesThreads } from "./rules-threads";
import { readPayloadsOf, type Sampled } from "./sample";
import { TOO_MUCH_TOGETHER, WHOLE_MATCH_BUDGET } from "./schema/match-budget";
import type { CheckedSchema } from "./schema/payload-schema";
import { sizeProblem } from "./schema/schema-limits";
import { type EventType, readDescribed, readNewest, readVisible } from "./visible-types";

/** A schema that an event type has or had, as JSON text; null where it was removed. */
export type SchemaVersion = { version: number; schema: string | null; createdAt: number };

/** A page, and the name behind which the next one begins. */
type EventTypePage = { data: EventType[]; next: string | null };

/** The value can't be used as a schema. The message follows the name of the field. */
export class InvalidSchema extends Error {
  constructor(readonly problem: string) {
    super(problem);
    this.name = "InvalidSchema";
  }
}

/** Stores event types that accounts have sent or described. */
export class EventTypes {
  /** Notifies the gate of changes, so that this process applies them at once. */
  constructor(
    private readonly db: Database,
    private readonly thread: Pick<RulesThreads, "check" | "judge" | "readYaml">,
    private readonly gate?: Pick<PayloadGate, "forget">,
  ) {}

  /**
   * Reads a page of event types, newest first; within a transaction, by descending name. The page ends behind the event type with
   * which its schemas and examples reach `PAGE_BYTES`; `next` is null if no other follows. Every method throws
   * `DatabaseUnavailable`.
   */
  async page(accountId: AccountId, { limit, beyond }: PageRequest<string>): Promise<EventTypePage> {
    const rows = await this.db.run((sql) => readNewest(sql, accountId, limit, beyond));
    const last = rows.at(-1);
    const next = last === undefined || last.follower === null ? null : last.name;
    return { data: rows, next };
  }

  /** Resolves to null for an event type that neither the account nor the installation has used or described. */
  get(accountId: AccountId, name: string): Promise<EventType | null> {
    return this.db.run((sql) => readVisible(sql, accountId, name));
  }

  /** Describes an event type, known or not. Absent fields stay unchanged. Throws `LimitReached`. */
  async describe(accountId: AccountId, name: string, changes: Partial<Description>): Promise<EventType> {
    return this.db.transaction(async (sql) => {
      const isOther = and(eq(eventTypes.accountId, accountId), ne(eventTypes.name, name), IS_DESCRIBED);
      await ensureBelowLimit(sql, accountId, DESCRIBED, namesOf(sql, isOther));
      await upsert(sql, { accountId, name, ...changes });
      return changed(sql, accountId, name);
    });
  }

  /** Sets the schema of an event type, known or not. Throws `InvalidSchema`, `LimitReached` and `QueueFull`. */
  async putSchema(accountId: AccountId, name: string, schema: unknown): Promise<EventType> {
    await this.warningsOf(accountId, schema);
    return this.storeSchema(accountId, name, JSON.stringify(schema));
  }

  /** Sets the schema of an event type, known or not, to a checked one, given as JSON text. Throws `LimitReached`. */
  async storeSchema(accountId: AccountId, name: string, schema: string): Promise<EventType> {
    const type = await this.db.transaction(async (sql) => {
      const isOther = and(
        eq(eventTypes.accountId, accountId),
        isNotNull(eventTypes.schema),
        ne(eventTypes.name, name),
      );
      // Its lock also makes concurrent changes of a schema wait for each other.
      await ensureBelowLimit(sql, accountId, SCHEMAS, namesOf(sql, isOther));
      await changeSchema(sql, accountId, name, schema);
      return changed(sql, accountId, name);
    });
    this.gate?.forget(accountId);
    return type;
  }

  /** Removes the schema. Resolves to false if there was none. */
  async deleteSchema(accountId: AccountId, name: string): Promise<boolean> {
    const isThere = await this.db.transaction(async (sql) => {
      const hasSchema = and(isType(accountId, name), isNotNull(eventTypes.schema));
      const [found] = await namesOf(sql, hasSchema).for("update");
      if (found) await changeSchema(sql, accountId, name, null);
      return found !== undefined;
    });
    this.gate?.forget(accountId);
    return isThere;
  }

  /** Reads a page of the described event types, by name. */
  described(accountId: AccountId, { limit, beyond }: PageRequest<string>): Promise<EventType[]> {
    return this.db.run((sql) => readDescribed(sql, accountId, limit, beyond));
  }

  /** Lists the latest schemas, the newest first: the installation's if the account never had one. */
  async versions(accountId: AccountId, name: string): Promise<SchemaVersion[]> {
    const own = await this.ownVersions(accountId, name);
    return own.length > 0 ? own : this.ownVersions(INSTALLATION, name);
  }

  private ownVersions(accountId: AccountId, name: string): Promise<SchemaVersion[]> {
    const { version, schema, createdAt } = schemaVersions;
    return this.db.run((sql) =>
      typed(sql)
        .select({ version, schema, createdAt })
        .from(schemaVersions)
        .where(and(eq(schemaVersions.accountId, accountId), eq(schemaVersions.name, name)))
        .orderBy(desc(version)),
    );
  }

  /**
   * Checks a schema, and validates the newest payloads of the last day with it. Ends early if together they cost too much. Throws
   * `InvalidSchema` and `QueueFull`.
   */
  async trySchema(accountId: AccountId, name: string, schema: unknown, now: number): Promise<TriedSchema> {
    const warnings = await this.warningsOf(accountId, schema);
    const text = JSON.stringify(schema);
    return { schema: text, warnings, judged: await this.tryOnKept(accountId, name, text, now) };
  }

  /** Checks that a value can be used as a schema. Throws `QueueFull`. */
  async checkSchema(accountId: AccountId, schema: unknown): Promise<CheckedSchema> {
    const problem = sizeProblem(schema);
    return problem === null ? this.thread.check(accountId, JSON.stringify(schema)) : { problem };
  }

  /** Reads a document in YAML. Throws `QueueFull`. */
  readYaml(accountId: AccountId, text: string): Promise<ReadYaml> {
    return this.thread.readYaml(accountId, text);
  }

  /** Validates the newest payloads of the last day with a valid schema, given as JSON text. Throws `QueueFull`. */
  async tryOnKept(accountId: AccountId, name: string, schema: string, now: number): Promise<Judged[]> {
    const recent = { createdFrom: now - DAY_MS };
    const payloads = await this.db.run((sql) => readPayloadsOf(sql, accountId, name, recent));
    if (payloads.length === 0) return [];
    const answer = await this.thread.judge(accountId, {
      kind: "judge",
      key: `${accountId} check`,
      version: crypto.randomUUID(),
      schema,
      payloads: payloads.map(({ data }) => data),
      budget: WHOLE_MATCH_BUDGET,
    });
    const verdicts = answer.kind === "judged" ? answer.verdicts : [];
    const end = verdicts.indexOf(TOO_MUCH_TOGETHER);
    return payloads
      .slice(0, end === -1 ? payloads.length : end)
      .map((payload, i) => ({ payload, problem: verdicts[i] ?? null }));
  }

  /** Returns those of some names that the account has used or described. */
  async known(accountId: AccountId, names: readonly string[]): Promise<ReadonlySet<string>> {
    if (names.length === 0) return new Set();
    const rows = await this.db.run((sql) =>
      typed(sql)
        .select({ name: eventTypes.name })
        .from(eventTypes)
        .where(and(eq(eventTypes.accountId, accountId), inArray(eventTypes.name, [...names]))),
    );
    return new Set(rows.map(({ name }) => name));
  }

  /**
   * Stores event types with their descriptions and valid schemas, in one transaction. Returns the problem of each that a limit
   * refuses; null if it is stored.
   */
  async putAll(accountId: AccountId, types: readonly NewEventType[]): Promise<(string | null)[]> {
    if (types.length === 0) return [];
    const problems = await untilNoDeadlock(() =>
      this.db.transaction((sql) => storeAll(sql, accountId, types)),
    );
    this.gate?.forget(accountId);
    return problems;
  }

  private async warningsOf(accountId: AccountId, schema: unknown): Promise<readonly string[]> {
    const checked = await this.checkSchema(accountId, schema);
    if ("problem" in checked) throw new InvalidSchema(checked.problem);
    return checked.warnings;
  }
}

/** A kept payload, and its problem with a schema; null if it matches. */
export type Judged = Readonly<{ payload: Sampled; problem: string | null }>;

/** A valid schema as JSON text, the parts of it that are not checked, and its verdicts on kept payloads. */
export type TriedSchema = Readonly<{
  schema: string;
  warnings: readonly string[];
  judged: readonly Judged[];
}>;

const DAY_MS = 86_400_000;

function namesOf(sql: TransactionSql, those: SQL | undefined) {
  return typed(sql).select({ name: eventTypes.name }).from(eventTypes).where(those);
}

async function upsert(
  sql: TransactionSql,
  row: { accountId: AccountId; name: string } & Partial<typeof eventTypes.$inferInsert>,
): Promise<void> {
  const target = [eventTypes.accountId, eventTypes.name];
  await typed(sql).insert(eventTypes).values(row).onConflictDoUpdate({ target, set: row });
}

/** Reads an event type that was just changed. */
async function changed(sql: TransactionSql, accountId: AccountId, name: string): Promise<EventType> {
  const type = await readVisible(sql, accountId, name);
  if (!type) throw new Error("a changed event type was not found");
  return type;
}

/** Stores a new version of the schema, unless it is unchanged. */
async function changeSchema(
  sql: TransactionSql,
  accountId: AccountId,
  name: string,
  schema: string | null,
): Promise<void> {
  const { schema: former, schemaVersion } = eventTypes;
  const [before] = await typed(sql)
    .select({ schema: former, schemaVersion })
    .from(eventTypes)
    .where(isType(accountId, name));
  if (before && before.schema === schema) return;
  const version = (before?.schemaVersion ?? 0) + 1;
  await typed(sql).insert(schemaVersions).values({ accountId, name, version, schema });
  const isOld = and(
    eq(schemaVersions.accountId, accountId),
    eq(schemaVersions.name, name),
    lte(schemaVersions.version, version - MAX_VERSIONS),
  );
  await typed(sql).delete(schemaVersions).where(isOld);
  await upsert(sql, { accountId, name, schema, schemaVersion: version });
}

function isType(accountId: AccountId, name: string): SQL | undefined {
  return and(eq(eventTypes.accountId, accountId), eq(eventTypes.name, name));
}
