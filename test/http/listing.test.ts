import { beforeAll, describe, expect, test } from "bun:test";
import { until } from "../support/faults/until";
import { recordAttempt } from "./attempts";
import { expectError, type Json } from "./client";
import { useService } from "./service";

const COUNT = 23;

/**
 * Creates deliveries, oldest first; every third for the second endpoint, every fourth an `invoice.paid`, every fifth
 * delivered.
 */
const sent: Json[] = [];

const service = await useService();
const client = await service.newClient();
const stranger = await service.newClient();
const first = await client.newEndpoint();
const second = await client.newEndpoint();
const elsewhere = await stranger.newEndpoint();
for (let i = 0; i < COUNT; i++) {
  const event = i % 4 === 0 ? "invoice.paid" : "order.created";
  sent.push(await client.send(i % 3 === 0 ? second.id : first.id, event, { i }));
  await stranger.send(elsewhere.id, event, { i });
  if (i % 5 === 0) await recordAttempt(service.database.db, sent[i], { status: 200 });
}

const idsOf = (items: Json[]): string[] => items.map(({ id }) => id);
const newestFirst = (items: Json[]): string[] => idsOf(items).reverse();
const every = (n: number) => sent.filter((_, i) => i % n === 0);
const list = (path: string, who = client) => who.expecting(200, who.get(path));

async function readAll(path: string): Promise<Json[]> {
  const pages: Json[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Json = await list(cursor === "" ? path : `${path}&cursor=${cursor}`);
    pages.push(page.data);
    cursor = page.cursor;
  }
  return pages;
}

describe("deliveries by page", () => {
  test("are twenty per page, newest first", async () => {
    const page = await list("/webhooks");
    expect(page).toMatchObject({ total: COUNT, page: 1, per_page: 20 });
    expect(Object.keys(page)).toEqual(["deliveries", "total", "page", "per_page"]);
    expect(idsOf(page.deliveries)).toEqual(newestFirst(sent).slice(0, 20));
    const next = await list("/webhooks?page=2");
    expect(idsOf(next.deliveries)).toEqual(newestFirst(sent).slice(20));
  });

  test("show an item's fields and no others", async () => {
    const { deliveries } = await list("/webhooks?per_page=100");
    const { status: _, ...last } = sent.at(-1);
    expect(deliveries[0]).toEqual({ ...last, status: "pending", response_status: null });
    expect(deliveries.at(-1)).toEqual({
      ...sent[0],
      status: "delivered",
      attempt_count: 1,
      response_status: 200,
    });
  });

  test("may be more or fewer", async () => {
    const page = await list("/webhooks?per_page=7&page=2");
    expect(page).toMatchObject({ total: COUNT, page: 2, per_page: 7 });
    expect(idsOf(page.deliveries)).toEqual(newestFirst(sent).slice(7, 14));
  });

  test.each(["101", "1000000", "99999999999999999999"])(
    "are a hundred if %s are requested",
    async (count) => {
      expect(await list(`/webhooks?per_page=${count}`)).toMatchObject({ total: COUNT, per_page: 100 });
    },
  );

  test.each(["3", "1000000000000", "99999999999999999999"])("are none on page %s", async (page) => {
    expect(await list(`/webhooks?page=${page}`)).toMatchObject({ deliveries: [], total: COUNT });
  });

  test("are filtered by status and event", async () => {
    const expectations: [string, Json[]][] = [
      ["status=delivered", every(5)],
      ["status=failed", []],
      ["event=invoice.paid", every(4)],
      ["event=invoice", []],
      ["event=invoice.paid&status=delivered", every(20)],
      ["status=pending&per_page=100", sent.filter((_, i) => i % 5 !== 0)],
    ];
    for (const [query, expected] of expectations) {
      const page = await list(`/webhooks?${query}`);
      expect({ query, ids: idsOf(page.deliveries), total: page.total }).toEqual({
        query,
        ids: newestFirst(expected),
        total: expected.length,
      });
    }
  });
});

test("deliveries are counted by status and answer, for the filters of the list", async () => {
  const counts = await list("/webhooks/summary");
  const delivered = every(5).length;
  expect(counts).toEqual({
    total: COUNT,
    statuses: { pending: COUNT - delivered, delivered, failed: 0, cancelled: 0 },
    answers: { "200": delivered },
    newest_at: sent.at(-1).created_at,
    oldest_at: sent[0].created_at,
    bar_seconds: expect.any(Number),
    bars: expect.any(Array),
    complete: true,
  });
  const inBars = (status: string) => counts.bars.reduce((sum: number, bar: Json) => sum + bar[status], 0);
  expect([inBars("delivered"), inBars("pending")]).toEqual([delivered, COUNT - delivered]);
  expect((await list("/webhooks/summary?data.none=7")).bars).toEqual([]);
  const paid = await list(
    `/webhooks/summary?event_type=invoice.paid&status=delivered&endpoint_id=${second.id}`,
  );
  expect(paid.total).toBe(every(60).length);
  expect((await list("/webhooks/summary?response_status=5xx")).total).toBe(0);
  expect((await list("/webhooks/summary?data.i=7")).total).toBe(1);
  expect((await list(`/webhooks/summary?before=${sent[0].created_at}`)).newest_at).toBeNull();
  expect((await list("/webhooks/summary", await service.newClient())).total).toBe(0);
  expectError(await client.get("/webhooks/summary?event=a"), 400, "BAD_REQUEST");
});

