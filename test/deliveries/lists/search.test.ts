import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Deliveries } from "../../../src/deliveries/deliveries";
import type { IteratorPosition, PagePosition } from "../../../src/deliveries/lists/cursor";
import type { DeliverySearch, PayloadField, StatusRange } from "../../../src/deliveries/lists/search";
import { DELIVERY_STATUSES, type DeliveryStatus } from "../../../src/domain/delivery-status";
import { type AccountId, type DeliveryId, type EndpointId, newId } from "../../../src/domain/ids";
import { useDatabase } from "../../support/postgres";
import { type Accepted, idAt, Ledger } from "../ledger";

type Tried = { status: number; error: string | null };
type Made = Accepted & Order & { status: DeliveryStatus; tries: Tried[]; payload: Payload };
type Order = { orderingKey: string | null; sequence: number };
type Payload = Record<string, unknown>;

const START = Date.UTC(2026, 0, 31);
const COUNT = 240;
const EVENTS = ["order.created", "order.paid", null];
const KEYS = ["a", "b", null];
const ANSWERS: Tried[] = [
  { status: 503, error: null },
  { status: 500, error: null },
  { status: 404, error: null },
  { status: 0, error: "timeout" },
  { status: 0, error: "dns" },
  // The body of an answer that broke off.
  { status: 200, error: "connection_reset" },
];

const accounts: { id: AccountId; endpoints: EndpointId[]; made: Made[] }[] = [];

/** Makes a delivery in any possible state, with figures drawn from its number. */
async function make(i: number): Promise<void> {
  const owner = accounts[i % 2];
  if (!owner) throw new Error("there are two accounts");
  const draw = (n: number, salt: number) => Math.floor(((Math.sin(i * 7.3 + salt) + 1) / 2) * 1e6) % n;
  const endpointId = owner.endpoints[draw(2, 1)] ?? newId("ep");
  const event = EVENTS[draw(3, 2)] ?? null;
  const tries = Array.from(
    { length: draw(3, 3) },
    (_, n) => ANSWERS[draw(6, 4 + n)] ?? { status: 0, error: "tls" },
  );
  const status = DELIVERY_STATUSES[draw(4, 9)] ?? "pending";
  if (status === "delivered") tries.push({ status: 200, error: draw(4, 10) === 0 ? "timeout" : null });
  if (status === "failed" && tries.length === 0) tries.push({ status: 410, error: null });
  const payload = PAYLOADS[draw(PAYLOADS.length, 11)] ?? "{}";
  const accepted = await ledger.accept(owner.id, endpointId, event, idAt(START + i * 100), payload);
  const order = { orderingKey: KEYS[draw(3, 12)] ?? null, sequence: draw(20, 13) + 1 };
  await storeOrder(accepted, order);
  await storeAttempts(owner.id, accepted, tries);
  const last = tries.at(-1)?.status ?? null;
  if (status === "pending") {
    await database.db.run(
      (sql) => sql`
        update queue set attempt_count = ${tries.length}, response_status = ${last} where delivery_id = ${accepted.id}
      `,
    );
  } else {
    const isPlain = status === "delivered" && tries.length === 1 && tries[0]?.error === null;
    const durationMs = isPlain ? 5 : null;
    await ledger.end(accepted, { status, attemptCount: tries.length, responseStatus: last, durationMs });
  }
  owner.made.push({ ...accepted, ...order, status, tries, payload: JSON.parse(payload) });
}

/** JSON texts, some of which are equal values in different spellings. */
const PAYLOADS = [
  '{"order_id":42,"state":"new"}',
  '{"order_id":"42","paid":true}',
  '{ "order_id" : 421, "state": "n\\u0065w" }',
  '{"nested":{"order_id":42},"list":["new"],"state":null}',
  '{"order_id":7,"order_id":42}',
  '{"state":"caf\\u00e9 \\"new\\"","paid":false}',
  '{"state":"café \\"new\\"","a.b":1,"ünï":"x"}',
  '{"text":"order_id 42 new true"}',
  '{"note":"back\\\\slash","paid":"true"}',
  "{}",
];

