import { beforeAll, describe, expect, test } from "bun:test";
import { Deliveries } from "../../src/deliveries/deliveries";
import type { DeliverySummary } from "../../src/deliveries/delivery";
import type { PagePosition } from "../../src/deliveries/lists/cursor";
import { chooseIndex } from "../../src/deliveries/lists/selectivity";
import { Stats } from "../../src/deliveries/stats";
import { DELIVERY_STATUSES, type DeliveryStatus } from "../../src/domain/delivery-status";
import { type AccountId, type EndpointId, newId, timeOf } from "../../src/domain/ids";
import { fetchedBy } from "../support/fetched";
import { useDatabase } from "../support/postgres";
import { type Accepted, idAt, Ledger } from "./ledger";

/** The created deliveries, newest first. */
type Made = Accepted & { status: DeliveryStatus };

const START = Date.UTC(2026, 0, 31);
const COUNT = 120;
const EVENTS = ["order.created", "order.paid", "invoice.sent", null];

const made: Made[] = [];

const database = await useDatabase();
const ledger = new Ledger(database.db);
const deliveries = new Deliveries(database.db);
const account = await ledger.account();
const endpoints = [await ledger.endpoint(account), await ledger.endpoint(account)];
// Time ranges begin and end between the identifiers.
const middle = idAt(START + 40_000);
for (const table of ["deliveries", "results"]) {
  const statements = `
    drop table ${table}_earlier;
    create table ${table}_a partition of ${table} for values from (minvalue) to ('${middle}');
    create table ${table}_b partition of ${table} for values from ('${middle}') to (maxvalue)`;
  await database.db.run((sql) => sql.unsafe(statements));
}
for (let i = 0; i < COUNT; i++) made.unshift(await make(i));

/** Makes two deliveries a second, with all combinations of events, endpoints and endings. */
async function make(i: number): Promise<Made> {
  const event = EVENTS[i % EVENTS.length] ?? null;
  const endpoint = endpoints[i % 3 === 0 ? 0 : 1] ?? newId("ep");
  const accepted = await ledger.accept(account, endpoint, event, idAt(START + i * 500));
  const status = DELIVERY_STATUSES[Math.floor(i / 5) % 4] ?? "pending";
  if (status === "cancelled") {
    await ledger.end(accepted, { status, attemptCount: 0, responseStatus: null, endReason: "requested" });
  } else if (status !== "pending") await ledger.end(accepted, { status });
  return { ...accepted, status };
}

type Filters = { event?: string; status?: DeliveryStatus; endpointId?: EndpointId };
type Range = { createdFrom?: number; createdBefore?: number };

function expected({ event, status, endpointId, createdFrom, createdBefore }: Filters & Range): string[] {
  const matching = made.filter(
    (each) =>
      (event === undefined || each.event === event) &&
      (status === undefined || each.status === status) &&
      (endpointId === undefined || each.endpointId === endpointId) &&
      (createdFrom === undefined || timeOf(each.id) >= createdFrom) &&
      (createdBefore === undefined || timeOf(each.id) < createdBefore),
  );
  return matching.map((each) => each.id);
}

function idsOf(listed: readonly DeliverySummary[]): string[] {
  return listed.map((each) => each.id);
}

const EVERY_EVENT = [undefined, "order.created", "invoice.sent", "never.sent"];
const EVERY_STATUS = [undefined, ...DELIVERY_STATUSES];

describe("the list by page", () => {
  for (const event of EVERY_EVENT) {
    for (const status of EVERY_STATUS) {
      test(`returns every page of event ${event} and status ${status}, and counts them`, async () => {
        const all = expected({ event, status });
        for (let page = 1; page <= Math.ceil(all.length / 7) + 1; page++) {
          const found = await deliveries.pageForm(account, { page, perPage: 7, event, status });
          expect(idsOf(found.deliveries)).toEqual(all.slice((page - 1) * 7, page * 7));
          expect(found.total).toBe(all.length);
        }
      });
    }
  }

  test("is empty for another account", async () => {
    const found = await deliveries.pageForm(newId("acc"), { page: 1, perPage: 20 });
    expect(found).toEqual({ deliveries: [], total: 0 });
  });

  test("is empty beyond the last page", async () => {
    const found = await deliveries.pageForm(account, { page: 1e12, perPage: 100 });
    expect(found).toEqual({ deliveries: [], total: COUNT });
  });
});

