import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Backlog, type BacklogPage } from "../../../src/dispatch/backlog/backlog";
import { EXAMINED, PAGE, UNCROWDED } from "../../../src/dispatch/backlog/backlog-statement";
import { orderOf } from "../../../src/dispatch/lane/lane-state";
import type { ActivePage, ReadRequest } from "../../../src/dispatch/lane/page";
import { type AccountId, type EndpointId, newId } from "../../../src/domain/ids";
import { longestWait } from "../../../src/domain/retry-policy";
import type { Ordering } from "../../../src/domain/tuning";
import { FIRST_PAGE } from "../../support/first-page";
import { useDatabase } from "../../support/postgres";
import { type BacklogRow, pageOf } from "../../support/simulation/backlog-page";

const ACCOUNT = "00000000-0000-7000-8000-000000000001" as AccountId;
const PARTITION = 5;
const SECOND = 1_000;

const memory = { isFull: false };

const database = await useDatabase();
const openSecret = (sealed: string) => {
  if (sealed === "damaged") throw new Error("it was changed");
  return sealed;
};
const backlog = new Backlog({ db: database.db, openSecret, memory, longestWaitMs: longestWait([]) });

type Pending = {
  sequence: number;
  orderingKey?: string | null;
  attemptCount?: number;
  /** Milliseconds from now. Null if it was never attempted. */
  retryInMs?: number | null;
  data?: string;
};
type Settings = { ordering?: Ordering; secret?: string; lastSequence?: number; maxInFlight?: number };