const database = await useDatabase();
const ledger = new Ledger(database.db);
const deliveries = new Deliveries(database.db);
const middle = idAt(START + (COUNT / 2) * 100);
for (const table of ["deliveries", "results", "attempts"]) {
  const statements = `
    drop table ${table}_earlier;
    create table ${table}_a partition of ${table} for values from (minvalue) to ('${middle}');
    create table ${table}_b partition of ${table} for values from ('${middle}') to (maxvalue)`;
  await database.db.run((sql) => sql.unsafe(statements));
}
for (let a = 0; a < 2; a++) {
  const id = await ledger.account();
  accounts.push({ id, endpoints: [await ledger.endpoint(id), await ledger.endpoint(id)], made: [] });
}
await Promise.all(Array.from({ length: COUNT }, (_, i) => make(i)));
for (const { made } of accounts) made.sort((a, b) => (a.id < b.id ? 1 : -1));

async function storeOrder({ id }: Accepted, { orderingKey, sequence }: Order): Promise<void> {
  await database.db.run(
    (sql) =>
      sql`update deliveries set ordering_key = ${orderingKey}, sequence = ${sequence} where id = ${id}`,
  );
}

async function storeAttempts(accountId: AccountId, { id }: Accepted, tries: Tried[]): Promise<void> {
  await database.db.transaction(async (sql) => {
    for (const [n, { status, error }] of tries.entries()) {
      await sql`
        insert into attempts (delivery_id, account_id, attempt, status, error, started_at, duration_ms)
        values (${id}, ${accountId}, ${n + 1}, ${status}, ${error}, now(), 5)
      `;
    }
  });
}

function matches(made: Made, wanted: DeliverySearch) {
  const { event, status, endpointId, responseStatus, error, orderingKey, sequence, payload } = wanted;
  const last = made.tries.at(-1)?.status;
  const isIn = ({ from, to }: StatusRange) => last !== undefined && last >= from && last <= to;
  return (
    (event === undefined || made.event === event) &&
    (status === undefined || made.status === status) &&
    (endpointId === undefined || made.endpointId === endpointId) &&
    (responseStatus === undefined || isIn(responseStatus)) &&
    (error === undefined || made.tries.some((each) => each.error === error)) &&
    (orderingKey === undefined || made.orderingKey === orderingKey) &&
    (sequence === undefined || made.sequence === sequence) &&
    (payload ?? []).every((field) => hasField(made.payload, field))
  );
}

function hasField(payload: Payload, { name, value }: PayloadField): boolean {
  const found = Object.hasOwn(payload, name) ? payload[name] : null;
  return ["string", "number", "boolean"].includes(typeof found) && String(found) === value;
}

async function readAll(accountId: AccountId, search: DeliverySearch, limit: number): Promise<DeliveryId[]> {
  const ids: DeliveryId[] = [];
  for (let after: PagePosition | undefined; ; ) {
    const { data, next } = await deliveries.cursorForm(accountId, { ...search, limit, after });
    expect(data.length).toBeLessThanOrEqual(limit);
    ids.push(...data.map((each) => each.id));
    if (next === null) return ids;
    after = next;
  }
}

async function iterateAll(
  accountId: AccountId,
  search: DeliverySearch,
  limit: number,
  from: IteratorPosition | "start" = "start",
): Promise<{ ids: DeliveryId[]; position: IteratorPosition }> {
  const ids: DeliveryId[] = [];
  for (let at = from; ; ) {
    const { data, position, more } = await deliveries.iterate(accountId, { ...search, from: at, limit });
    ids.push(...data.map((each) => each.id));
    if (!more) return { ids, position };
    at = position;
  }
}

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 2 });
const range = fc.constantFrom<StatusRange[]>(
  { from: 503, to: 503 },
  { from: 500, to: 599 },
  { from: 400, to: 499 },
  { from: 200, to: 299 },
  { from: 0, to: 0 },
  { from: 418, to: 418 },
);
const field = fc.record({
  name: fc.constantFrom("order_id", "state", "paid", "nested", "list", "a.b", "ünï", "note", "none"),
  value: fc.constantFrom(
    "42",
    "421",
    "new",
    "true",
    "false",
    "null",
    'café "new"',
    "1",
    "x",
    "back\\slash",
    "{}",
  ),
});
const search = fc.record({
  event: maybe(fc.constantFrom("order.created", "order.paid", "never.sent")),
  status: maybe(fc.constantFrom(...DELIVERY_STATUSES)),
  endpoint: maybe(fc.nat({ max: 1 })),
  responseStatus: maybe(range),
  error: maybe(fc.constantFrom("timeout", "dns", "connection_reset", "tls")),
  orderingKey: maybe(fc.constantFrom("a", "b", "none")),
  sequence: fc.option(fc.integer({ min: 1, max: 21 }), { nil: undefined, freq: 1 }),
  payload: maybe(fc.array(field, { minLength: 1, maxLength: 2 })),
});