async function walk(filters: Filters & Range, limit: number): Promise<string[]> {
  const found: string[] = [];
  let after: PagePosition | undefined;
  for (;;) {
    const page = await deliveries.cursorForm(account, { ...filters, limit, after });
    expect(page.data.length).toBeLessThanOrEqual(limit);
    found.push(...idsOf(page.data));
    if (page.next === null) return found;
    after = page.next;
  }
}

describe("the list by cursor", () => {
  for (const event of EVERY_EVENT) {
    for (const status of EVERY_STATUS) {
      test(`walks through event ${event} and status ${status}, of every endpoint`, async () => {
        for (const endpointId of [undefined, ...endpoints]) {
          const filters = { event, status, endpointId };
          expect(await walk(filters, 9)).toEqual(expected(filters));
          const range = { createdFrom: START + 10_000, createdBefore: START + 45_001 };
          expect(await walk({ ...filters, ...range }, 9)).toEqual(expected({ ...filters, ...range }));
        }
      });
    }
  }

  test("includes its start time, and excludes its end time", async () => {
    const range = { createdFrom: START + 500, createdBefore: START + 1_500 };
    expect(await walk(range, 10)).toEqual(made.slice(-3, -1).map((each) => each.id));
  });

  test("has no next page after a last one that is full", async () => {
    const page = await deliveries.cursorForm(account, { limit: COUNT });
    expect([page.data.length, page.next]).toEqual([COUNT, null]);
  });

  test("shows nothing of another account's endpoint", async () => {
    const other = await ledger.account();
    const page = await deliveries.cursorForm(other, { limit: 10, endpointId: endpoints[0] });
    expect(page).toEqual({ data: [], next: null });
  });

  test("still shows the deliveries of a deleted endpoint", async () => {
    const endpointId = await ledger.endpoint(account);
    const { id } = await ledger.accept(account, endpointId, "order.created", idAt(START - 1_000));
    await database.db.run((sql) => sql`delete from mailboxes where endpoint_id = ${endpointId}`);
    for (const filters of [{ endpointId }, { endpointId, event: "order.created" }]) {
      expect(idsOf((await deliveries.cursorForm(account, { limit: 10, ...filters })).data)).toEqual([id]);
    }
    await database.db.run((sql) => sql`delete from deliveries where id = ${id}`);
    await database.db.run((sql) => sql`delete from queue where delivery_id = ${id}`);
    await database.db.run(
      (sql) => sql`
        insert into counter_deltas (account_id, event, accepted) values (${account}, 'order.created', -1)`,
    );
  });
});

describe("a dead endpoint's ended deliveries", () => {
  const WAITING = 2_000;
  const ENDED = 10;
  let sender: AccountId;
  let endpointId: EndpointId;

  /**
   * The oldest have ended, half of them failed; the others are pending. The account has more failed ones at another
   * endpoint.
   */
  beforeAll(async () => {
    sender = await ledger.account();
    endpointId = await ledger.endpoint(sender);
    await database.db.run(
      (sql) => sql`
        with made as (
          insert into deliveries (id, account_id, endpoint_id, sequence, event, data)
          select (${idAt(START).slice(0, 24)} || lpad(to_hex(n), 12, '0'))::uuid, ${sender}, ${endpointId}, n, 'order.paid', '{}'
          from generate_series(1, ${ENDED + WAITING}::integer) n
          returning *
        ),
        queued as (
          insert into queue (partition, endpoint_id, sequence, delivery_id, account_id)
          select 0, endpoint_id, sequence, id, account_id from made where sequence > ${ENDED}
        ),
        ended as (
          insert into results (delivery_id, account_id, endpoint_id, status, attempt_count, completed_at)
          select id, account_id, endpoint_id, case sequence % 2 when 0 then 'failed' else 'delivered' end::delivery_status, 1, now()
          from made where sequence <= ${ENDED}
        ),
        numbered as (update mailboxes set last_sequence = ${ENDED + WAITING} where endpoint_id = ${endpointId})
        insert into totals (account_id, accepted, delivered, failed)
        values (${sender}, ${WAITING * 10}, ${WAITING * 3}, ${WAITING - 1})
      `,
    );
  });

  test("are searched among those that have ended, which are few", async () => {
    for (const status of ["delivered", "failed"] as const) {
      const index = await database.db.run((sql) => chooseIndex(sql, sender, { endpointId, status }));
      expect(index?.by).toBe("endpoint");
    }
  });

  test("are found without reading the pending ones", async () => {
    const query = { limit: ENDED, endpointId, status: "failed" } as const;
    const read = await fetchedBy(database, "queue", async (db) => {
      const { data, next } = await new Deliveries(db).cursorForm(sender, query);
      expect([data.length, next]).toEqual([ENDED / 2, null]);
    });
    expect(read).toBeLessThan(5);
  });
});

