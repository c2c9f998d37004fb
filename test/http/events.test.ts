import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Client, expectError, type Json } from "./client";
import { startTestService, type TestService } from "./service";

let service: TestService;
let client: Client;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

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
  test("goes to every endpoint of the account whose filter it matches, the oldest first, unless it skips events", async () => {
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

  test("that nobody wants is no error, and its type is known all the same", async () => {
    await newClient();
    expect(await publish("lonely.event")).toMatchObject({ status: 201, body: { deliveries: [] } });
    expect((await client.get("/event-types/lonely.event")).status).toBe(200);
    expect((await client.get("/webhooks")).body.total).toBe(0);
  });

  test("takes the payload to everybody byte for byte", async () => {
    await newClient();
    await Promise.all([client.newEndpoint(), client.newEndpoint()]);
    const data = '{"n":12345678901234567890,"s":"\\u00e9\\\\ \\"", "t": [1e400]}';
    const { body } = await client.post("/events", `{"data": ${data} }`);
    for (const { id } of body.deliveries) {
      expect((await client.get(`/webhooks/${id}`)).text).toContain(`"data":${data}`);
    }
    expect(body.deliveries).toHaveLength(2);
  });

  test("counts a webhook for each delivery, and all or none of them against the month", async () => {
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
  test("is accepted once, and answered alike although the endpoints are others by then", async () => {
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

  test("that nobody wanted stays one that nobody wanted", async () => {
    await newClient();
    const first = await publish("a", {}, "k");
    await client.newEndpoint();
    expect(await publish("a", {}, "k")).toMatchObject({ status: 201, text: first.text });
    expect((await publish("a", {}, "k2")).body.deliveries).toHaveLength(1);
  });

  test("at once in two processes is accepted once", async () => {
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

  test("stays answered although a schema has come that the data does not match", async () => {
    await newClient();
    await client.newEndpoint();
    const first = await publish("later", { a: 1 }, "k");
    const schema = { type: "object", required: ["b"] };
    await client.expecting(200, client.put("/event-types/later/schema", { schema }));
    expectError(await publish("later", { a: 1 }), 400, "BAD_REQUEST", "b");
    expect(await publish("later", { a: 1 }, "k")).toMatchObject({ status: 201, text: first.text });
  });
});
