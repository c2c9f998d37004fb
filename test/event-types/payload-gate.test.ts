import { beforeEach, expect, spyOn, test } from "bun:test";
import { DatabaseUnavailable } from "../../src/db/database";
import { type AccountId, newId } from "../../src/domain/ids";
import { EventTypes } from "../../src/event-types/event-type";
import { type GateResult, PayloadGate } from "../../src/event-types/payload-gate";
import { RulesSuspended, RulesThreads } from "../../src/event-types/rules-threads";
import { TOO_MUCH_TOGETHER, WHOLE_MATCH_BUDGET } from "../../src/event-types/schema/match-budget";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import { ManualClock } from "../accounts/manual-clock";
import { atEnd } from "../support/at-end";
import { useDatabase } from "../support/postgres";

const SCHEMA = { required: ["amount"] };
const REFUSAL = "data must have required property 'amount'";

const rules = new RulesThreads(createLog("silent"));

let clock: ManualClock;
let gate: PayloadGate;
let account: AccountId;

const database = await useDatabase();
const types = new EventTypes(database.db, rules);
atEnd(() => rules.close());

beforeEach(() => {
  clock = new ManualClock();
  gate = new PayloadGate(database.db, clock, rules);
  account = newId("acc");
});

/** Checks one payload. */
function check(accountId: AccountId, event: string | null, data: object) {
  const first = (results: readonly GateResult[]) => results[0]?.problem ?? null;
  const results = gate.check(accountId, [{ event, data: JSON.stringify(data) }]);
  return results instanceof Promise ? results.then(first) : first(results);
}

test("data that does not match the schema of its event type is refused", async () => {
  await types.putSchema(account, "order.paid", SCHEMA);
  expect(await check(account, "order.paid", {})).toBe(REFUSAL);
  expect(await check(account, "order.paid", { amount: 1 })).toBeNull();
  expect(await check(account, "order.new", {})).toBeNull();
  expect(await check(newId("acc"), "order.paid", {})).toBeNull();
});

test("a stored schema that is no longer valid matches nothing, and the error says why", async () => {
  await types.putSchema(account, "order.paid", SCHEMA);
  await database.db.run(
    (sql) => sql`update event_types set schema = '{"minimum": "1"}' where account_id = ${account}`,
  );
  expect(await check(account, "order.paid", {})).toMatch(/^the schema of this event type .*minimum/);
});

test("a schema that was read is cached", async () => {
  await types.putSchema(account, "order.paid", SCHEMA);
  await check(account, "order.paid", {});
  const run = spyOn(database.db, "run");
  expect(await check(account, "order.paid", {})).toBe(REFUSAL);
  expect(check(account, "order.new", {})).toBeNull();
  expect(run).not.toHaveBeenCalled();
  run.mockRestore();
});

test("a change applies within 2 s, even to schemas in use", async () => {
  expect(await check(account, "order.paid", {})).toBeNull();
  await types.putSchema(account, "order.paid", SCHEMA);
  expect(check(account, "order.paid", {})).toBeNull();
  clock.pass(1_000);
  check(account, "order.paid", {});
  while ((await check(account, "order.paid", {})) === null) await Bun.sleep(1);
  await types.putSchema(account, "order.paid", { required: ["total"] });
  clock.pass(2_000);
  expect(await check(account, "order.paid", {})).toBe("data must have required property 'total'");
  await types.deleteSchema(account, "order.paid");
  clock.pass(2_000);
  expect(await check(account, "order.paid", {})).toBeNull();
});

test("a change by this process applies at once", async () => {
  const telling = new EventTypes(database.db, rules, gate);
  expect(await check(account, "order.paid", {})).toBeNull();
  await telling.putSchema(account, "order.paid", SCHEMA);
  expect(await check(account, "order.paid", {})).toBe(REFUSAL);
});

test("while Postgres is down cached schemas work for 2 s, then requests get an error", async () => {
  await types.putSchema(account, "order.paid", SCHEMA);
  await check(account, "order.paid", {});
  const run = spyOn(database.db, "run").mockRejectedValue(new DatabaseUnavailable("a test"));
  clock.pass(1_999);
  expect(await check(account, "order.paid", {})).toBe(REFUSAL);
  await Bun.sleep(1);
  clock.pass(1);
  await expect(Promise.resolve(check(account, "order.paid", {}))).rejects.toBeInstanceOf(DatabaseUnavailable);
  run.mockRestore();
});

test("look-ups of many accounts at once take few statements", async () => {
  const run = spyOn(database.db, "run");
  await Promise.all(Array.from({ length: 50 }, () => check(newId("acc"), "order.paid", {})));
  expect(run.mock.calls.length).toBeLessThanOrEqual(2);
  run.mockRestore();
});

test("a schema is compiled once, and again when it changes", async () => {
  await types.putSchema(account, "order.paid", SCHEMA);
  await check(account, "order.other", {});
  const run = spyOn(database.db, "run");
  for (let i = 0; i < 3; i++) expect(await check(account, "order.paid", {})).toBe(REFUSAL);
  expect(run).toHaveBeenCalledTimes(1);
  run.mockRestore();
  await types.putSchema(account, "order.paid", { required: ["total"] });
  gate.forget(account);
  expect(await check(account, "order.paid", {})).toBe("data must have required property 'total'");
});