async function makeEndpoint(pending: readonly Pending[], settings: Settings = {}): Promise<EndpointId> {
  const id = newId("ep");
  const { ordering = "ordered", secret = "sealed", maxInFlight = 7 } = settings;
  const lastSequence = settings.lastSequence ?? pending.at(-1)?.sequence ?? 0;
  const rows = pending.map(
    ({ sequence, orderingKey = null, attemptCount, retryInMs = null, data = "{}" }) => {
      const attempts = attemptCount ?? (retryInMs === null ? 0 : 1);
      return { id: newId("wh"), sequence, ordering_key: orderingKey, attempts, wait: retryInMs, data };
    },
  );
  await database.db.transaction(async (sql) => {
    await sql`
      insert into endpoints (id, account_id, url, signing_secret, ordering, max_in_flight)
      values (${id}, ${ACCOUNT}, 'http://a', ${secret}, ${ordering}::ordering, ${maxInFlight})`;
    await sql`
      insert into mailboxes (endpoint_id, partition, last_sequence) values (${id}, ${PARTITION}, ${lastSequence})`;
    await sql`
      with made as (
        select * from json_to_recordset(${JSON.stringify(rows)}::text::json)
          as r(id uuid, sequence bigint, ordering_key text, attempts smallint, wait float8, data text)
      ), stored as (
        insert into deliveries (id, account_id, endpoint_id, sequence, ordering_key, data)
        select id, ${ACCOUNT}, ${id}, sequence, ordering_key, data from made
      )
      insert into queue
        (partition, endpoint_id, sequence, delivery_id, account_id, ordering_key, attempt_count, next_attempt_at)
      select ${PARTITION}, ${id}, sequence, id, ${ACCOUNT}, ordering_key, attempts, now() + wait * interval '1 millisecond'
      from made`;
  });
  return id;
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const many = (from: number, to: number, more: Partial<Pending> = {}): Pending[] =>
  range(from, to).map((sequence) => ({ sequence, ...more }));

const read = (endpointId: EndpointId, request: Partial<ReadRequest> = {}) =>
  backlog.read({ partition: PARTITION, endpointId }, { ...FIRST_PAGE, ...request });

function activePage({ page }: BacklogPage): ActivePage {
  if (page.kind !== "active") throw new Error(`the page is ${page.kind}`);
  return page;
}

const readActive = async (id: EndpointId, request: Partial<ReadRequest> = {}) =>
  activePage(await read(id, request));
const scannedIn = ({ scanned }: ActivePage) => scanned.map(({ sequence }) => sequence);
const dataIn = ({ scanned }: ActivePage) => scanned.map(({ delivery }) => delivery?.data);

describe("Postgres returns what the model returns", () => {
  const orderings = fc.constantFrom<Ordering>("ordered", "by_key", "unordered");
  const row = fc.record({
    isPending: fc.boolean(),
    orderingKey: fc.constantFrom(null, null, "a", "b", "c", 'ü "{}, \\'),
    retryInS: fc.constantFrom(null, null, null, -3_600, 3_600),
    data: fc.constantFrom("{}", "{}", "{}", `{"a":"${"x".repeat(90_000)}"}`, `{"a":"${"x".repeat(60_000)}"}`),
  });
  const course = fc.record({
    ordering: orderings,
    rows: fc.array(row, { maxLength: 90 }),
    after: fc.nat(90),
    scans: fc.boolean(),
    isCrowded: fc.boolean(),
    orders: fc.uniqueArray(fc.tuple(fc.nat(3), fc.nat(90)), { maxLength: 4, selector: ([which]) => which }),
    passed: fc.uniqueArray(fc.nat(3), { maxLength: 3 }),
    inFlight: fc.uniqueArray(fc.nat(90), { maxLength: 3 }),
  });

  test("for every ordering and request", async () => {
    await fc.assert(
      fc.asyncProperty(course, async ({ ordering, rows: drawn, after, isCrowded, ...rest }) => {
        // Due times are a second apart, so that the time between two statements changes nothing.
        const rows = drawn.flatMap(({ isPending, retryInS, orderingKey, data }, i) => {
          const sequence = i + 1;
          const retryInMs = retryInS === null ? null : (retryInS + i) * SECOND;
          return isPending ? [{ sequence, orderingKey, data, retryInMs }] : [];
        });
        const names =
          ordering === "by_key"
            ? ["", "a", "b", 'ü "{}, \\']
            : ordering === "ordered"
              ? [""]
              : ["3", "5", "9", "40"];
        const nameAt = (i: number) => names[i % names.length] ?? "";
        const fromOf = (order: string, from: number) => (ordering === "unordered" ? Number(order) - 1 : from);
        const orders = [...new Map(rest.orders.map(([which, from]) => [nameAt(which), from]))].map(
          ([order, from]) => ({
            order,
            from: fromOf(order, from),
          }),
        );
        const request: ReadRequest = {
          after,
          scans: rest.scans,
          isCrowded: isCrowded && ordering === "by_key",
          orders,
          passed: [...new Set(rest.passed.map(nameAt))],
          inFlight: rest.inFlight,
        };
        const lastSequence = drawn.length;
        const id = await makeEndpoint(rows, { ordering, lastSequence });
        const page = await readActive(id, request);
        const modelled = rows.map((each) => ({
          ...each,
          attemptCount: each.retryInMs === null ? 0 : 1,
          nextAttemptAt: each.retryInMs,
        }));
        const expected = pageOf<BacklogRow & { data: string }>(
          {
            endpoint: { ordering, maxInFlight: 7, batchSize: 1, queueRevision: 1, lastSequence },
            rows: modelled,
            now: 0,
            sizes: {
              ...PAGE,
              uncrowded: UNCROWDED,
              examined: EXAMINED.filtered,
              examinedProbed: EXAMINED.probed,
            },
            // A page has only the size of a payload that is too large for it.
            weightOf: ({ data }) => (data.length > 65_536 ? 0 : data.length),
            most: 262_144,
            deliveryOf: ({ sequence, attemptCount, orderingKey, data }) => ({
              id: "" as never,
              accountId: ACCOUNT,
              sequence,
              event: null,
              orderingKey,
              data: data.length > 65_536 ? { bytes: data.length } : data,
              replayOf: null,
              eventExternalId: null,
              attemptCount,
              freeAttempts: 0,
              isFree: false,
              hasSingleAttempt: false,
            }),
          },
          request,
        );
        expect(comparable(page)).toEqual(comparable(expected));
      }),
      { numRuns: 250 },
    );
  }, 120_000);

  /** Removes random ids, and rounds waits to minutes. */
  function comparable(page: ActivePage) {
    const minutes = (ms: number | null) => (ms === null ? null : Math.round(ms / 60_000 + 0.2));
    const delivery = (each: ActivePage["retries"][number] | null) => each && { ...each, id: null };
    const found = (all: ActivePage["scanned"]) =>
      all.map((each) => ({ ...each, delivery: delivery(each.delivery), retryInMs: minutes(each.retryInMs) }));
    return {
      ...page,
      retries: page.retries.map(delivery),
      firstRetryInMs: minutes(page.firstRetryInMs),
      orders: page.orders.map((each) => ({ ...each, found: found(each.found) })),
      scanned: found(page.scanned),
    };
  }
});

test("Postgres and the code name orders alike", async () => {
  const rows = [{ sequence: 1, orderingKey: "a" }, { sequence: 2 }];
  for (const ordering of ["ordered", "by_key", "unordered"] as const) {
    const id = await makeEndpoint(rows, { ordering });
    for (const { sequence, orderingKey = null } of rows) {
      const order = orderOf(ordering, { sequence, orderingKey });
      const from = ordering === "unordered" ? sequence - 1 : 0;
      const { orders } = await readActive(id, { after: 2, orders: [{ order, from }] });
      const found = orders[0]?.found.map((each) => each.sequence);
      expect({ ordering, order, found }).toEqual({
        ordering,
        order,
        found: ordering === "ordered" ? [1, 2] : [sequence],
      });
    }
  }
});

test("a page is bounded, and the next one continues after it", async () => {
  const id = await makeEndpoint(many(1, 40));
  const first = await readActive(id);
  expect(first).toMatchObject({ scannedTo: 32, lastSequence: 40, maxInFlight: 1 });
  expect(scannedIn(first)).toEqual(range(1, 32));
  const rest = await readActive(id, { after: 32 });
  expect(scannedIn(rest)).toEqual(range(33, 40));
  expect(rest.scannedTo).toBe(40);
});

test("orders share a page", async () => {
  const keys = ["a", "b", "c", "d"];
  const rows = range(1, 80).map((sequence) => ({ sequence, orderingKey: keys[sequence % 4] as string }));
  const id = await makeEndpoint(rows, { ordering: "by_key" });
  const { orders, maxInFlight } = await readActive(id, {
    after: 80,
    orders: keys.map((order) => ({ order, from: 4 })),
  });
  expect(maxInFlight).toBe(7);
  expect(orders.map(({ found, isWhole, lookedTo }) => [found.length, isWhole, lookedTo])).toEqual([
    [8, false, 36],
    [8, false, 33],
    [8, false, 34],
    [8, false, 35],
  ]);
});

const payloadOf = (bytes: number) => JSON.stringify({ text: "x".repeat(bytes - '{"text":""}'.length) });

test("large payloads shorten a page", async () => {
  const id = await makeEndpoint(many(1, 6, { data: payloadOf(60_000) }));
  const page = await readActive(id);
  expect(dataIn(page)).toEqual([...Array(4).fill(payloadOf(60_000)), undefined, undefined]);
});

test("a page has only the size of a large payload, and without free memory that of any but a small one", async () => {
  const payloads = [1_000_000, 65_536, 65_537, 2_000].map(payloadOf);
  const id = await makeEndpoint(payloads.map((data, i) => ({ sequence: i + 1, data })));
  const [, second, , fourth] = payloads;
  expect(dataIn(await readActive(id))).toEqual([{ bytes: 1_000_000 }, second, { bytes: 65_537 }, fourth]);
  memory.isFull = true;
  const firsts = [
    await readActive(id),
    await readActive(id, { after: 1 }),
    await readActive(id, { after: 3 }),
  ];
  memory.isFull = false;
  expect(firsts.map((page) => dataIn(page)[0])).toEqual([{ bytes: 1_000_000 }, { bytes: 65_536 }, fourth]);
});

test("an ordered endpoint's page ends at a delivery that has failed before", async () => {
  const rows: Pending[] = [{ sequence: 1, retryInMs: -1 }, { sequence: 2 }, { sequence: 3 }];
  const ordered = await readActive(await makeEndpoint(rows));
  expect(dataIn(ordered)).toEqual(["{}", undefined, undefined]);
  const byKey = await readActive(await makeEndpoint(rows, { ordering: "by_key" }));
  expect(dataIn(byKey)).toEqual(["{}", "{}", "{}"]);
});

test("a retry further ahead than any wait is due, since Postgres' clock was set back", async () => {
  for (const ordering of ["ordered", "by_key", "unordered"] as const) {
    const waits = [longestWait([]) - 60_000, longestWait([]) + 60_000];
    const rows = waits.map((retryInMs, i) => ({ sequence: i + 1, orderingKey: `${i}`, retryInMs }));
    const page = await readActive(await makeEndpoint(rows, { ordering }));
    const isDue = [...page.retries, ...page.scanned.filter(({ retryInMs }) => retryInMs === null)];
    expect({ ordering, due: isDue.map(({ sequence }) => sequence) }).toEqual({ ordering, due: [2] });
  }
});

test("a walk reads a bounded number of rows, and the next one continues there", async () => {
  const id = await makeEndpoint(many(1, 12_000, { orderingKey: "a" }).concat(many(12_001, 12_010)), {
    ordering: "by_key",
  });
  const scans: [number, number][] = [];
  for (let after = 0; after < 12_010; ) {
    const page = await readActive(id, { after, passed: ["a"] });
    scans.push([page.scannedTo, page.scanned.length]);
    after = page.scannedTo;
  }
  expect(scans).toEqual([
    [5_000, 0],
    [10_000, 0],
    [12_010, 10],
  ]);
  const keyless: [number, number][] = [];
  for (let from = 0, isWhole = false; !isWhole; ) {
    const [order] = (await readActive(id, { after: 12_010, orders: [{ order: "", from }] })).orders;
    if (!order) throw new Error("an order was asked for");
    ({ isWhole } = order);
    from = order.lookedTo;
    keyless.push([from, order.found.length]);
  }
  expect(keyless).toEqual([
    [5_000, 0],
    [10_000, 0],
    [10_000, 10],
  ]);
}, 120_000);

test("an inactive endpoint is reported as inactive, and a deleted one as gone", async () => {
  const id = await makeEndpoint(many(1, 1));
  await database.db.run((sql) => sql`update endpoints set is_active = false where id = ${id}`);
  expect((await read(id)).page).toEqual({ kind: "inactive" });
  await database.db.run((sql) => sql`delete from mailboxes where endpoint_id = ${id}`);
  expect((await read(id)).page).toEqual({ kind: "gone" });
});

test("a resting endpoint is reported as resting; then it is sent one at a time, also if another clock wrote the rest", async () => {
  const id = await makeEndpoint(many(1, 3), { ordering: "unordered" });
  const restFor = (ms: number) =>
    database.db.run(
      (sql) => sql`
        update endpoints set rests_until = now() + ${ms}::float8 * interval '1 millisecond' where id = ${id}`,
    );
  await restFor(3_000_000);
  const { page, endpoint } = await read(id);
  expect(endpoint).toMatchObject({ probes: true });
  if (page.kind !== "resting") throw new Error(`the page is ${page.kind}`);
  expect(page.forMs).toBeWithin(2_900_000, 3_000_001);
  for (const ms of [-1, 4_000_000]) {
    await restFor(ms);
    expect(await readActive(id)).toMatchObject({ maxInFlight: 1 });
    expect(scannedIn(await readActive(id))).toEqual([1, 2, 3]);
  }
});

test("an endpoint that can't be read fails alone, without the others in its statement", async () => {
  const endpoints = await Promise.all(
    ["sealed", "damaged", "sealed"].map((secret) => makeEndpoint(many(1, 1), { secret })),
  );
  const reads = await Promise.allSettled(endpoints.map((id) => read(id)));
  expect(reads.map((each) => each.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

test("an endpoint is found in its own partition and in no other", async () => {
  const endpointId = await makeEndpoint(many(1, 1));
  expect((await backlog.read({ partition: PARTITION + 1, endpointId }, FIRST_PAGE)).page).toEqual({
    kind: "gone",
  });
  expect(scannedIn(await readActive(endpointId))).toEqual([1]);
});
