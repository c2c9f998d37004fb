import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { recordAttempt } from "./attempts";
import { type Client, expectError } from "./client";
import { ABSENT } from "./routes";
import { startTestService, type TestService } from "./service";

/** The published interface, sentence by sentence. */
let service: TestService;
let client: Client;
let stranger: Client;

beforeAll(async () => {
  service = await startTestService();
  client = await service.newClient();
  stranger = await service.newClient();
});
afterAll(() => service.stop());

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ID = (prefix: string) => new RegExp(`^${prefix}_[0-9a-z]{26}$`);

describe("what the service does", () => {
  test("every send creates a delivery record that tells status, attempt count and attempts", async () => {
    const endpoint = await client.newEndpoint();
    const sent = await client.send(endpoint.id, "a.b", { x: 1 });
    const detail = await client.expecting(200, client.get(`/webhooks/${sent.id}`));
    expect(detail).toMatchObject({ id: sent.id, status: "pending", attempt_count: 0, attempts: [] });
  });

  test("event types are registered the first time they are used", async () => {
    const endpoint = await client.newEndpoint();
    const isKnown = async () => (await client.get("/event-types/brand.new")).status === 200;
    expect(await isKnown()).toBe(false);
    await client.send(endpoint.id, "brand.new");
    expect(await isKnown()).toBe(true);
  });

  const others: [string, string, () => Promise<string>][] = [
    ["an endpoint", "GET", async () => `/endpoints/${(await client.newEndpoint()).id}`],
    ["an endpoint", "PATCH", async () => `/endpoints/${(await client.newEndpoint()).id}`],
    ["an endpoint", "DELETE", async () => `/endpoints/${(await client.newEndpoint()).id}`],
    ["an endpoint", "POST", async () => `/endpoints/${(await client.newEndpoint()).id}/rotate-secret`],
    ["a delivery", "GET", async () => `/webhooks/${(await client.send((await client.newEndpoint()).id)).id}`],
    ["a key", "PATCH", async () => `/keys/${(await client.expecting(201, client.post("/keys", {}))).id}`],
    ["a key", "DELETE", async () => `/keys/${(await client.expecting(201, client.post("/keys", {}))).id}`],
  ];
  test.each(others)("%s of another account is a 404 to %s, and stays", async (_, method, pathOf) => {
    const path = await pathOf();
    const body = method === "PATCH" ? { is_active: false } : undefined;
    expectError(await stranger.ask(method, path, body), 404, "NOT_FOUND");
    expect((await client.ask(method, path, body)).status).toBe(method === "POST" ? 201 : 200);
  });

  test.each([
    ["GET", `/endpoints/${ABSENT.endpoint}`],
    ["DELETE", `/endpoints/${ABSENT.endpoint}`],
    ["GET", `/webhooks/${ABSENT.delivery}`],
    ["GET", "/endpoints/ep_short"],
    ["GET", `/endpoints/${ABSENT.delivery}`],
    ["GET", `/webhooks/${ABSENT.endpoint}`],
    ["GET", `/webhooks/${ABSENT.delivery.toUpperCase()}`],
    ["DELETE", "/endpoints/1"],
    ["POST", `/endpoints/${ABSENT.endpoint}/rotate-secret`],
    ["POST", "/endpoints/ep_short/rotate-secret"],
  ])("%s %s, which does not exist, is a 404", async (method, path) => {
    expectError(await client.ask(method, path), 404, "NOT_FOUND");
  });
});

