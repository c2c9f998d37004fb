import { afterAll, beforeAll, beforeEach, expect, spyOn, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020";
import { DatabaseUnavailable } from "../../src/db/database";
import { Effort, TOO_MUCH_TOGETHER } from "../../src/event-types/effort";
import { EventTypes } from "../../src/event-types/event-type";
import { SchemaGate } from "../../src/event-types/schema-gate";
import { SchemaTurns } from "../../src/event-types/schema-turns";
import { systemClock } from "../../src/runtime/clock";
import { type AccountId, newId } from "../../src/runtime/ids";
import { ManualClock } from "../accounts/manual-clock";
import { type TestDatabase, testDatabase } from "../support/postgres";

const SCHEMA = { required: ["amount"] };
const REFUSAL = "data must have required property 'amount'";

/** Schemas whose turns follow each other at once. */
const restless = () => new SchemaTurns({ ...systemClock, after: (_, fire) => systemClock.after(0, fire) });

let database: TestDatabase;
let types: EventTypes;
let clock: ManualClock;
let gate: SchemaGate;
let account: AccountId;

beforeAll(async () => {
  database = await testDatabase();
  types = new EventTypes(database.db, undefined, restless());
});
afterAll(() => database.drop());

beforeEach(() => {
  clock = new ManualClock();
  gate = new SchemaGate(database.db, clock, restless());
  account = newId("acc");
});

test("data that does not match the schema of its event type is refused", async () => {
  await types.putSchema(account, "order.paid", SCHEMA);
  expect(await gate.check(account, "order.paid", {})).toBe(REFUSAL);
  expect(await gate.check(account, "order.paid", { amount: 1 })).toBeNull();
  expect(await gate.check(account, "order.new", {})).toBeNull();
  expect(await gate.check(newId("acc"), "order.paid", {})).toBeNull();
});

test("what is kept as a schema and is none by now is matched by nothing, and says why", async () => {
  await types.putSchema(account, "order.paid", SCHEMA);
  await database.db.run(
    (sql) => sql`update event_types set schema = '{"rule": 1}' where account_id = ${account}`,
  );
  expect(await gate.check(account, "order.paid", {})).toMatch(/^the schema of this event type .*keyword/);
});

test("without an event nothing is looked up", () => {
  expect(gate.check(account, null, {})).toBeNull();
});

test("what was read is judged without waiting", async () => {
  await types.putSchema(account, "order.paid", SCHEMA);
  expect(gate.check(account, "order.paid", {})).toBeInstanceOf(Promise);
  await gate.check(account, "order.paid", {});
  const run = spyOn(database.db, "run");
  expect(gate.check(account, "order.paid", {})).toBe(REFUSAL);
  expect(gate.check(account, "order.new", {})).toBeNull();
  expect(run).not.toHaveBeenCalled();
  run.mockRestore();
});

test("a change is heeded within 2 s, by those in use too", async () => {
  expect(await gate.check(account, "order.paid", {})).toBeNull();
  await types.putSchema(account, "order.paid", SCHEMA);
  expect(gate.check(account, "order.paid", {})).toBeNull();
  clock.pass(1_000);
  gate.check(account, "order.paid", {});
  while ((await gate.check(account, "order.paid", {})) === null) await Bun.sleep(1);
  await types.putSchema(account, "order.paid", { required: ["total"] });
  clock.pass(2_000);
  expect(await gate.check(account, "order.paid", {})).toBe("data must have required property 'total'");
  await types.deleteSchema(account, "order.paid");
  clock.pass(2_000);
  expect(await gate.check(account, "order.paid", {})).toBeNull();
});

test("a change of this process is heeded at once", async () => {
  const telling = new EventTypes(database.db, gate);
  expect(await gate.check(account, "order.paid", {})).toBeNull();
  await telling.putSchema(account, "order.paid", SCHEMA);
  expect(await gate.check(account, "order.paid", {})).toBe(REFUSAL);
});

test("while Postgres is away it judges for 2 s and then says that it can't", async () => {
  await types.putSchema(account, "order.paid", SCHEMA);
  await gate.check(account, "order.paid", {});
  const run = spyOn(database.db, "run").mockRejectedValue(new DatabaseUnavailable("a test"));
  clock.pass(1_999);
  expect(gate.check(account, "order.paid", {})).toBe(REFUSAL);
  await Bun.sleep(1);
  clock.pass(1);
  await expect(Promise.resolve(gate.check(account, "order.paid", {}))).rejects.toBeInstanceOf(
    DatabaseUnavailable,
  );
  run.mockRestore();
});

test("many accounts at once are few statements", async () => {
  const run = spyOn(database.db, "run");
  await Promise.all(Array.from({ length: 50 }, () => gate.check(newId("acc"), "order.paid", {})));
  expect(run.mock.calls.length).toBeLessThanOrEqual(2);
  run.mockRestore();
});

const LARGE = { allOf: Array.from({ length: 500 }, (_, i) => ({ not: { const: i } })) };

test("of large schemas few are kept ready, of small ones many", async () => {
  const isKept = async (schema: object) => {
    const owner = newId("acc");
    const names = Array.from({ length: 20 }, (_, i) => `type.${i}`);
    for (const name of names) await types.putSchema(owner, name, schema);
    for (const name of names) await gate.check(owner, name, {});
    return names.map((name) => !(gate.check(owner, name, {}) instanceof Promise));
  };
  const kept = await isKept(LARGE);
  expect([kept.at(0), kept.at(-1)]).toEqual([false, true]);
  expect(await isKept(SCHEMA)).not.toContain(false);
});

test("a burst of payloads has their schema read and compiled once", async () => {
  await types.putSchema(account, "order.paid", SCHEMA);
  const run = spyOn(database.db, "run");
  const compile = spyOn(Ajv2020.prototype, "compile");
  const verdicts = await Promise.all(
    Array.from({ length: 50 }, async () => gate.check(account, "order.paid", {})),
  );
  expect(verdicts).toEqual(Array(50).fill(REFUSAL));
  expect(compile).toHaveBeenCalledTimes(1);
  compile.mockRestore();
  // One for the versions, one for the schema.
  expect(run).toHaveBeenCalledTimes(2);
  run.mockRestore();
});

test("a burst that knows of an older version has its schema compiled once", async () => {
  await types.putSchema(account, "order.paid", SCHEMA);
  await gate.check(account, "order.other", {});
  await types.putSchema(account, "order.paid", { required: ["total"] });
  const compile = spyOn(Ajv2020.prototype, "compile");
  for (let i = 0; i < 3; i++) {
    expect(await gate.check(account, "order.paid", {})).toBe("data must have required property 'total'");
  }
  expect(compile).toHaveBeenCalledTimes(1);
  compile.mockRestore();
});

test("between two schemas all else has its turns", async () => {
  const names = Array.from({ length: 4 }, (_, i) => `type.${i}`);
  for (const name of names) await types.putSchema(account, name, LARGE);
  const turns = new SchemaTurns();
  gate = new SchemaGate(database.db, clock, turns);
  types = new EventTypes(database.db, gate, turns);
  await gate.check(account, "order.paid", {});
  const compile = spyOn(Ajv2020.prototype, "compile");
  const seen = [0];
  const ticking = setInterval(() => seen.push(compile.mock.calls.length), 0);
  await Promise.all([
    ...names.map((name) => gate.check(account, name, {})),
    ...names.map((name) => types.putSchema(newId("acc"), name, LARGE)),
  ]);
  clearInterval(ticking);
  expect(compile).toHaveBeenCalledTimes(8);
  compile.mockRestore();
  const atOnce = seen.slice(1).map((count, i) => count - (seen[i] ?? 0));
  expect(Math.max(...atOnce)).toBe(1);
});

test("of large schemas one request can't have all compiled", async () => {
  const names = Array.from({ length: 20 }, (_, i) => `type.${i}`);
  for (const name of names) await types.putSchema(account, name, LARGE);
  const effort = new Effort();
  const verdicts: (string | null)[] = [];
  for (const name of names) verdicts.push(await gate.check(account, name, {}, effort));
  const judged = verdicts.filter((verdict) => verdict === null).length;
  expect(judged).toBeGreaterThan(5);
  expect(verdicts.slice(judged)).toEqual(Array(20 - judged).fill(TOO_MUCH_TOGETHER));
  expect(judged).toBeLessThan(20);
  expect(await gate.check(account, "type.19", {})).toBeNull();
});
