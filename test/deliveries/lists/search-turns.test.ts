import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { arrayOf } from "../../../src/db/sql/arrays";
import { Deliveries } from "../../../src/deliveries/deliveries";
import { readAfter } from "../../../src/deliveries/lists/cursor-form";
import { readNext } from "../../../src/deliveries/lists/iteration";
import type { SearchFilters } from "../../../src/deliveries/lists/search";
import { SCAN_SIZES, SearchPaces } from "../../../src/deliveries/lists/search-pace";
import { type SearchTurn, SearchTurns } from "../../../src/deliveries/lists/search-turns";
import { type AccountId, type DeliveryId, type EndpointId, newId } from "../../../src/domain/ids";
import { type TestDatabase, testDatabase } from "../../support/postgres";
import { Ledger } from "../ledger";

const PATIENT = new AbortController().signal;

/** Work that lasts until it is asked to end. */
function hold(turn: SearchTurn) {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const work = () => {
    begun.resolve();
    return end.promise;
  };
  return { begun: begun.promise, end: end.resolve, done: turn(work, PATIENT) };
}

describe("the queue for searches", () => {
  test("admits one piece per account and two in all, and every account in turn", async () => {
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
    // No other account waited behind the ten.
    for (let i = 0; i < 40; i += 4) expect(new Set(ended.slice(i, i + 4)).size).toBe(4);
  });

  test("goes on if a waiter gives up, or its work fails", async () => {
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

test("makes newcomers wait while others are waiting", async () => {
  const turn = new SearchTurns().of(newId("acc"));
  const [first, second] = [hold(turn), hold(turn)];
  await first.begun;
  first.end();
  await second.begun;
  const third = hold(turn);
  let hasBegun = false;
  third.begun.then(() => {
    hasBegun = true;
  });
  await new Promise(setImmediate);
  expect(hasBegun).toBe(false);
  second.end();
  await third.begun;
  third.end();
});

test("admits the first piece of a search at once, unless it reads payloads; all others wait", async () => {
  let waited = 0;
  const turns = new SearchTurns();
  turns.of = () => (work) => {
    waited++;
    return work();
  };
  const paces = new SearchPaces(turns, turns);
  const waitedIn = async (wanted: SearchFilters) => {
    const pace = paces.of(newId("acc"), wanted);
    waited = 0;
    const counts: number[] = [];
    for (let i = 0; i < 3; i++) {
      await pace.piece(async () => null);
      counts.push(waited);
    }
    return counts;
  };
  expect(await waitedIn({ error: "timeout" })).toEqual([0, 1, 2]);
  expect(await waitedIn({ payload: [{ name: "a", value: "1" }] })).toEqual([1, 2, 3]);
});

describe("a page", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());

  test.each([
    ["has to be looked for", { page: 1, event: "a.b", status: "pending" }, 1],
    ["is far", { page: 501 }, 0],
  ] as const)("that %s waits in the queue, and no other does", async (_, wanted, count) => {
    const ledger = new Ledger(database.db);
    const accountId = await ledger.account();
    await ledger.accept(accountId, await ledger.endpoint(accountId), "a.b");
    const turns = new SearchTurns();
    const deliveries = new Deliveries(database.db, null, turns);
    const other = hold(turns.of(accountId));
    await other.begun;
    const page = { page: 1, perPage: 20 };
    let isThere = false;
    const lookedFor = deliveries.pageForm(accountId, { ...page, ...wanted }).finally(() => {
      isThere = true;
    });
    for (const filter of [{}, { page: 500 }, { event: "a.b" }, { status: "pending" } as const]) {
      expect((await deliveries.pageForm(accountId, { ...page, ...filter })).total).toBe(1);
    }
    expect(isThere).toBe(false);
    other.end();
    const { total, deliveries: found } = await lookedFor;
    expect([total, found.length]).toEqual([1, count]);
  });
});

type Search = [name: string, wanted: SearchFilters, paces: (turns: SearchTurns) => SearchPaces];
const SEARCHES: Search[] = [
  ["payloads", { payload: [{ name: "a", value: "1" }] }, (turns) => new SearchPaces(turns)],
  ["attempts", { responseStatus: { from: 500, to: 599 } }, (turns) => new SearchPaces(undefined, turns)],
];

describe.each(SEARCHES)("a search through %s that is not admitted in time", (_, filters, pacesOf) => {
  let database: TestDatabase;
  let ledger: Ledger;

  beforeAll(async () => {
    database = await testDatabase();
    ledger = new Ledger(database.db);
  });
  afterAll(() => database.drop());

  /** Three matches, with more other deliveries before and after them than the first piece of any search examines. */
  async function newHistory() {
    const accountId = await ledger.account();
    const endpointId = await ledger.endpoint(accountId);
    await acceptMany(accountId, endpointId, 1_000_000);
    const ids = [newId("wh"), newId("wh"), newId("wh")];
    for (const id of ids) await ledger.accept(accountId, endpointId, null, id, '{"a":1}');
    await database.db.run(
      (sql) => sql`
        update queue set attempt_count = 1, response_status = 503
        where account_id = ${accountId} and delivery_id = any(${arrayOf(ids)}::uuid[])`,
    );
    await acceptMany(accountId, endpointId, 2_000_000);
    return { accountId, ids };
  }

  function acceptMany(accountId: AccountId, endpointId: EndpointId, firstSequence: number) {
    const ids = Array.from({ length: SCAN_SIZES.first + 1 }, () => newId("wh"));
    return database.db.transaction(async (sql) => {
      await sql`
        insert into deliveries (id, account_id, endpoint_id, sequence, data)
        select id, ${accountId}, ${endpointId}, ${firstSequence} + n, '{}'
        from unnest(${arrayOf(ids)}::uuid[]) with ordinality as i(id, n)`;
      await sql`
        insert into queue (partition, endpoint_id, sequence, delivery_id, account_id, attempt_count, response_status)
        select 0, endpoint_id, sequence, id, account_id, 1, 404 from deliveries where id = any(${arrayOf(ids)}::uuid[])`;
    });
  }
  const wanted = { ...filters, limit: 2 };

  test("ends in time, with a cursor that skips nothing", async () => {
    const { accountId, ids } = await newHistory();
    const turns = new SearchTurns();
    const paces = pacesOf(turns);
    const other = hold(turns.of(accountId));
    await other.begun;
    let page = await readAfter(database.db, paces, accountId, wanted);
    expect(page.data).toEqual([]);
    expect(page.next).not.toBeNull();
    other.end();
    const found: DeliveryId[] = [];
    while (page.next) {
      page = await readAfter(database.db, paces, accountId, { ...wanted, after: page.next });
      found.push(...page.data.map(({ id }) => id));
    }
    expect(found).toEqual(ids.toReversed());
  });

  test("ends in time as an iterator too, which says that more is waiting", async () => {
    const { accountId, ids } = await newHistory();
    const turns = new SearchTurns();
    const paces = pacesOf(turns);
    const others = [hold(turns.of(newId("acc"))), hold(turns.of(newId("acc")))];
    await Promise.all(others.map(({ begun }) => begun));
    let step = await readNext(database.db, paces, accountId, { ...wanted, from: "start" });
    expect(step).toMatchObject({ data: [], more: true });
    for (const { end } of others) end();
    const found: DeliveryId[] = [];
    while (step.more) {
      step = await readNext(database.db, paces, accountId, { ...wanted, from: step.position });
      found.push(...step.data.map(({ id }) => id));
    }
    expect(found).toEqual(ids);
  });
});
