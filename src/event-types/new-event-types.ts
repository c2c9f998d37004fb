import { and, eq, sql as expression, isNotNull, or } from "drizzle-orm";
import { type AccountLimit, LimitReached, lockLimits } from "../accounts/limit";
import type { TransactionSql } from "../db/pool";
import { eventTypes } from "../db/schema";
import { arrayOf } from "../db/sql/arrays";
import { typed } from "../db/typed";
import type { AccountId } from "../domain/ids";
import { type Description, IS_DESCRIBED } from "./description";
import { DESCRIBED, MAX_VERSIONS, SCHEMAS } from "./event-type-limits";

/** An event type to store, with its schema as JSON text. Fields that are absent stay unchanged. */
export type NewEventType = Readonly<{ name: string; schema?: string } & Partial<Description>>;

/** Stores event types that have distinct names. Returns the problem of each that a limit refuses; null if it is stored. */
export async function storeAll(
  sql: TransactionSql,
  accountId: AccountId,
  types: readonly NewEventType[],
): Promise<(string | null)[]> {
  await lockLimits(sql, accountId);
  const problems = limitProblems(types, await readLimited(sql, accountId));
  await write(
    sql,
    accountId,
    types.filter((_, i) => problems[i] === null),
  );
  return problems;
}

type Limited = Readonly<{ name: string; hasSchema: boolean; isDescribed: boolean }>;

/** Reads the account's event types that count towards a limit. */
async function readLimited(sql: TransactionSql, accountId: AccountId): Promise<Limited[]> {
  const { name, schema } = eventTypes;
  return typed(sql)
    .select({
      name,
      hasSchema: expression<boolean>`${isNotNull(schema)}`,
      isDescribed: expression<boolean>`${IS_DESCRIBED}`,
    })
    .from(eventTypes)
    .where(and(eq(eventTypes.accountId, accountId), or(IS_DESCRIBED, isNotNull(schema))));
}

function limitProblems(types: readonly NewEventType[], limited: readonly Limited[]): (string | null)[] {
  const withSchema = new Set(limited.flatMap(({ name, hasSchema }) => (hasSchema ? [name] : [])));
  const described = new Set(limited.flatMap(({ name, isDescribed }) => (isDescribed ? [name] : [])));
  return types.map((type) => {
    const problem =
      (type.schema === undefined ? null : problemOf(SCHEMAS, withSchema, type.name)) ??
      (isDescribed(type) ? problemOf(DESCRIBED, described, type.name) : null);
    if (problem !== null) return problem;
    if (type.schema !== undefined) withSchema.add(type.name);
    if (isDescribed(type)) described.add(type.name);
    return null;
  });
}

function problemOf(limit: AccountLimit, names: ReadonlySet<string>, name: string): string | null {
  return names.has(name) || names.size < limit.most ? null : new LimitReached(limit).message;
}

function isDescribed({ description, group, example, deprecated }: NewEventType): boolean {
  return [description, group, example].some((text) => typeof text === "string") || deprecated === true;
}

/**
 * Writes the event types, with a version of each schema that changes. Locks their rows in the order of their names, as sends do:
 * a removal of a schema beside it then waits.
 */
async function write(
  sql: TransactionSql,
  accountId: AccountId,
  types: readonly NewEventType[],
): Promise<void> {
  await sql`
    select name from event_types
    where account_id = ${accountId} and name = any(${arrayOf(types.map(({ name }) => name))}::text[])
    order by name for update
  `;
  await sql`
    with given as (
      select g.*, t.schema as former, coalesce(t.schema_version, 0) as version, coalesce(t.deprecated, false) as was
      from jsonb_to_recordset(${JSON.stringify(types)}::text::jsonb)
        as g(name text, schema text, description text, "group" text, example text, deprecated boolean)
      left join event_types t on t.account_id = ${accountId} and t.name = g.name
    ), changed as (
      select name, schema, version + 1 as version from given
      where schema is not null and schema is distinct from former
    ), versions as (
      insert into schema_versions (account_id, name, version, schema)
      select ${accountId}, name, version, schema from changed
    ), old as (
      delete from schema_versions v using changed c
      where v.account_id = ${accountId} and v.name = c.name and v.version <= c.version - ${MAX_VERSIONS}
    )
    insert into event_types as t (account_id, name, schema, schema_version, description, "group", example, deprecated)
    select ${accountId}, g.name, coalesce(g.schema, g.former), coalesce(c.version, g.version),
      g.description, g."group", g.example, coalesce(g.deprecated, g.was)
    from given g left join changed c on c.name = g.name
    order by g.name
    on conflict (account_id, name) do update set
      schema = excluded.schema, schema_version = excluded.schema_version, deprecated = excluded.deprecated,
      description = coalesce(excluded.description, t.description), "group" = coalesce(excluded."group", t."group"),
      example = coalesce(excluded.example, t.example)
  `;
}