test("each payload of a request is checked by its own event type", async () => {
  await types.putSchema(account, "order.paid", SCHEMA);
  await types.putSchema(account, "order.sent", { required: ["parcel"] });
  const payloads = ["order.sent", "order.paid", null, "order.new", "order.sent"].map((event) => ({
    event,
    data: event === "order.paid" ? '{"amount":1}' : "{}",
  }));
  const missing = "data must have required property 'parcel'";
  const verdicts = await gate.check(account, payloads);
  expect(verdicts.map(({ problem }) => problem)).toEqual([missing, null, null, null, missing]);
});

test("a payload's own __proto__ changes nothing else", async () => {
  await types.putSchema(account, "order.paid", SCHEMA);
  const verdicts = await gate.check(account, [{ event: "order.paid", data: '{"__proto__":{"amount":1}}' }]);
  expect(verdicts.map(({ problem }) => problem)).toEqual([REFUSAL]);
});

const LARGE = { allOf: Array.from({ length: 500 }, (_, i) => ({ not: { const: i } })) };

test("one request can't have many large schemas compiled", async () => {
  const names = Array.from({ length: 20 }, (_, i) => `type.${i}`);
  for (const name of names) await types.putSchema(account, name, LARGE);
  const verdicts = await gate.check(
    account,
    names.map((event) => ({ event, data: "{}" })),
  );
  const problems = verdicts.map(({ problem }) => problem);
  const judged = problems.filter((problem) => problem === null).length;
  expect(judged).toBeGreaterThan(5);
  expect(problems.slice(judged)).toEqual(Array(20 - judged).fill(TOO_MUCH_TOGETHER));
  expect(judged).toBeLessThan(20);
  expect(await check(account, "type.19", {})).toBeNull();
});

/** Shorter than a large schema takes to compile, and usually longer than a busy machine delays a thread. */
const LONG_GAP_MS = 50;

test("the request thread continues while schemas are compiled", async () => {
  await check(account, "order.paid", {});
  const owners = Array.from({ length: 8 }, () => newId("acc"));
  let isDone = false;
  let heldUpMs = 0;
  const ticking = (async () => {
    for (let last = performance.now(); !isDone; last = performance.now()) {
      await new Promise(setImmediate);
      const gapMs = performance.now() - last;
      if (gapMs > LONG_GAP_MS) heldUpMs += gapMs;
    }
  })();
  const began = performance.now();
  await Promise.all(owners.map((owner) => types.putSchema(owner, "order.paid", LARGE)));
  isDone = true;
  await ticking;
  // Compiled in this thread, the schemas would block it for nearly all of the time.
  expect(heldUpMs).toBeLessThan((performance.now() - began) / 2);
});

/** Larger than a request may be: reading it takes seconds. */
const ENDLESS = {
  kind: "filter",
  event: null,
  data: `[${"{},".repeat(8_000_000)}1]`,
  filters: [{ filter: "data == 1", metadata: {} }],
  steps: 1,
} as const;

test("an account whose rule takes too long waits, and others' questions are asked again", async () => {
  const impatient = new RulesThreads(createLog("silent"), systemClock, 500);
  const [slow, other] = [newId("acc"), newId("acc")];
  const ofOthers = (count: number) =>
    Promise.all(Array.from({ length: count }, () => impatient.checkFilter(other, "data.n == 1")));
  await ofOthers(1);
  const asked = impatient.filter(slow, ENDLESS);
  const before = ofOthers(10);
  await expect(asked).rejects.toBeInstanceOf(RulesSuspended);
  await expect(impatient.checkFilter(slow, "data.n == 1")).rejects.toBeInstanceOf(RulesSuspended);
  expect(new Set(await before)).toEqual(new Set([null]));
  expect(new Set(await ofOthers(10))).toEqual(new Set([null]));
  impatient.close();
});

test("a thread that crashes is logged and replaced, and leaves no timer", async () => {
  const lines: object[] = [];
  let timers = 0;
  const after: typeof systemClock.after = (ms, fire) => {
    timers++;
    const cancel = systemClock.after(ms, () => {
      timers--;
      fire();
    });
    return () => {
      timers--;
      cancel();
    };
  };
  const crashing = new RulesThreads({ error: (line: object) => lines.push(line) }, { ...systemClock, after });
  const broken = {
    kind: "judge",
    key: "k",
    version: "1",
    schema: "{}",
    payloads: ["{"],
    budget: WHOLE_MATCH_BUDGET,
  } as const;
  await expect(crashing.judge(account, broken)).rejects.toBeInstanceOf(RulesSuspended);
  expect(lines).toEqual([
    { error: expect.stringContaining("JSON"), account_id: expect.stringMatching(/^acc_/) },
  ]);
  expect(timers).toBe(0);
  expect(await crashing.check(newId("acc"), '{"not":1}')).toHaveProperty("problem");
  crashing.close();
});

test("large payloads are sent alone, so that together they do not exceed the thread's time limit", async () => {
  let messages = 0;
  const after = () => {
    messages++;
    return () => {};
  };
  const counted = new RulesThreads(createLog("silent"), { ...systemClock, after });
  const judge = (payload: string) =>
    counted.judge(newId("acc"), {
      kind: "judge",
      key: "unknown",
      version: "1",
      schema: null,
      payloads: [payload],
      budget: WHOLE_MATCH_BUDGET,
    });
  const judgeAll = (payload: string) => Promise.all(Array.from({ length: 64 }, () => judge(payload)));
  await judgeAll("{}");
  expect(messages).toBe(1);
  await judgeAll(JSON.stringify("x".repeat(16_384)));
  expect(messages).toBe(65);
  counted.close();
});