describe("a search", () => {
  test("returns what a filter over all deliveries returns, in both directions, in its own account", async () => {
    const check = fc.asyncProperty(
      search,
      fc.nat({ max: 1 }),
      fc.integer({ min: 1, max: 100 }),
      async (drawn, a, limit) => {
        const account = accounts[a];
        if (!account) throw new Error("there are two accounts");
        const { endpoint, ...others } = drawn;
        const filters = {
          ...others,
          endpointId: endpoint === undefined ? undefined : account.endpoints[endpoint],
        };
        const expected = account.made.filter((each) => matches(each, filters)).map((each) => each.id);
        expect(await readAll(account.id, filters, limit)).toEqual(expected);
        const { ids } = await iterateAll(account.id, filters, limit);
        expect(ids.toSorted()).toEqual(expected.toReversed());
      },
    );
    await fc.assert(check, { numRuns: 60 });
  });

  test("finds something by each of its filters", () => {
    const each: DeliverySearch[] = [
      { responseStatus: { from: 503, to: 503 } },
      { error: "timeout", status: "delivered" },
      { responseStatus: { from: 200, to: 299 }, status: "pending" },
      { payload: [{ name: "state", value: 'café "new"' }] },
      { payload: [{ name: "order_id", value: "42" }], error: "dns" },
      { orderingKey: "a" },
      { sequence: 7 },
    ];
    for (const filters of each) {
      for (const { made } of accounts) expect(made.filter((one) => matches(one, filters))).not.toBeEmpty();
    }
  });

  test("skips payloads that Postgres does not accept as JSON", async () => {
    const accountId = await ledger.account();
    const endpointId = await ledger.endpoint(accountId);
    for (const payload of ['{"a":"\\u0000","b":1}', '{"\\ud800":2,"b":1}', '{"b":1}']) {
      await ledger.accept(accountId, endpointId, null, newId("wh"), payload);
    }
    const filters = { payload: [{ name: "b", value: "1" }] };
    expect(await readAll(accountId, filters, 1)).toHaveLength(1);
    expect((await iterateAll(accountId, filters, 1)).ids).toHaveLength(1);
  });

  test("returns each delivery exactly once while deliveries arrive and end", async () => {
    const accountId = await ledger.account();
    const endpoints = await Promise.all([ledger.endpoint(accountId), ledger.endpoint(accountId)]);
    const filters = { payload: [{ name: "wanted", value: "yes" }] };
    const wanted: DeliveryId[] = [];
    const send = async (endpointId: EndpointId, i: number) => {
      const payload = i % 3 === 0 ? '{"wanted":"yes"}' : '{"wanted":"no"}';
      const accepted = await ledger.accept(accountId, endpointId, null, newId("wh"), payload);
      if (i % 3 === 0) wanted.push(accepted.id);
      if (i % 2 === 0) await ledger.end(accepted, { status: "failed", responseStatus: 503 });
    };
    for (let i = 0; i < 30; i++) await send(endpoints[i % 2] ?? newId("ep"), i);
    const before = wanted.toSorted().reverse();
    const writing = endpoints.map(async (endpoint) => {
      for (let i = 0; i < 30; i++) await send(endpoint, i);
    });
    let isWriting = true;
    const done = Promise.all(writing).then(() => {
      isWriting = false;
    });
    const iterated: DeliveryId[] = [];
    let position: IteratorPosition | "start" = "start";
    while (isWriting) {
      const page = await readAll(accountId, filters, 4);
      expect(new Set(page).size).toBe(page.length);
      expect(page.slice(-before.length)).toEqual(before);
      const step: Awaited<ReturnType<typeof iterateAll>> = await iterateAll(accountId, filters, 3, position);
      iterated.push(...step.ids);
      position = step.position;
    }
    await done;
    iterated.push(...(await iterateAll(accountId, filters, 3, position)).ids);
    expect(new Set(iterated).size).toBe(iterated.length);
    expect(iterated.toSorted()).toEqual(wanted.toSorted());
    expect((await readAll(accountId, filters, 9)).toSorted()).toEqual(wanted.toSorted());
  });
});
