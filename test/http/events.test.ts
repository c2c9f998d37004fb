import { describe, expect, test } from "bun:test";
import { type Client, expectError, type Json } from "./client";
import { startTestService, useService } from "./service";

let client: Client;

const service = await useService();

async function newClient(plan?: string): Promise<Client> {
  client = await service.newClient(plan ? { plan } : {});
  return client;
}

async function publish(event: string | undefined, data: object = {}, key?: string) {
  return client.post("/events", { event, data }, key ? { "idempotency-key": key } : {});
}

const endpointsOf = (answer: { body: Json }) =>
  answer.body.deliveries.map((delivery: Json) => delivery.endpoint_id);

describe("an event", () => {
  test("goes to every endpoint of the account whose filter matches, the oldest first, unless it skips events", async () => {
    await (await newClient()).newEndpoint();
    await newClient();
    const all = await client.newEndpoint();
    const orders = await client.newEndpoint({ event_filter: "order.*" });
    const exact = await client.newEndpoint({ event_filter: "order.created" });
    await client.newEndpoint({ event_filter: "user.*" });
    const held = await client.newEndpoint({ is_active: false });
    await client.newEndpoint({ is_active: false, while_inactive: "skip" });
    const gone = await client.newEndpoint();
    await client.delete(`/endpoints/${gone.id}`);
    const answer = await publish("order.created", { n: 1 });
    expect(answer.status).toBe(201);
    expect(endpointsOf(answer)).toEqual([all.id, orders.id, exact.id, held.id]);
    for (const delivery of answer.body.deliveries) {
      const detail = await client.expecting(200, client.get(`/webhooks/${delivery.id}`));
      expect(detail).toMatchObject({ ...delivery, status: "pending", sequence: 1, data: { n: 1 } });
    }
    expect(endpointsOf(await publish(undefined))).toEqual([all.id, held.id]);
  });

  test("that no endpoint wants is accepted, and its type is registered", async () => {
    await newClient();
    expect(await publish("lonely.event")).toMatchObject({ status: 201, body: { deliveries: [] } });
    expect((await client.get("/event-types/lonely.event")).status).toBe(200);
    expect((await client.get("/webhooks")).body.total).toBe(0);
  });

  test("gives every endpoint the payload byte for byte", async () => {
    await newClient();
    await Promise.all([client.newEndpoint(), client.newEndpoint()]);
    const data = '{"n":12345678901234567890,"s":"\\u00e9\\\\ \\"", "t": [1e400]}';
    const { body } = await client.post("/events", `{"data": ${data} }`);
    for (const { id } of body.deliveries) {
      expect((await client.get(`/webhooks/${id}`)).text).toContain(`"data":${data}`);
    }
    expect(body.deliveries).toHaveLength(2);
  });

  test("counts one webhook per delivery, and all or none of them against the month", async () => {
    await service.dependencies.plans.put("four", { requestsPerMinute: null, webhooksPerMonth: 4 });
    await newClient("four");
    for (let i = 0; i < 3; i++) await client.newEndpoint();
    expect((await publish("a")).body.deliveries).toHaveLength(3);
    expectError(await publish("a"), 403, "FORBIDDEN", /4 webhooks a month/);
    expect((await client.get("/billing/usage")).body.webhooks).toMatchObject({ used: 3, remaining: 1 });
    expect((await client.get("/webhooks")).body.total).toBe(3);
  });

  test("must match its type's schema", async () => {
    await newClient();
    await client.newEndpoint();
    const schema = { type: "object", required: ["b"] };
    await client.expecting(200, client.put("/event-types/strict/schema", { schema }));
    expectError(await publish("strict", { a: 1 }), 400, "BAD_REQUEST", "b");
    expect((await publish("strict", { b: 1 })).status).toBe(201);
  });
});