describe("a search over many deliveries", () => {
  const FAR = 3_000;
  let sender: AccountId;
  let endpointId: EndpointId;

  /** The oldest ten have another event, and failed; the newest ten are pending. */
  beforeAll(async () => {
    sender = await ledger.account();
    endpointId = await ledger.endpoint(sender);
    await database.db.run(
      (sql) => sql`
        with made as (
          insert into deliveries (id, account_id, endpoint_id, sequence, event, data)
          select (${idAt(START).slice(0, 24)} || lpad(to_hex(n), 12, '0'))::uuid, ${sender}, ${endpointId}, n,
            case when n <= 10 then 'rare' else 'common' end, '{}'
          from generate_series(1, ${FAR}::integer) n
          returning *
        ),
        queued as (
          insert into queue (partition, endpoint_id, sequence, delivery_id, account_id)
          select 0, endpoint_id, sequence, id, account_id from made where sequence > ${FAR - 10}
        ),
        ended as (
          insert into results (delivery_id, account_id, endpoint_id, status, attempt_count, completed_at)
          select id, account_id, endpoint_id, case when sequence <= 10 then 'failed' else 'delivered' end::delivery_status, 1, now()
          from made where sequence <= ${FAR - 10}
        ),
        numbered as (update mailboxes set last_sequence = ${FAR} where endpoint_id = ${endpointId}),
        totalled as (
          insert into totals (account_id, accepted, delivered, failed)
          values (${sender}, ${FAR * 3}, ${FAR - 20}, ${FAR * 2 + 10})
        )
        insert into counters (account_id, event, accepted, delivered, failed) values
          -- With others of the account, so that the endpoint is what there is least of.
          (${sender}, 'rare', ${FAR * 2 + 10}, 0, ${FAR * 2 + 10}),
          (${sender}, 'common', ${FAR - 10}, ${FAR - 20}, 0)
      `,
    );
  });

  test.each([{ event: "rare" }, { status: "failed" as const }, { event: "rare", status: "failed" as const }])(
    "for %p finds matches at its end",
    async (filters) => {
      const { data, next } = await deliveries.cursorForm(sender, { limit: 10, endpointId, ...filters });
      expect(data).toHaveLength(10);
      expect(data.every((each) => each.event === "rare" && each.status === "failed")).toBe(true);
      expect(next).toBeNull();
    },
  );

  test("for pending deliveries reads only the queue", async () => {
    for (const event of [undefined, "common"]) {
      const first = await deliveries.cursorForm(sender, { limit: 6, endpointId, event, status: "pending" });
      const after = first.next ?? undefined;
      const second = await deliveries.cursorForm(sender, {
        limit: 6,
        endpointId,
        event,
        status: "pending",
        after,
      });
      expect([first.data.length, second.data.length, second.next]).toEqual([6, 4, null]);
    }
  });
});

describe("a delivery in a list", () => {
  test("shows its state", async () => {
    const [pending, delivered, cancelled] = await Promise.all(
      (["pending", "delivered", "cancelled"] as const).map(async (status) => {
        const { data } = await deliveries.cursorForm(account, { limit: 1, status });
        return data[0];
      }),
    );
    const fresh = { attemptCount: 0, responseStatus: null };
    expect(pending).toMatchObject({ ...fresh, status: "pending", endReason: null });
    expect(pending?.createdAt).toBe(timeOf(pending?.id ?? ""));
    expect(delivered).toMatchObject({
      attemptCount: 1,
      responseStatus: 200,
      status: "delivered",
      endReason: null,
    });
    expect(cancelled).toMatchObject({ ...fresh, status: "cancelled", endReason: "requested" });
  });
});

