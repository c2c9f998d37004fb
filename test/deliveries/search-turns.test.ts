import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readAfter } from "../../src/deliveries/cursor-form";
import { readNext } from "../../src/deliveries/iteration";
import type { SearchFilters } from "../../src/deliveries/search";
import { SearchPaces } from "../../src/deliveries/search-pace";
import { SearchTurns, type Turn } from "../../src/deliveries/search-turns";
import { type AccountId, newId } from "../../src/runtime/ids";
import { type TestDatabase, testDatabase } from "../support/postgres";
import { Ledger } from "./ledger";

const PATIENT = new AbortController().signal;

/** Work that lasts until it is told to end. */
function hold(turn: Turn) {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const work = () => {
    begun.resolve();
    return end.promise;
  };
  return { begun: begun.promise, end: end.resolve, done: turn(work, PATIENT) };
}

describe("a turn", () => {
  test("comes to one piece of an account and two of all at a time, and to every account", async () => {
    const turns = new SearchTurns();
    const accounts = Array.from({ length: 4 }, () => newId("acc"));
    const under: AccountId[] = [];
    const ended: AccountId[] = [];
    const piece = async (account: AccountId) => {
      under.push(account);
      expect(new Set(under).size).toBe(under.length);
      expect(under.length).toBeLessThanOrEqual(2);
      await new Promise(setImmediate);
      under.splice(under.indexOf(account), 1);
      ended.push(account);
    };
    const asked = accounts.flatMap((account) => Array.from({ length: 10 }, () => account));
    await Promise.all(asked.map((account) => turns.of(account)(() => piece(account), PATIENT)));
    expect(ended).toHaveLength(40);
    // Nobody waited behind another's ten.
    for (let i = 0; i < 40; i += 4) expect(new Set(ended.slice(i, i + 4)).size).toBe(4);
  });

  test("that is given up, or whose work fails, leaves the others theirs", async () => {
    const turns = new SearchTurns();
    const turn = turns.of(newId("acc"));
    const first = hold(turn);
    const hurry = new AbortController();
    const givenUp = turn(async () => "late", hurry.signal);
    const next = turn(async () => "next", PATIENT);
    hurry.abort();
    expect(await givenUp).toBeNull();
    expect(await turn(async () => "late", hurry.signal)).toBeNull();
    first.end();
    expect(await next).toBe("next");
    const failing = turn(() => Promise.reject(new Error("broken")), PATIENT);
    await expect(failing).rejects.toThrow("broken");
    expect(await turn(async () => "after it", PATIENT)).toBe("after it");
  });
});

type Search = [name: string, wanted: SearchFilters, paces: (turns: SearchTurns) => SearchPaces];
const PAYLOADS: Search = [
  "payloads",
  { payload: [{ name: "a", value: "1" }] },
  (turns) => new SearchPaces(turns, new SearchTurns()),
];
const ATTEMPTS: Search = [
  "attempts",
  { responseStatus: { from: 500, to: 599 } },
  (turns) => new SearchPaces(new SearchTurns(), turns),
];

describe.each([PAYLOADS, ATTEMPTS])("a search through %s whose turn does not come", (_, filters, pacesOf) => {
  let database: TestDatabase;
  let ledger: Ledger;

  beforeAll(async () => {
    database = await testDatabase();
    ledger = new Ledger(database.db);
  });
  afterAll(() => database.drop());

  async function newHistory() {
    const accountId = await ledger.account();
    const endpointId = await ledger.endpoint(accountId);
    const ids = [newId("wh"), newId("wh"), newId("wh")].toSorted();
    for (const id of ids) await ledger.accept(accountId, endpointId, null, id, '{"a":1}');
    await database.db.run((sql) => sql`update queue set attempt_count = 1, response_status = 503`);
    return { accountId, ids };
  }
  const wanted = { ...filters, limit: 2 };

  test("ends in time, with a cursor that skips nothing", async () => {
    const { accountId, ids } = await newHistory();
    const turns = new SearchTurns();
    const other = hold(turns.of(accountId));
    await other.begun;
    const read = (after?: Parameters<typeof readAfter>[3]["after"]) =>
      readAfter(database.db, pacesOf(turns), accountId, { ...wanted, after });
    const { data, next } = await read();
    expect(data).toEqual([]);
    other.end();
    const first = await read(next ?? undefined);
    const second = await read(first.next ?? undefined);
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids.toReversed());
    expect(next).not.toBeNull();
    expect(second.next).toBeNull();
  });

  test("so does an iterator, which says that more is waiting", async () => {
    const { accountId, ids } = await newHistory();
    const turns = new SearchTurns();
    const others = [hold(turns.of(newId("acc"))), hold(turns.of(newId("acc")))];
    await Promise.all(others.map(({ begun }) => begun));
    const read = (from: Parameters<typeof readNext>[3]["from"]) =>
      readNext(database.db, pacesOf(turns), accountId, { ...wanted, from });
    const none = await read("start");
    expect(none).toMatchObject({ data: [], more: true });
    for (const { end } of others) end();
    const first = await read(none.position);
    const second = await read(first.position);
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
  });
});
