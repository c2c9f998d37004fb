import { describe, expect, spyOn, test } from "bun:test";
import { DatabaseUnavailable } from "../../src/db/database";
import { expectError, type Json } from "./client";
import { ABSENT } from "./routes";
import { startTestService, useService } from "./service";

/** Most bytes of a refused item's result beyond the item's own text; docs/limits.md has it. */
const ITEM_ANSWER = 1_024;

const service = await useService();
const client = await service.newClient();
const endpoint = await client.newEndpoint();

const statusesOf = (answer: { body: Json }) => answer.body.results.map(({ status }: Json) => status);
const send = (webhooks: unknown[], key?: string) =>
  client.post("/webhooks/batch", { webhooks }, key ? { "idempotency-key": key } : {});

describe("a batch of webhooks", () => {
  test("returns for each item the answer that it would get alone", async () => {
    const filtered = await client.newEndpoint({ event_filter: "x" });
    const answer = await send([
      { endpoint_id: endpoint.id, event: "a.b", data: { n: 1 } },
      { endpoint_id: ABSENT.endpoint, data: {} },
      { endpoint_id: endpoint.id },
      "text",
      { endpoint_id: filtered.id, event: "y", data: {} },
      { endpoint_id: endpoint.id, event: "", data: {} },
    ]);
    expect(answer.status).toBe(200);
    const refused = (message: RegExp) => ({
      status: 400,
      error: { code: "BAD_REQUEST", message: expect.stringMatching(message) },
    });
    expect(answer.body.results).toEqual([
      {
        status: 201,
        webhook: expect.objectContaining({ endpoint_id: endpoint.id, event: "a.b", status: "pending" }),
      },
      refused(/^endpoint_id/),
      refused(/^data is required/),
      refused(/JSON object/),
      {
        status: 201,
        webhook: expect.objectContaining({ status: "cancelled", cancel_reason: "event_filter" }),
      },
      refused(/^event/),
    ]);
  });

  test("of the largest size keeps the order of its items", async () => {
    const many = await client.newEndpoint();
    const items = Array.from({ length: 1_000 }, (_, n) => ({
      endpoint_id: many.id,
      event: "bulk",
      data: { n },
    }));
    const { body } = await send(items);
    expect(new Set(body.results.map(({ status }: Json) => status))).toEqual(new Set([201]));
    const rows = await service.database.db.run(
      (sql) => sql<{ data: string }[]>`select data from deliveries where event = 'bulk' order by sequence`,
    );
    expect(rows.map(({ data }) => JSON.parse(data).n)).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
    const [first] = body.results;
    expect((await client.get(`/webhooks/${first.webhook.id}`)).body).toMatchObject({
      sequence: 1,
      data: { n: 0 },
    });
  });

  test("copies payloads byte for byte, whatever surrounds them", async () => {
    const data = '{"a":"]}\\"[", "n":1.50 , "é":[ ]}';
    const text = ` { "webhooks" : [ {"data" :${data},"endpoint_id":"${endpoint.id}"} , 7,null\t]}`;
    const { body } = await client.post("/webhooks/batch", text);
    expect(body.results.map(({ status }: Json) => status)).toEqual([201, 400, 400]);
    expect((await client.get(`/webhooks/${body.results[0].webhook.id}`)).text).toContain(`"data":${data}`);
  });

  test("accepts as many items as the month's limit permits", async () => {
    await service.dependencies.plans.put("two", { requestsPerMinute: null, webhooksPerMonth: 2 });
    const small = await service.newClient({ plan: "two" });
    const { id: endpoint_id } = await small.newEndpoint();
    const webhooks = Array(4).fill({ endpoint_id, data: {} });
    expect(statusesOf(await small.post("/webhooks/batch", { webhooks }))).toEqual([201, 201, 403, 403]);
  });

  test("is validated up to a request's budget, and the rest can be sent in another request", async () => {
    const own = await service.newClient();
    const { id: endpoint_id } = await own.newEndpoint();
    const schema = { properties: { text: { pattern: "^(a|b){0,20}(a|b)*$" } } };
    await own.put("/event-types/slow/schema", { schema });
    const slow = { endpoint_id, event: "slow", data: { text: "ab".repeat(20_000) } };
    const plain = { endpoint_id, event: "plain", data: {} };
    const { body } = await own.post("/webhooks/batch", { webhooks: [...Array(22).fill(slow), plain] });
    const statuses: number[] = body.results.map(({ status }: Json) => status);
    const taken = statuses.indexOf(400);
    expect(taken).toBeGreaterThan(0);
    expect(statuses).toEqual([...Array(taken).fill(201), ...Array(22 - taken).fill(400), 201]);
    expect(body.results[taken].error).toEqual({
      code: "BAD_REQUEST",
      message: expect.stringMatching(/too expensive to validate in this request; send this item/),
    });
    expect(statusesOf(await own.post("/webhooks/batch", { webhooks: [slow] }))).toEqual([201]);
  });

  test.each([
    ["the name of a property", { required: ["a".repeat(20_000)] }],
    ["a name of control characters", { required: ["\u0001".repeat(3_000)] }],
    ["a pattern", { properties: { a: { pattern: `^${"é".repeat(400)}` } } }],
  ])("refuses an item within 1 KiB beyond its own text, though its schema has %s", async (_, schema) => {
    const own = await service.newClient();
    const { id: endpoint_id } = await own.newEndpoint();
    expect((await own.put("/event-types/long/schema", { schema })).status).toBe(200);
    const item = { endpoint_id, event: "long", data: { a: "x" } };
    const { body } = await own.post("/webhooks/batch", { webhooks: [item] });
    const [result] = body.results;
    expect(result.error.message).toMatch(/^data(\.a)? must (have required property|match pattern)/);
    const beyond = Buffer.byteLength(JSON.stringify(result)) - JSON.stringify(item).length;
    expect(beyond).toBeLessThanOrEqual(ITEM_ANSWER);
  });

  test("without a database is a 503 as a whole", async () => {
    const intake = { accept: () => Promise.reject(new DatabaseUnavailable("a test")) };
    const broken = await startTestService({ beside: service, dependencies: { intake } });
    try {
      const there = await broken.newKey(client.accountId, ["webhooks:write"]);
      const webhooks = [{ endpoint_id: endpoint.id, data: {} }];
      expectError(await there.post("/webhooks/batch", { webhooks }), 503, "SERVICE_UNAVAILABLE");
      const mixed = await there.post("/webhooks/batch", { webhooks: [...webhooks, {}] });
      expect(statusesOf(mixed)).toEqual([503, 400]);
    } finally {
      await broken.stop();
    }
  });
});