describe("an event with a key", () => {
  test("is accepted once, and answered alike although the endpoints have changed", async () => {
    await newClient();
    const endpoint = await client.newEndpoint();
    const first = await publish("a", {}, "k");
    await client.newEndpoint();
    await client.delete(`/endpoints/${endpoint.id}`);
    const second = await publish("a", {}, "k");
    expect(second).toMatchObject({ status: 201, text: first.text });
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(first.headers.has("idempotency-replayed")).toBe(false);
    expectError(await publish("b", {}, "k"), 409, "CONFLICT");
    expectError(
      await client.post("/webhooks", { endpoint_id: endpoint.id, data: {} }, { "idempotency-key": "k" }),
      409,
      "CONFLICT",
    );
  });

  test("that no endpoint wanted stays so", async () => {
    await newClient();
    const first = await publish("a", {}, "k");
    await client.newEndpoint();
    expect(await publish("a", {}, "k")).toMatchObject({ status: 201, text: first.text });
    expect((await publish("a", {}, "k2")).body.deliveries).toHaveLength(1);
  });

  test("is accepted once by two processes at the same time", async () => {
    await newClient();
    await Promise.all([client.newEndpoint(), client.newEndpoint()]);
    const second = await startTestService({ beside: service });
    try {
      const there = await second.newKey(client.accountId, ["webhooks:write"]);
      const body = { event: "a", data: {} };
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? client : there).post("/events", body, { "idempotency-key": "t" }),
        ),
      );
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers.filter(({ headers }) => !headers.has("idempotency-replayed"))).toHaveLength(1);
    } finally {
      await second.stop();
    }
    expect((await client.get("/webhooks")).body.total).toBe(2);
  });

  test("is answered as before although a newer schema refuses its data", async () => {
    await newClient();
    await client.newEndpoint();
    const first = await publish("later", { a: 1 }, "k");
    const schema = { type: "object", required: ["b"] };
    await client.expecting(200, client.put("/event-types/later/schema", { schema }));
    expectError(await publish("later", { a: 1 }), 400, "BAD_REQUEST", "b");
    expect(await publish("later", { a: 1 }, "k")).toMatchObject({ status: 201, text: first.text });
  });
});

describe("an event_id", () => {
  const post = (body: object, key?: string) =>
    client.post("/events", body, key === undefined ? {} : { "idempotency-key": key });

  test("is accepted once, alone or in a batch, whatever key the request has", async () => {
    await newClient();
    await client.newEndpoint();
    const event = { event: "a", event_id: "order-1.created", ordering_key: "o", data: { n: 1 } };
    const first = await post(event, "one");
    expect(first).toMatchObject({
      status: 201,
      body: { event_id: "order-1.created", id: expect.stringMatching(/^evt_/) },
    });
    const again = await post(
      { data: { n: 1 }, ordering_key: "o", event_id: "order-1.created", event: "a" },
      "two",
    );
    expect(again).toMatchObject({ status: 201, text: first.text });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const { results } = (await client.post("/events/batch", { events: [event, { ...event, event_id: "x" }] }))
      .body;
    expect(results[0]).toEqual({ status: 201, event: first.body });
    expect(results[1].event.id).not.toBe(first.body.id);
    expect((await client.get("/webhooks")).body.total).toBe(2);
  });

  test("of another event is a 409", async () => {
    await newClient();
    const event = { event: "a", event_id: "e", data: { n: 1 } };
    await client.expecting(201, post(event));
    for (const other of [{ event: "b" }, { data: { n: 2 } }, { ordering_key: "o" }])
      expectError(await post({ ...event, ...other }), 409, "CONFLICT", "event_id");
    const { results } = (await client.post("/events/batch", { events: [{ ...event, data: {} }] })).body;
    expect(results[0]).toMatchObject({ status: 409, error: { code: "CONFLICT" } });
  });

  test("is no Idempotency-Key, even if one has the same text", async () => {
    await newClient();
    await client.expecting(201, post({ event: "a", event_id: "same", data: {} }));
    const other = await post({ event: "b", data: {} }, "same");
    expect(other).toMatchObject({ status: 201, body: { event: "b" } });
    expect(other.headers.has("idempotency-replayed")).toBe(false);
  });

  test.each([" a", "a ", "", "a\nb", "ü", "x".repeat(256), 7])("%p is a 400", async (event_id) => {
    await newClient();
    expectError(await post({ event_id, data: {} }), 400, "BAD_REQUEST", "event_id");
  });
});

describe("the list of events", () => {
  test("contains all, newest first, page by page, and has these filters", async () => {
    await newClient();
    await client.newEndpoint({ event_filter: "a" });
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) {
      const event = {
        event: n % 2 ? "a" : "b",
        event_id: `e${n}`,
        data: { n, kind: n < 3 ? "early" : "late" },
      };
      ids.push((await client.expecting(201, client.post("/events", event))).id);
    }
    const found = async (query: string) => {
      const all: string[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const path = `/events?limit=2${query}${cursor && `&cursor=${cursor}`}`;
        const page: Json = await client.expecting(200, client.get(path));
        all.push(...page.data.map(({ id }: Json) => id));
        cursor = page.cursor;
      }
      return all;
    };
    const newest = ids.toReversed();
    expect(await found("")).toEqual(newest);
    expect(await found("&event_type=a")).toEqual(newest.filter((_, i) => i % 2 === 0));
    expect(await found("&event_id=e4")).toEqual([ids[4] ?? ""]);
    expect(await found("&data.kind=early")).toEqual(newest.slice(3));
    expect(await found("&data.kind=early&data.n=2&event_type=b")).toEqual([ids[2] ?? ""]);
    expect(await found("&data.kind=none")).toEqual([]);
    const [first] = (await client.expecting(200, client.get("/events?limit=1"))).data;
    expect(first).toEqual({
      id: ids[5],
      event: "a",
      event_id: "e5",
      delivery_count: 1,
      created_at: expect.any(String),
    });
    expect(await found(`&before=${first.created_at}`)).not.toContain(ids[5] ?? "");
    expect(await found(`&after=${first.created_at}`)).toContain(ids[5] ?? "");
    const stranger = await service.newClient();
    expect((await stranger.get("/events")).body).toEqual({ data: [], cursor: null });
    expectError(await stranger.get(`/events/${ids[0]}`), 404, "NOT_FOUND");
    expectError(await client.get("/events?event=a"), 400, "BAD_REQUEST", "event");
  });
});