describe("an endpoint", () => {
  test("has these fields when it is made", async () => {
    const url = "https://example.com/in";
    const endpoint = await client.newEndpoint({ url, description: "d", event_filter: "order.*" });
    expect(endpoint).toEqual({
      id: expect.stringMatching(ID("ep")),
      url,
      description: "d",
      event_filter: "order.*",
      is_active: true,
      feed: false,
      headers: {},
      created_at: expect.stringMatching(TIMESTAMP),
      signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
  });

  test("matches every event and has no description unless told otherwise", async () => {
    expect(await client.newEndpoint()).toMatchObject({ event_filter: "*", description: null });
  });

  test("shows its secret in the answer to its creation alone", async () => {
    const { id, signing_secret } = await client.newEndpoint();
    const answers = [
      await client.get("/endpoints"),
      await client.get("/endpoints?limit=100"),
      await client.get(`/endpoints/${id}`),
      await client.patch(`/endpoints/${id}`, { description: "x" }),
    ];
    for (const { status, text } of answers) {
      expect(status).toBe(200);
      expect(text).toContain(id);
      expect(text).not.toContain(signing_secret);
      expect(text).not.toContain("secret");
    }
  });

  test.each(["*", "order.*", "order.created", "order.created.v2", "a.b.*", "ünïcode", "with space"])(
    "takes the filter %s",
    async (event_filter) => {
      expect((await client.newEndpoint({ event_filter })).event_filter).toBe(event_filter);
    },
  );

  test("can be changed field by field", async () => {
    const { signing_secret: _, ...endpoint } = await client.newEndpoint({ description: "old" });
    const change = async (fields: object) =>
      client.expecting(200, client.patch(`/endpoints/${endpoint.id}`, fields));
    expect(await change({})).toEqual(endpoint);
    expect(await change({ is_active: false })).toEqual({ ...endpoint, is_active: false });
    expect(await change({ url: "https://example.com/new" })).toMatchObject({
      url: "https://example.com/new",
      is_active: false,
    });
    expect(await change({ description: null, event_filter: "a.b" })).toMatchObject({
      description: null,
      event_filter: "a.b",
    });
    expect(await client.expecting(200, client.get(`/endpoints/${endpoint.id}`))).toEqual({
      ...endpoint,
      url: "https://example.com/new",
      description: null,
      event_filter: "a.b",
      is_active: false,
    });
  });

  test("is deleted, and what it has pending is cancelled", async () => {
    const endpoint = await client.newEndpoint();
    const [done, pending] = [await client.send(endpoint.id, "a"), await client.send(endpoint.id, "b")];
    await recordAttempt(service.database.db, done, { status: 200 });
    expect(await client.expecting(200, client.delete(`/endpoints/${endpoint.id}`))).toEqual({
      deleted: true,
    });
    const statusOf = async ({ id }: { id: string }) => (await client.get(`/webhooks/${id}`)).body;
    expect(await statusOf(done)).toMatchObject({ status: "delivered" });
    expect(await statusOf(pending)).toMatchObject({ status: "cancelled", cancel_reason: "endpoint_deleted" });
    expectError(await client.get(`/endpoints/${endpoint.id}`), 404, "NOT_FOUND");
    expectError(await client.delete(`/endpoints/${endpoint.id}`), 404, "NOT_FOUND");
    expect((await client.get("/endpoints")).text).not.toContain(endpoint.id);
    const send = client.post("/webhooks", { endpoint_id: endpoint.id, data: {} });
    expectError(await send, 400, "BAD_REQUEST", "endpoint_id");
  });
});

describe("a send", () => {
  test("answers the delivery", async () => {
    const endpoint = await client.newEndpoint();
    expect(await client.send(endpoint.id, "order.created", { a: 1 })).toEqual({
      id: expect.stringMatching(ID("wh")),
      endpoint_id: endpoint.id,
      event: "order.created",
      status: "pending",
      attempt_count: 0,
      created_at: expect.stringMatching(TIMESTAMP),
    });
  });

  test("needs no event", async () => {
    const endpoint = await client.newEndpoint();
    expect((await client.send(endpoint.id)).event).toBeNull();
  });

  test.each([
    "plain",
    "a.b.v2",
    'with "quotes" and \\',
    "ünïcödé",
    "😀".repeat(256),
    "*",
    "a.*",
    "x".repeat(256),
  ])("takes any event: %j", async (event) => {
    const endpoint = await client.newEndpoint();
    const sent = await client.send(endpoint.id, event);
    expect(sent.event).toBe(event);
    const found = await client.get(`/webhooks?event=${encodeURIComponent(event)}`);
    expect(found.body.deliveries[0]).toMatchObject({ id: sent.id, event });
  });

  test("keeps its data byte for byte", async () => {
    const endpoint = await client.newEndpoint();
    const data =
      '{ "n" : 12345678901234567890.10, "b":1,"a":2, "e":"\\u00e9\\/" ,"\\ud800":"\\u0000","d":1,"d":2}';
    const sent = await client.expecting(
      201,
      client.post("/webhooks", `{"endpoint_id":"${endpoint.id}","data":${data}}`),
    );
    expect((await client.get(`/webhooks/${sent.id}`)).text).toContain(`"data":${data}`);
  });

  test.each([
    ["does not exist", async () => ABSENT.endpoint],
    ["is another account's", async () => (await stranger.newEndpoint()).id],
    ["is no identifier", async () => "nope"],
    ["is a delivery's", async () => ABSENT.delivery],
    ["is empty", async () => ""],
  ])("to an endpoint_id that %s is a 400", async (_, idOf) => {
    const answer = await client.post("/webhooks", { endpoint_id: await idOf(), data: {} });
    expectError(answer, 400, "BAD_REQUEST", "endpoint_id");
  });

  test("beyond the plan's month is a 403", async () => {
    await service.dependencies.plans.put("two", { requestsPerMinute: null, webhooksPerMonth: 2 });
    const small = await service.newClient({ plan: "two" });
    const endpoint = await small.newEndpoint();
    const statuses = [];
    for (let i = 0; i < 3; i++) {
      statuses.push((await small.post("/webhooks", { endpoint_id: endpoint.id, data: {} })).status);
    }
    expect(statuses).toEqual([201, 201, 403]);
    expectError(
      await small.post("/webhooks", { endpoint_id: endpoint.id, data: {} }),
      403,
      "FORBIDDEN",
      /month/,
    );
    const { body } = await small.get("/billing/usage");
    expect(body).toMatchObject({ plan: "two", webhooks: { used: 2, limit: 2, remaining: 0 } });
  });

  test.each([
    ["order.*", "order.created", "pending"],
    ["order.*", "order.created.v2", "pending"],
    ["order.*", "orders.created", "cancelled"],
    ["order.*", "order", "cancelled"],
    ["order.created", "order.created", "pending"],
    ["order.created", "order.created.v2", "cancelled"],
    ["order.created", undefined, "cancelled"],
    ["*", undefined, "pending"],
    ["*", "anything", "pending"],
  ])("through the filter %s of the event %s is %s", async (event_filter, event, status) => {
    const endpoint = await client.newEndpoint({ event_filter });
    const sent = await client.send(endpoint.id, event);
    expect(sent.status).toBe(status);
    expect(sent.cancel_reason).toBe(status === "cancelled" ? "event_filter" : undefined);
    const detail = await client.expecting(200, client.get(`/webhooks/${sent.id}`));
    expect(detail).toMatchObject({ status, attempt_count: 0, response_status: null, attempts: [] });
  });
});

describe("a delivery", () => {
  test("that failed once and then succeeded is delivered, with both attempts", async () => {
    const endpoint = await client.newEndpoint();
    const sent = await client.send(endpoint.id, "a.b", { x: 1 });
    await recordAttempt(service.database.db, sent, { status: 503, body: "later" });
    const waiting = await client.expecting(200, client.get(`/webhooks/${sent.id}`));
    expect(waiting).toMatchObject({
      status: "pending",
      attempt_count: 1,
      response_status: 503,
      completed_at: null,
    });
    expect(waiting.next_attempt_at).toMatch(TIMESTAMP);
    await recordAttempt(service.database.db, sent, { status: 204 });
    expect(await client.expecting(200, client.get(`/webhooks/${sent.id}`))).toEqual({
      ...sent,
      status: "delivered",
      attempt_count: 2,
      response_status: 204,
      sequence: 1,
      next_attempt_at: null,
      completed_at: expect.stringMatching(TIMESTAMP),
      attempts: [attemptOf(1, 503, "later"), attemptOf(2, 204, null)],
      data: { x: 1 },
    });
  });

  test("whose receiver never answered has the status 0 and a reason", async () => {
    const endpoint = await client.newEndpoint();
    const sent = await client.send(endpoint.id);
    await recordAttempt(service.database.db, sent, { status: 0, error: "timeout", verdict: "failed" });
    const detail = await client.expecting(200, client.get(`/webhooks/${sent.id}`));
    expect(detail).toMatchObject({ status: "failed", attempt_count: 1, response_status: 0 });
    expect(detail.attempts).toMatchObject([{ attempt: 1, status: 0, error: "timeout" }]);
  });

  const attemptOf = (attempt: number, status: number, response_body: string | null) => ({
    attempt,
    status,
    timestamp: expect.stringMatching(TIMESTAMP),
    duration_ms: 12,
    response_body,
    error: null,
  });
});

describe("statistics", () => {
  test("count everything, and rate what ended", async () => {
    const account = await service.newClient();
    const zero = {
      total_deliveries: 0,
      delivered: 0,
      failed: 0,
      pending: 0,
      success_rate: 0,
      endpoints_count: 0,
    };
    expect((await account.get("/stats")).body).toEqual(zero);
    const endpoint = await account.newEndpoint();
    const gone = await account.newEndpoint();
    const sent = [];
    for (let i = 0; i < 5; i++) sent.push(await account.send(endpoint.id, `e.${i}`));
    await account.send(gone.id, "e.5");
    await account.delete(`/endpoints/${gone.id}`);
    const [first, second, third] = sent;
    for (const each of [first, second]) await recordAttempt(service.database.db, each, { status: 200 });
    await recordAttempt(service.database.db, third, { status: 410, verdict: "failed" });
    const expected = {
      total_deliveries: 6,
      delivered: 2,
      failed: 1,
      pending: 2,
      success_rate: 66.67,
      endpoints_count: 1,
    };
    expect((await account.get("/stats")).body).toEqual(expected);
  });
});

describe("usage", () => {
  test("tells plan, month and limits", async () => {
    const account = await service.newClient({ plan: "starter" });
    await account.send((await account.newEndpoint()).id);
    const now = new Date();
    const monthStart = (add: number) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + add)).toISOString();
    expect((await account.get("/billing/usage")).body).toEqual({
      plan: "starter",
      period: { start: monthStart(0), end: monthStart(1) },
      webhooks: { used: 1, limit: 50_000, remaining: 49_999 },
      requests_per_minute: 600,
    });
  });

  test("without limits has none", async () => {
    const { body } = await client.get("/billing/usage");
    expect(body).toMatchObject({ webhooks: { limit: null, remaining: null }, requests_per_minute: null });
  });
});

describe("every answer", () => {
  test("is JSON that is not to be guessed at nor kept", async () => {
    const answers = [
      await client.get("/endpoints"),
      await client.get("/webhooks"),
      await client.get("/nope"),
      await client.post("/webhooks", {}),
      await client.post("/endpoints", { url: "https://example.com" }),
    ];
    for (const { headers } of answers) {
      expect(headers.get("content-type")).toBe("application/json");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.has("server")).toBe(false);
      expect(headers.has("x-powered-by")).toBe(false);
    }
  });
});