describe("a batch with a key", () => {
  const item = () => ({ endpoint_id: endpoint.id, event: "keyed", data: {} });

  test("is accepted once and answered alike", async () => {
    const first = await send([item(), item()], "once");
    const again = await send([item(), item()], "once");
    expect(again).toMatchObject({ status: 200, text: first.text });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(first.headers.has("idempotency-replayed")).toBe(false);
    expect((await send([{}], "refused")).headers.has("idempotency-replayed")).toBe(false);
    expectError(await send([item()], "once"), 409, "CONFLICT");
    expectError(await client.post("/webhooks", item(), { "idempotency-key": "once" }), 409, "CONFLICT");
  });

  test("sends what was missing when it is repeated, and repeats nothing", async () => {
    let left = 1;
    const flaky: typeof service.dependencies.intake = {
      accept: async (each) => {
        if (left-- > 0) return service.dependencies.intake.accept(each);
        throw new DatabaseUnavailable("a test");
      },
    };
    const broken = await startTestService({ beside: service, dependencies: { intake: flaky } });
    try {
      const there = await broken.newKey(client.accountId, ["webhooks:write"]);
      const webhooks = [item(), item(), item()];
      const first = await there.post("/webhooks/batch", { webhooks }, { "idempotency-key": "gaps" });
      expect(statusesOf(first)).toEqual([201, 503, 503]);
      const again = await send(webhooks, "gaps");
      expect(statusesOf(again)).toEqual([201, 201, 201]);
      expect(again.body.results[0]).toEqual(first.body.results[0]);
      expect(again.headers.has("idempotency-replayed")).toBe(false);
      expect((await send(webhooks, "gaps")).text).toBe(again.text);
    } finally {
      await broken.stop();
    }
  });

  test("is accepted once if it is sent many times at once", async () => {
    const before = (await client.get("/webhooks?event=twin")).body.total;
    const webhooks = Array(3).fill({ ...item(), event: "twin" });
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(webhooks, "twins")));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await client.get("/webhooks?event=twin")).body.total).toBe(before + 3);
  });

  test("is free again after its day, also if a part was added later", async () => {
    const first = await send([item()], "aged");
    const { db } = service.database;
    await db.run(
      (sql) => sql`
      update idempotency_keys set created_at = created_at - interval '25 hours' where key = 'aged'`,
    );
    const later = await send([item()], "aged");
    expect(statusesOf(later)).toEqual([201]);
    expect(later.text).not.toBe(first.text);
  });
});