describe("the results of an event", () => {
  test("show which endpoints got it, and why others did not", async () => {
    await newClient();
    const excluding = await client.newEndpoint({ event_filter: "other" });
    const skipping = await client.newEndpoint({ is_active: false, while_inactive: "skip" });
    const held = await client.newEndpoint({ is_active: false });
    const widened = await client.newEndpoint({ event_filter: "other" });
    const getting = await client.newEndpoint();
    await client.newEndpoint({ feed: true });
    const gone = await client.newEndpoint();
    const published = await client.expecting(201, publish("a", { n: 1 }));
    expect(published).toMatchObject({ held: [published.deliveries[0].id], skipped: [skipping.id] });
    const later = await client.newEndpoint();
    await client.delete(`/endpoints/${gone.id}`);
    await client.expecting(200, client.patch(`/endpoints/${widened.id}`, { event_filter: "*" }));
    await client.expecting(200, client.patch(`/endpoints/${skipping.id}`, { is_active: true }));
    const event = await client.expecting(200, client.get(`/events/${published.id}`));
    expect(event).toMatchObject({
      id: published.id,
      data: { n: 1 },
      delivery_count: 3,
      created_at: published.created_at,
    });
    expect(event.deliveries.map(({ endpoint_id }: Json) => endpoint_id)).toEqual([
      held.id,
      getting.id,
      gone.id,
    ]);
    expect(event.deliveries.map(({ status }: Json) => status)).toEqual(["pending", "pending", "cancelled"]);
    expect(event.missed).toEqual([
      { endpoint_id: excluding.id, reason: "event_filter" },
      { endpoint_id: skipping.id, reason: "inactive" },
      { endpoint_id: widened.id, reason: "filter_changed" },
      { endpoint_id: later.id, reason: "created_later" },
    ]);
    const delivery = await client.expecting(200, client.get(`/webhooks/${published.deliveries[0].id}`));
    expect(delivery.of_event).toBe(published.id);
    const sent = await client.send(getting.id, "a");
    expect((await client.get(`/webhooks/${sent.id}`)).body).not.toHaveProperty("of_event");
  });

  test("are paged if there are many", async () => {
    await newClient();
    for (let i = 0; i < 101; i++) await client.newEndpoint({ event_filter: "a" });
    const wanted = await client.expecting(201, publish("a"));
    const unwanted = await client.expecting(201, publish("b"));
    const wide = await client.expecting(200, client.get(`/events/${wanted.id}`));
    expect(wide).toMatchObject({ missed: [], missed_cursor: null });
    expect(wide.deliveries).toHaveLength(100);
    const rest = await client.get(`/events/${wanted.id}/deliveries?cursor=${wide.deliveries_cursor}`);
    expect(rest.body.data.map(({ id }: Json) => id)).toEqual([wanted.deliveries[100].id]);
    expect(rest.body.cursor).toBeNull();
    const lonely = await client.expecting(200, client.get(`/events/${unwanted.id}`));
    expect(lonely.missed).toHaveLength(100);
    const last = await client.get(`/events/${unwanted.id}/missed?cursor=${lonely.missed_cursor}`);
    expect(last.body.data).toEqual([
      { endpoint_id: wanted.deliveries[100].endpoint_id, reason: "event_filter" },
    ]);
    expectError(
      await client.get(`/events/${wanted.id}/missed?cursor=${lonely.missed_cursor}`),
      400,
      "BAD_REQUEST",
    );
  });

  test("stay when its payload is erased", async () => {
    await newClient();
    await client.newEndpoint();
    const { id, deliveries } = await client.expecting(201, publish("a", { secret: "s" }));
    for (let i = 0; i < 2; i++) {
      expect((await client.delete(`/events/${id}/payload`)).body).toEqual({ erased: true });
      const event = await client.expecting(200, client.get(`/events/${id}`));
      expect(event).toMatchObject({ id, data: null, erased_at: expect.any(String) });
      expect(event.deliveries[0]).toMatchObject({ id: deliveries[0].id, cancel_reason: "erased" });
    }
  });
});