describe("deliveries by cursor", () => {
  test("are each listed once, newest first, and end with null", async () => {
    const pages = await readAll("/webhooks?limit=5");
    expect(pages.map((page) => page.length)).toEqual([5, 5, 5, 5, 3]);
    expect(idsOf(pages.flat())).toEqual(newestFirst(sent));
  });

  test("have the time at which they ended, unless they are pending", async () => {
    for (const { id, status, completed_at } of (await list("/webhooks?limit=100")).data) {
      expect(completed_at === null).toBe(status === "pending");
      expect((await list(`/webhooks/${id}`)).completed_at).toBe(completed_at);
    }
  });

  test("end with null even if the last page is full", async () => {
    expect(await list(`/webhooks?limit=${COUNT}`)).toMatchObject({ cursor: null });
    expect((await readAll(`/webhooks?limit=1&endpoint_id=${second.id}`)).flat()).toHaveLength(8);
  });

  test("are twenty by default, and a hundred at most", async () => {
    const page = await list("/webhooks?after=2020-01-01");
    expect(page.data).toHaveLength(20);
    expect(page.cursor).toBeString();
    expect((await list("/webhooks?limit=5000")).data).toHaveLength(COUNT);
  });

  test("are filtered, alone and together", async () => {
    const at = (i: number) => encodeURIComponent(sent[i].created_at);
    const sameMoment = sent.findIndex(({ created_at }) => created_at === sent[10].created_at);
    const expectations: [string, Json[]][] = [
      ["event_type=invoice.paid", every(4)],
      ["status=delivered&limit=50", every(5)],
      [`endpoint_id=${second.id}`, every(3)],
      [`endpoint_id=${second.id}&status=delivered&event_type=invoice.paid`, every(60)],
      [`after=${at(10)}&limit=100`, sent.slice(sameMoment)],
      [`before=${at(10)}&limit=100`, sent.slice(0, sameMoment)],
      [`after=${at(0)}&before=${at(10)}&limit=100`, sent.slice(0, sameMoment)],
      ["after=2999-01-01", []],
      ["before=2000-01-01", []],
    ];
    for (const [query, expected] of expectations) {
      const pages = await readAll(`/webhooks?${query}`);
      expect({ query, ids: idsOf(pages.flat()) }).toEqual({ query, ids: newestFirst(expected) });
    }
  });

  test("are filtered by receivers' answers and by their payload", async () => {
    const sender = await service.newClient();
    const { id } = await sender.newEndpoint();
    const [busy, slow, fine] = [
      await sender.send(id, "a.b", { order_id: 42, "a b": "ü&" }),
      await sender.send(id, "a.b", { order_id: "42" }),
      await sender.expecting(
        201,
        sender.post("/webhooks", {
          endpoint_id: id,
          event: "a.c",
          data: { order_id: 43 },
          ordering_key: "customer-7",
        }),
      ),
    ];
    await recordAttempt(service.database.db, busy, { status: 503, verdict: "failed" });
    await recordAttempt(service.database.db, slow, { status: 0, error: "timeout" });
    await recordAttempt(service.database.db, slow, { status: 200 });
    const expectations: [string, Json[]][] = [
      ["response_status=503", [busy]],
      ["response_status=5xx&status=failed", [busy]],
      ["response_status=2xx", [slow]],
      ["error=timeout", [slow]],
      ["error=timeout&response_status=2xx&event_type=a.b", [slow]],
      ["error=dns", []],
      [`sequence=2&endpoint_id=${id}`, [slow]],
      ["sequence=2&response_status=5xx", []],
      ["ordering_key=customer-7", [fine]],
      ["ordering_key=customer-7&event_type=a.b", []],
      ["data.order_id=42", [busy, slow]],
      ["data.order_id=42&response_status=5xx", [busy]],
      ["data.order_id=43&event_type=a.b", []],
      ["data.order_id=43&status=pending", [fine]],
      ["data.a%20b=%C3%BC%26", [busy]],
    ];
    for (const [query, expected] of expectations) {
      const { data } = await list(`/webhooks?${query}`, sender);
      expect({ query, ids: idsOf(data) }).toEqual({ query, ids: newestFirst(expected) });
      // Transactions that began before, in other tests' databases, hold an iterator back.
      const iterated = await until(async () => {
        const page = await list(`/webhooks?iterator=start&${query}`, sender);
        return page.data.length >= expected.length && page;
      });
      expect({ query, ids: idsOf(iterated.data) }).toEqual({ query, ids: idsOf(expected) });
      expect((await list(`/webhooks?${query}`, stranger)).data).toEqual([]);
    }
    for (const [filter, total] of [
      [{ sequence: 1 }, 1],
      [{ sequence: 2 }, 0],
      [{ ordering_key: "customer-7" }, 0],
    ] as const) {
      const body = { filter: { status: "failed", ...filter }, dry_run: true };
      expect((await sender.post("/webhooks/resend", body)).body).toMatchObject({ total });
    }
  });

  test("of another account's endpoint are none", async () => {
    expect(await list(`/webhooks?endpoint_id=${first.id}`, stranger)).toEqual({ data: [], cursor: null });
  });
});