describe("a delivery's detail", () => {
  test("shows the attempts so far and the next one, while it is pending", async () => {
    const accountId = await ledger.account();
    const { id, endpointId } = await ledger.accept(accountId, await ledger.endpoint(accountId), null);
    const startedAt = START + 123;
    await database.db.run(
      (sql) => sql`
        update queue set attempt_count = 2, response_status = 503, next_attempt_at = to_timestamp(${START + 60_000} / 1000.0)
        where delivery_id = ${id}
      `,
    );
    await database.db.run(
      (sql) => sql`
        insert into attempts (delivery_id, account_id, attempt, status, error, started_at, duration_ms, response_body) values
          (${id}, ${accountId}, 2, 503, null, to_timestamp(${startedAt + 1_000} / 1000.0), 12, 'busy "x"'),
          (${id}, ${accountId}, 1, 0, 'timeout', to_timestamp(${startedAt} / 1000.0), 15000, null)
      `,
    );
    const detail = await deliveries.get(accountId, id);
    expect(detail).toMatchObject({
      id,
      endpointId,
      event: null,
      status: "pending",
      attemptCount: 2,
      data: "{}",
    });
    expect(detail).toMatchObject({ responseStatus: 503, nextAttemptAt: START + 60_000, completedAt: null });
    expect(detail?.sequence).toBeGreaterThan(0);
    const none = { isPulled: true, errorDetail: null, location: null, exchange: null };
    expect(detail?.attempts).toEqual([
      {
        attempt: 1,
        status: 0,
        error: "timeout",
        ...none,
        startedAt,
        durationMs: 15_000,
        responseBody: null,
      },
      {
        attempt: 2,
        status: 503,
        error: null,
        ...none,
        startedAt: startedAt + 1_000,
        durationMs: 12,
        responseBody: 'busy "x"',
      },
    ]);
  });

  test("shows when and how it ended", async () => {
    const accountId = await ledger.account();
    const accepted = await ledger.accept(accountId, await ledger.endpoint(accountId), "order.paid");
    await ledger.end(accepted, { status: "failed", attemptCount: 11, responseStatus: 410 });
    const detail = await deliveries.get(accountId, accepted.id);
    expect(detail).toMatchObject({
      status: "failed",
      attemptCount: 11,
      responseStatus: 410,
      nextAttemptAt: null,
    });
    expect(detail?.completedAt).toBeWithin(Date.now() - 5_000, Date.now() + 5_000);
    expect(detail?.attempts).toEqual([]);
  });

  test("returns the payload byte for byte", async () => {
    const accountId = await ledger.account();
    const { id } = await ledger.accept(accountId, await ledger.endpoint(accountId), null);
    const data = '{"b": 12345678901234567890, "a":1.0, "a":"\\u00fc"}';
    await database.db.run((sql) => sql`update deliveries set data = ${data} where id = ${id}`);
    expect((await deliveries.get(accountId, id))?.data).toBe(data);
  });

  test("is a 404 for another account", async () => {
    expect(await deliveries.get(newId("acc"), made[0]?.id ?? newId("wh"))).toBeNull();
    expect(await deliveries.get(account, newId("wh"))).toBeNull();
  });
});

describe("stats", () => {
  test("count every delivery, and rate those that ended after an attempt", async () => {
    const quarter = COUNT / 4;
    expect(await new Stats(database.db).of(account)).toEqual({
      totalDeliveries: COUNT,
      delivered: quarter,
      failed: quarter,
      pending: quarter,
      successRate: 50,
      endpointsCount: 3,
    });
  });

  test("are zero for a new account", async () => {
    const stats = await new Stats(database.db).of(await ledger.account());
    expect(Object.values(stats)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test("round the rate to two decimals", async () => {
    const accountId = await ledger.account();
    const endpointId = await ledger.endpoint(accountId);
    for (const status of ["delivered", "delivered", "failed"] as const) {
      await ledger.end(await ledger.accept(accountId, endpointId, null), { status });
    }
    expect((await new Stats(database.db).of(accountId)).successRate).toBe(66.67);
  });
});
