import { expect, test } from "bun:test";
import { LimitReached } from "../../src/accounts/limit";
import { type AccountId, newId } from "../../src/domain/ids";
import { EventTypes, InvalidSchema } from "../../src/event-types/event-type";
import { PAGE_BYTES, SCHEMAS } from "../../src/event-types/event-type-limits";
import { RulesThreads } from "../../src/event-types/rules-threads";
import { createLog } from "../../src/runtime/log";
import { atEnd } from "../support/at-end";
import { useDatabase } from "../support/postgres";

const SCHEMA = {
  type: "object",
  required: ["amount"],
  properties: { amount: { minimum: 0.5, default: "ü" } },
};

const rules = new RulesThreads(createLog("silent"));

const database = await useDatabase();
const types = new EventTypes(database.db, rules);
const account = newId("acc");
atEnd(() => rules.close());

function send(name: string) {
  return database.db.run(
    (sql) => sql`insert into event_types (account_id, name) values (${account}, ${name})`,
  );
}

test("a schema describes an event type, even before its first use", async () => {
  await send("order.paid");
  expect((await types.get(account, "order.paid"))?.schema).toBeNull();
  for (const name of ["order.paid", "order.new"]) {
    const described = await types.putSchema(account, name, SCHEMA);
    expect(described).toMatchObject({ name, schema: JSON.stringify(SCHEMA) });
    expect(described.createdAt).toBeWithin(Date.now() - 5_000, Date.now() + 5_000);
    expect(await types.get(account, name)).toEqual(described);
  }
});

test("a schema is replaced, and removed once", async () => {
  await types.putSchema(account, "order.gone", SCHEMA);
  await types.putSchema(account, "order.gone", { type: "object" });
  expect((await types.get(account, "order.gone"))?.schema).toBe('{"type":"object"}');
  expect(await types.deleteSchema(account, "order.gone")).toBe(true);
  expect(await types.deleteSchema(account, "order.gone")).toBe(false);
  expect((await types.get(account, "order.gone"))?.schema).toBeNull();
});

test("an invalid schema is refused and changes nothing", async () => {
  await types.putSchema(account, "order.kept", SCHEMA);
  const putting = types.putSchema(account, "order.kept", { type: "text" });
  await expect(putting).rejects.toBeInstanceOf(InvalidSchema);
  expect((await types.get(account, "order.kept"))?.schema).toBe(JSON.stringify(SCHEMA));
});

test("a schema that looks like a text stays a schema", async () => {
  await types.putSchema(account, "order.quoted", { const: '"quoted"' });
  const [row] = await database.db.run(
    (sql) => sql`select jsonb_typeof(schema::jsonb) as kind from event_types where name = 'order.quoted'`,
  );
  expect(row?.kind).toBe("object");
});

test("event types are listed newest first, page by page, and only those of the account", async () => {
  const other = newId("acc");
  for (const name of ["b", "a", "c"]) await types.putSchema(other, name, {});
  expect(await listed(other)).toEqual(["c", "a", "b"]);
  expect(await types.get(other, "order.paid")).toBeNull();
  expect(await types.deleteSchema(other, "order.paid")).toBe(false);
});

test("no event type created at the same moment as another is skipped between two pages", async () => {
  const other = newId("acc");
  await database.db.run(
    (sql) => sql`
      insert into event_types (account_id, name) select ${other}, 'type ' || n from generate_series(1, 5) n
    `,
  );
  expect(await listed(other)).toEqual([5, 4, 3, 2, 1].map((n) => `type ${n}`));
});

test("an account has a limited number of schemas", async () => {
  const other = newId("acc");
  await database.db.run(
    (sql) => sql`
      insert into event_types (account_id, name, schema)
      select ${other}, 'type ' || n, '{}'::jsonb from generate_series(1, ${SCHEMAS.most}::integer - 1) n
    `,
  );
  // There is room for only one of several that arrive at once.
  const names = Array.from({ length: 8 }, (_, i) => `new ${i}`);
  const puts = await Promise.allSettled(names.map((name) => types.putSchema(other, name, {})));
  expect(puts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  await expect(types.putSchema(other, "one more", {})).rejects.toBeInstanceOf(LimitReached);
  expect(await types.putSchema(other, "type 1", SCHEMA)).toMatchObject({ schema: JSON.stringify(SCHEMA) });
});

test("a change reaches the gate of this process", async () => {
  const reported: AccountId[] = [];
  const telling = new EventTypes(database.db, rules, { forget: (accountId) => reported.push(accountId) });
  await telling.putSchema(account, "order.known", SCHEMA);
  await telling.deleteSchema(account, "order.known");
  expect(reported).toEqual([account, account]);
});

test("a page ends where its schemas and examples reach a mebibyte", async () => {
  const other = newId("acc");
  const example = JSON.stringify("x".repeat(PAGE_BYTES / 64 - 2));
  await database.db.run(
    (sql) => sql`
      insert into event_types (account_id, name, example)
      select ${other}, 'type ' || n, ${example} from generate_series(100, 199) n
    `,
  );
  const first = await types.page(other, { limit: 100 });
  expect({ length: first.data.length, next: first.next }).toEqual({ length: 64, next: "type 136" });
  const second = await types.page(other, { limit: 100, beyond: "type 136" });
  expect({ length: second.data.length, next: second.next }).toEqual({ length: 36, next: null });
});

/** Returns the names of all of an account's event types, read two at a time. */
async function listed(accountId: AccountId): Promise<string[]> {
  const names: string[] = [];
  for (let beyond: string | null | undefined; beyond !== null; ) {
    const { data, next } = await types.page(accountId, { limit: 2, beyond });
    names.push(...data.map(({ name }) => name));
    beyond = next;
  }
  return names;
}