describe("deliveries by iterator", () => {
  // Transactions that began before, in other databases of the server, hold an iterator back.
  const settled = (path: string, count: number, who = client) =>
    until(async () => {
      const step = await list(path, who);
      return step.data.length === count && step;
    });
  beforeAll(() => settled("/webhooks?iterator=start&limit=100", COUNT));

  test("are listed oldest first, and the cursor shows whether they are caught up", async () => {
    const seen: string[] = [];
    let step = await list("/webhooks?iterator=start&limit=10");
    for (; step.cursor !== null; step = await list(`/webhooks?iterator=${step.iterator}&limit=10`)) {
      expect(step.cursor).toBe(step.iterator);
      seen.push(...idsOf(step.data));
    }
    expect([...seen, ...idsOf(step.data)]).toEqual(idsOf(sent));
    expect(step.iterator).toBeString();
  });

  test("continue with the cursor as well", async () => {
    const step = await list("/webhooks?iterator=start&limit=10");
    const next = await list(`/webhooks?cursor=${step.cursor}&limit=10`);
    expect(idsOf(next.data)).toEqual(idsOf(sent).slice(10, 20));
    expect(next.iterator).toBeString();
  });

  test("start after now, and continue with later deliveries", async () => {
    const account = await service.newClient();
    const endpoint = await account.newEndpoint();
    await account.send(endpoint.id, "before");
    const start = await list("/webhooks?iterator=now", account);
    expect(start).toEqual({ data: [], cursor: null, iterator: expect.any(String) });
    const again = await list(`/webhooks?iterator=${start.iterator}`, account);
    expect(again.data).toEqual([]);
    const later = await account.send(endpoint.id, "after");
    const step = await settled(`/webhooks?iterator=${again.iterator}`, 1, account);
    expect(idsOf(step.data)).toEqual([later.id]);
  });

  test("are filtered", async () => {
    const step = await list("/webhooks?iterator=start&event_type=invoice.paid&limit=100");
    expect(idsOf(step.data)).toEqual(idsOf(every(4)));
  });

  test("can't have a cursor as well", async () => {
    const { cursor } = await list("/webhooks?limit=3");
    expectError(
      await client.get(`/webhooks?iterator=start&cursor=${cursor}`),
      400,
      "BAD_REQUEST",
      "together",
    );
  });
});

describe("endpoints", () => {
  test("are an array without parameters, newest first, and only the account's own", async () => {
    const all = await list("/endpoints");
    expect(idsOf(all)).toEqual([second.id, first.id]);
    const { signing_secret: _, ...shown } = first;
    expect(all[1]).toEqual({
      ...shown,
      health: { ...shown.health, pending: expect.any(Number), oldest_pending_at: expect.any(String) },
    });
    expect(await list("/endpoints", await service.newClient())).toEqual([]);
  });

  test("are pages with limit or cursor", async () => {
    const account = await service.newClient();
    expect(await list("/endpoints?limit=5", account)).toEqual({ data: [], cursor: null });
    const made: Json[] = [];
    for (let i = 0; i < 25; i++) made.push(await account.newEndpoint());
    const one = await list("/endpoints?limit=20", account);
    expect(idsOf(one.data)).toEqual(newestFirst(made).slice(0, 20));
    const two = await list(`/endpoints?cursor=${one.cursor}`, account);
    expect(two).toMatchObject({ cursor: null });
    expect(idsOf(two.data)).toEqual(newestFirst(made).slice(20));
    expect((await list("/endpoints?limit=1000", account)).data).toHaveLength(25);
    expect(await list("/endpoints?limit=25", account)).toMatchObject({ cursor: null });
    expect(await list("/endpoints", account)).toHaveLength(25);
  });
});

test("accounts are listed page by page, newest first", async () => {
  const made: Json[] = [];
  for (let i = 0; i < 3; i++) {
    made.push(await service.admin.expecting(201, service.admin.post("/admin/accounts", { name: `a${i}` })));
  }
  const one = await list("/admin/accounts?limit=2", service.admin);
  const two = await list(`/admin/accounts?limit=2&cursor=${one.cursor}`, service.admin);
  expect(idsOf([...one.data, ...two.data]).slice(0, 3)).toEqual(newestFirst(made));
});