describe("a batch whose items do not match a newer schema", () => {
  const REQUIRING = { required: ["n"] };

  test.each(["webhooks", "events"])(
    "of %s is answered as before for the items accepted then",
    async (kind) => {
      const own = await service.newClient();
      const { id: endpoint_id } = await own.newEndpoint();
      const item = (event: string) =>
        kind === "events" ? { event, data: {} } : { endpoint_id, event, data: {} };
      const items = { [kind]: [item("a"), item("b"), item("a")] };
      await own.put("/event-types/b/schema", { schema: REQUIRING });
      const keyed = { "idempotency-key": "young" };
      const first = await own.post(`/${kind}/batch`, items, keyed);
      expect(statusesOf(first)).toEqual([201, 400, 201]);
      await own.put("/event-types/a/schema", { schema: REQUIRING });
      const again = await own.post(`/${kind}/batch`, items, keyed);
      expect(again.body).toEqual(first.body);
      const other = await own.post(`/${kind}/batch`, items, { "idempotency-key": "another" });
      expect(statusesOf(other)).toEqual([400, 400, 400]);
    },
  );

  test.each([
    ["webhooks", "free"],
    ["events", "free"],
    ["webhooks", "taken"],
    ["events", "taken"],
  ])("costs no statement for each item: %s with keys that are %s", async (kind, keys) => {
    const own = await service.newClient();
    const { id: endpoint_id } = await own.newEndpoint();
    const statements = async (count: number) => {
      const event = `${kind}.${keys}.${count}`;
      const item = kind === "events" ? { event, data: {} } : { endpoint_id, event, data: {} };
      const items = { [kind]: Array(count).fill(item) };
      const keyed = { "idempotency-key": event };
      if (keys === "taken") await own.post(`/${kind}/batch`, items, keyed);
      await own.put(`/event-types/${event}/schema`, { schema: REQUIRING });
      // The schema is cached from then on.
      await own.post(`/${kind}/batch`, items);
      const run = spyOn(service.database.db, "run");
      const answer = await own.post(`/${kind}/batch`, items, keyed);
      const ran = run.mock.calls.length;
      run.mockRestore();
      expect(new Set(statusesOf(answer))).toEqual(new Set([keys === "taken" ? 201 : 400]));
      return ran;
    };
    expect(await statements(50)).toBeLessThanOrEqual((await statements(2)) + 3);
  });
});

describe("a batch of events", () => {
  test("returns the deliveries of each", async () => {
    const own = await service.newClient();
    const [a, b] = [await own.newEndpoint({ event_filter: "a" }), await own.newEndpoint()];
    const events = [
      { event: "a", data: {} },
      { event: "b", data: {} },
      { event: "a" },
      { event: "a", data: { n: 2 } },
    ];
    const answer = await own.post("/events/batch", { events }, { "idempotency-key": "e" });
    expect(statusesOf(answer)).toEqual([201, 201, 400, 201]);
    const endpoints = answer.body.results.map(({ event }: Json) =>
      event?.deliveries.map((each: Json) => each.endpoint_id),
    );
    expect(endpoints).toEqual([[a.id, b.id], [b.id], undefined, [a.id, b.id]]);
    const last = answer.body.results[3].event.deliveries;
    expect((await own.get(`/webhooks/${last[1].id}`)).body).toMatchObject({ sequence: 3, data: { n: 2 } });
    const again = await own.post("/events/batch", { events }, { "idempotency-key": "e" });
    expect(again.body).toEqual(answer.body);
    expect((await own.get("/webhooks")).body.total).toBe(5);
  });
});
