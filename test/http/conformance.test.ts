import { describe, expect, test } from "bun:test";
import { fromText } from "../../src/domain/ids";
import { until } from "../support/faults/until";
import { recordAttempt } from "./attempts";
import { expectError, type Json } from "./client";
import { ABSENT } from "./routes";
import { useService } from "./service";

/** Tests the published interface sentence by sentence. */
const service = await useService();
const client = await service.newClient();
const stranger = await service.newClient();

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ID = (prefix: string) => new RegExp(`^${prefix}_[0-9a-z]{26}$`);

describe("what the service does", () => {
  test("every send creates a delivery record that shows status, attempt count and attempts", async () => {
    const endpoint = await client.newEndpoint();
    const sent = await client.send(endpoint.id, "a.b", { x: 1 });
    const detail = await client.expecting(200, client.get(`/webhooks/${sent.id}`));
    expect(detail).toMatchObject({ id: sent.id, status: "pending", attempt_count: 0, attempts: [] });
  });

  test("event types are registered at their first use", async () => {
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
    ["an endpoint's figures", "GET", async () => `/endpoints/${(await client.newEndpoint()).id}/stats`],
    ["a delivery", "GET", async () => `/webhooks/${(await client.send((await client.newEndpoint()).id)).id}`],
    [
      "a delivery",
      "POST",
      async () => `/webhooks/${(await client.send((await client.newEndpoint()).id)).id}/cancel`,
    ],
    [
      "a delivery's payload",
      "DELETE",
      async () => `/webhooks/${(await client.send((await client.newEndpoint()).id)).id}/payload`,
    ],
    ["a key", "PATCH", async () => `/keys/${(await client.expecting(201, client.post("/keys", {}))).id}`],
    ["a key", "DELETE", async () => `/keys/${(await client.expecting(201, client.post("/keys", {}))).id}`],
  ];
  test.each(others)(
    "%s of another account is a 404 to %s, and stays unchanged",
    async (_, method, pathOf) => {
      const path = await pathOf();
      const body = method === "PATCH" ? { is_active: false } : undefined;
      expectError(await stranger.ask(method, path, body), 404, "NOT_FOUND");
      expect((await client.ask(method, path, body)).status).toBeOneOf([200, 201]);
    },
  );
});

describe("an endpoint", () => {
  test("has these fields when it is created", async () => {
    const url = "https://example.com/in";
    const endpoint = await client.newEndpoint({ url, description: "d", event_filter: "order.*" });
    expect(endpoint).toEqual({
      id: expect.stringMatching(ID("ep")),
      url,
      delivery: "push",
      description: "d",
      event_filter: "order.*",
      event_types: ["order.*"],
      filter: null,
      is_active: true,
      health: {
        state: "healthy",
        since: null,
        failing_since: null,
        blocked_by: null,
        reason: null,
        last_success_at: null,
        last_read_at: null,
        last_failure: null,
        filter_errors: null,
        pending: 0,
        oldest_pending_at: null,
        complete_up_to: 0,
      },
      feed: false,
      feed_accounts: null,
      headers: {},
      sensitive_headers: [],
      external_id: null,
      metadata: {},
      retry_schedule_ms: null,
      timeout_ms: null,
      rate_limit: null,
      ordering: "ordered",
      batch_size: 1,
      max_in_flight: 10,
      while_inactive: "hold",
      on_exhausted: "skip",
      permanent_statuses: [],
      format: "payload",
      traceparent: false,
      content_type: "application/json",
      created_at: expect.stringMatching(TIMESTAMP),
      signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
  });

  test("matches every event and has no description by default", async () => {
    expect(await client.newEndpoint()).toMatchObject({
      event_filter: "*",
      event_types: ["*"],
      description: null,
    });
  });

  test("shows its secret only in the answer to its creation", async () => {
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
    "accepts the filter %s",
    async (event_filter) => {
      expect((await client.newEndpoint({ event_filter })).event_filter).toBe(event_filter);
    },
  );

  test.each([
    ["user.created, user.deleted", "user.created,user.deleted", ["user.created", "user.deleted"]],
    [["a,b", "user.*"], "a,b,user.*", ["a,b", "user.*"]],
  ])("accepts a list of patterns and shows both forms: %j", async (given, event_filter, event_types) => {
    const fields = typeof given === "string" ? { event_filter: given } : { event_types: given };
    const endpoint = await client.newEndpoint(fields);
    expect(endpoint).toMatchObject({ event_filter, event_types });
    const changed = await client.newEndpoint();
    expect(await client.expecting(200, client.patch(`/endpoints/${changed.id}`, fields))).toMatchObject({
      event_filter,
      event_types,
    });
    const status = async (event?: string) => (await client.send(endpoint.id, event)).status;
    expect(await status("user.deleted")).toBe("pending");
    expect(await status("order.paid")).toBe("cancelled");
    expect(await status()).toBe("cancelled");
    const { deliveries } = await client.expecting(
      201,
      client.post("/events", { event: event_types[0], data: {} }),
    );
    expect(deliveries.map((each: Json) => each.endpoint_id)).toEqual(
      expect.arrayContaining([endpoint.id, changed.id]),
    );
  });

  test("accepts one form of its filter at a time", async () => {
    const fields = { event_filter: "a", event_types: ["a"] };
    const { id } = await client.newEndpoint();
    for (const answer of [
      await client.post("/endpoints", { url: "https://example.com", ...fields }),
      await client.patch(`/endpoints/${id}`, fields),
    ]) {
      expectError(answer, 400, "BAD_REQUEST", "event_filter and event_types are two forms of one filter");
    }
  });

  test("can be set inactive, and then holds its deliveries", async () => {
    const endpoint = await client.newEndpoint({ is_active: false });
    expect(endpoint).toMatchObject({ is_active: false });
    const { id } = await client.send(endpoint.id, "a");
    expect((await client.get(`/webhooks/${id}`)).body.waiting_for).toEqual({ reason: "pause" });
    expect(await client.newEndpoint({ is_active: true })).toMatchObject({ is_active: true });
  });

  test("can be changed field by field", async () => {
    const { signing_secret: _, ...endpoint } = await client.newEndpoint({ description: "old" });
    const change = async (fields: object) =>
      client.expecting(200, client.patch(`/endpoints/${endpoint.id}`, fields));
    expect(await change({})).toEqual(endpoint);
    const paused = await change({ is_active: false });
    expect(paused).toEqual({ ...endpoint, is_active: false, health: paused.health });
    expect(await change({ url: "https://example.com/new" })).toMatchObject({
      url: "https://example.com/new",
      is_active: false,
    });
    expect(await change({ description: null, event_filter: "a.b" })).toMatchObject({
      description: null,
      event_filter: "a.b",
    });
    expect(await client.expecting(200, client.get(`/endpoints/${endpoint.id}`))).toEqual({
      ...paused,
      url: "https://example.com/new",
      description: null,
      event_filter: "a.b",
      event_types: ["a.b"],
      is_active: false,
    });
  });

  test.each([
    ["HTTPS://Example.COM:443/a/../b?c#d", "https://example.com/b?c"],
    ["https://example.com", "https://example.com"],
  ])("have their URL in the form in which it is used: %s", async (url, shown) => {
    expect((await client.newEndpoint({ url })).url).toBe(shown);
  });

  const TUNED = {
    metadata: { team: "payments", "a/b": "é 😀", __proto__x: "" },
    retry_schedule_ms: [100, 86_400_000],
    timeout_ms: 60_000,
    rate_limit: 1_000,
    ordering: "unordered",
    max_in_flight: 100,
    format: "envelope",
    content_type: "application/vnd.acme+json",
  };

  test("can be tuned when it is created, and reset to the defaults", async () => {
    const { signing_secret: _, ...made } = await client.newEndpoint(TUNED);
    expect(made).toMatchObject(TUNED);
    const { created_at: __, ...tuned } = made;
    expect((await client.get("/endpoints")).body).toContainEqual(made);
    const cleared = { metadata: {}, retry_schedule_ms: null, timeout_ms: null, rate_limit: null };
    const answer = await client.expecting(200, client.patch(`/endpoints/${made.id}`, cleared));
    expect(answer).toMatchObject({ ...tuned, ...cleared });
    expect(answer.metadata).toEqual({});
  });

  test("is tuned field by field, and its metadata is replaced as a whole", async () => {
    const { id } = await client.newEndpoint();
    for (const [name, value] of Object.entries(TUNED)) {
      const changed = await client.expecting(200, client.patch(`/endpoints/${id}`, { [name]: value }));
      expect(changed[name]).toEqual(value);
    }
    expect((await client.get(`/endpoints/${id}`)).body).toMatchObject(TUNED);
    const { metadata } = await client.expecting(
      200,
      client.patch(`/endpoints/${id}`, { metadata: { b: "c" } }),
    );
    expect(metadata).toEqual({ b: "c" });
  });

  test("keeps its headers while it is tuned, and its tuning while its headers change", async () => {
    const { id, ...made } = await client.newEndpoint({ ...TUNED, headers: { "x-a": "b" } });
    expect(made).toMatchObject({ ...TUNED, headers: { "x-a": "b" } });
    const change = async (body: object) => client.expecting(200, client.patch(`/endpoints/${id}`, body));
    expect(await change({ rate_limit: 2 })).toMatchObject({
      ...TUNED,
      rate_limit: 2,
      headers: { "x-a": "b" },
    });
    expect(await change({ headers: null })).toMatchObject({ ...TUNED, rate_limit: 2, headers: {} });
  });

  test("is deleted, and its pending deliveries are cancelled", async () => {
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

describe("a test event", () => {
  const testOf = async (id: string, body: unknown = {}) =>
    client.expecting(201, client.post(`/endpoints/${id}/test`, body));

  test("is a delivery of the type hermod.test, in the endpoint's order, whatever its filter is", async () => {
    const endpoint = await client.newEndpoint({ event_filter: "order.created" });
    await client.send(endpoint.id, "order.created");
    const sent = await testOf(endpoint.id);
    expect(sent).toMatchObject({ endpoint_id: endpoint.id, event: "hermod.test", status: "pending" });
    const { sequence, data } = (await client.get(`/webhooks/${sent.id}`)).body;
    expect({ sequence, data }).toEqual({ sequence: 2, data: { test: true, message: expect.any(String) } });
  });

  test("carries the sender's own data byte for byte, and needs no body", async () => {
    const { id } = await client.newEndpoint();
    const data = '{ "n" : 1.10, "a":[] }';
    const sent = await testOf(id, `{"data":${data}}`);
    expect((await client.get(`/webhooks/${sent.id}`)).text).toContain(`"data":${data}`);
    expect((await client.ask("POST", `/endpoints/${id}/test`)).status).toBe(201);
  });

  test("counts against the month, and with a key is sent once", async () => {
    const account = await service.newClient({ plan: "free" });
    const { id } = await account.newEndpoint();
    const send = () => account.post(`/endpoints/${id}/test`, {}, { "idempotency-key": "a test" });
    const [first, second] = [await send(), await send()];
    expect([second.body, second.headers.get("idempotency-replayed")]).toEqual([first.body, "true"]);
    expect((await account.get("/billing/usage")).body.webhooks.used).toBe(1);
    const other = await account.post(`/endpoints/${id}/test`, { data: {} }, { "idempotency-key": "a test" });
    expectError(other, 409, "CONFLICT");
  });

  test("is answered as before although a newer schema refuses it", async () => {
    const account = await service.newClient();
    const { id } = await account.newEndpoint();
    const send = () => account.post(`/endpoints/${id}/test`, {}, { "idempotency-key": "a test" });
    const first = await send();
    await account.put("/event-types/hermod.test/schema", { schema: { required: ["mine"] } });
    expect((await send()).body).toEqual(first.body);
  });

  test("goes to every endpoint of the account if it is an event", async () => {
    const account = await service.newClient();
    const { id } = await account.newEndpoint({ event_filter: "order.created" });
    const { deliveries } = (await account.post("/events", { event: "hermod.test", data: {} })).body;
    expect(deliveries).toMatchObject([{ endpoint_id: id, status: "pending" }]);
  });

  test("can't be sent by another account", async () => {
    const { id } = await client.newEndpoint();
    expectError(await stranger.post(`/endpoints/${id}/test`, {}), 404, "NOT_FOUND");
    expect((await client.get(`/endpoints/${id}/stats`)).body.pending).toBe(0);
  });

  test("must match the account's schema for its event type", async () => {
    const account = await service.newClient();
    const { id } = await account.newEndpoint();
    await account.put("/event-types/hermod.test/schema", { schema: { required: ["mine"] } });
    expectError(await account.post(`/endpoints/${id}/test`, {}), 400, "BAD_REQUEST", "mine");
    expect((await account.post(`/endpoints/${id}/test`, { data: { mine: 1 } })).status).toBe(201);
  });
});

describe("a send", () => {
  test("returns the delivery", async () => {
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
  ])("accepts any event: %j", async (event) => {
    const endpoint = await client.newEndpoint();
    const sent = await client.send(endpoint.id, event);
    expect(sent.event).toBe(event);
    const found = await client.get(`/webhooks?event=${encodeURIComponent(event)}`);
    expect(found.body.deliveries[0]).toMatchObject({ id: sent.id, event });
  });

  test.each(["[1, 2]", '"text"', "1.10", "true", "null", '""'])(
    "accepts any JSON value as data: %s",
    async (data) => {
      const { id } = await client.newEndpoint({ event_filter: "any.json" });
      const sent = await client.post("/webhooks", `{"endpoint_id":"${id}","data":${data}}`);
      const published = await client.post("/events", `{"event":"any.json","data":${data}}`);
      for (const each of [sent.body.id, published.body.deliveries.at(-1).id]) {
        const { text, body } = await client.get(`/webhooks/${each}`);
        expect(text).toContain(`"data":${data}`);
        expect(body).not.toHaveProperty("erased_at");
      }
    },
  );

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
    const failure = { error: "tls", errorDetail: "certificate_expired" };
    await recordAttempt(service.database.db, sent, { status: 0, ...failure, verdict: "failed" });
    const detail = await client.expecting(200, client.get(`/webhooks/${sent.id}`));
    expect(detail).toMatchObject({ status: "failed", attempt_count: 1, response_status: 0 });
    const shown = { error: "tls", error_detail: "certificate_expired", location: null };
    expect(detail.attempts).toMatchObject([{ attempt: 1, status: 0, ...shown }]);
  });

  test("whose receiver redirects shows the target", async () => {
    const endpoint = await client.newEndpoint();
    const sent = await client.send(endpoint.id);
    const location = "https://hook.test/x";
    await recordAttempt(service.database.db, sent, { status: 308, location, verdict: "failed" });
    const detail = await client.expecting(200, client.get(`/webhooks/${sent.id}`));
    expect(detail.attempts).toMatchObject([{ status: 308, error: null, error_detail: null, location }]);
  });

  const attemptOf = (attempt: number, status: number, response_body: string | null) => ({
    attempt,
    status,
    timestamp: expect.stringMatching(TIMESTAMP),
    kind: "pulled",
    duration_ms: 12,
    timing: null,
    address: null,
    batch: null,
    request_headers: null,
    response_headers: null,
    response_body,
    error: null,
    error_detail: null,
    location: null,
  });
});

describe("what a pending delivery waits for", () => {
  const waitOf = async ({ id }: { id: string }) =>
    (await client.expecting(200, client.get(`/webhooks/${id}`))).waiting_for;

  test("is a delivery before it, its retry, or the endpoint's pause", async () => {
    const endpoint = await client.newEndpoint();
    const [first, second] = [await client.send(endpoint.id), await client.send(endpoint.id)];
    const inFront = { id: first.id, sequence: 1, since: null, next_attempt_at: null };
    const untried = { ...inFront, attempt_count: 0, response_status: null };
    const ahead = { count: 1, complete: true };
    expect(await waitOf(first)).toEqual({ reason: "attempt" });
    expect(await waitOf(second)).toEqual({ reason: "turn", ahead, in_front: untried });

    await recordAttempt(service.database.db, first, { status: 500 });
    const { next_attempt_at, attempts } = (await client.get(`/webhooks/${first.id}`)).body;
    expect(await waitOf(first)).toEqual({ reason: "retry", until: next_attempt_at });
    expect(await waitOf(second)).toEqual({
      reason: "turn",
      ahead,
      in_front: {
        ...inFront,
        since: attempts[0].timestamp,
        next_attempt_at,
        attempt_count: 1,
        response_status: attempts[0].status,
      },
    });

    await client.patch(`/endpoints/${endpoint.id}`, { is_active: false });
    for (const each of [first, second]) expect(await waitOf(each)).toEqual({ reason: "pause" });
    await client.patch(`/endpoints/${endpoint.id}`, { is_active: true });
    await recordAttempt(service.database.db, first, { status: 200 });
    expect(await waitOf(first)).toBeUndefined();
    expect(await waitOf(second)).toEqual({ reason: "attempt" });
  });

  test("is the rate limit if that many attempts began in the last second", async () => {
    const endpoint = await client.newEndpoint({ rate_limit: 2 });
    const sent = [];
    for (let i = 0; i < 4; i++) sent.push(await client.send(endpoint.id));
    const [first, second, third, fourth] = sent;
    await recordAttempt(service.database.db, first, { status: 200 });
    expect(await waitOf(second)).toEqual({ reason: "attempt" });
    await recordAttempt(service.database.db, second, { status: 200 });
    expect(await waitOf(third)).toEqual({ reason: "rate_limit", rate_limit: 2 });
    expect(await waitOf(fourth)).toMatchObject({ reason: "turn", in_front: { id: third.id } });
    await until(async () => (await waitOf(third)).reason === "attempt");
  });

  test("is a rate limit below one a second for as long as its attempt fills it", async () => {
    const endpoint = await client.newEndpoint({ rate_limit: 0.02 });
    expect(endpoint.rate_limit).toBe(0.02);
    const [first, second] = [await client.send(endpoint.id), await client.send(endpoint.id)];
    await recordAttempt(service.database.db, first, { status: 200 });
    expect(await waitOf(second)).toEqual({ reason: "rate_limit", rate_limit: 0.02 });
  });

  test("is a slot if the endpoint is unordered, and never another delivery", async () => {
    const endpoint = await client.newEndpoint({ ordering: "unordered", max_in_flight: 2 });
    const sent = [];
    for (let i = 0; i < 4; i++) sent.push(await client.send(endpoint.id));
    const [first, second, third, fourth] = sent;
    for (const each of [first, second]) expect(await waitOf(each)).toEqual({ reason: "attempt" });
    for (const each of [third, fourth]) {
      expect(await waitOf(each)).toEqual({ reason: "max_in_flight", max_in_flight: 2 });
    }
    await recordAttempt(service.database.db, first, { status: 500 });
    expect((await waitOf(first)).reason).toBe("retry");
    expect(await waitOf(third)).toEqual({ reason: "attempt" });
    // A retry that is due counts as in flight too.
    await service.database.db.run(
      (
        sql,
      ) => sql`update queue set next_attempt_at = now() where sequence = 1 and account_id = ${client.accountId}
        and endpoint_id = ${fromText("ep", endpoint.id)}`,
    );
    expect(await waitOf(third)).toEqual({ reason: "max_in_flight", max_in_flight: 2 });
  });

  test("is the first delivery of its key if the endpoint is by_key, or a slot", async () => {
    const endpoint = await client.newEndpoint({ ordering: "by_key", max_in_flight: 2 });
    const send = async (ordering_key?: string) =>
      (await client.post("/webhooks", { endpoint_id: endpoint.id, ordering_key, data: {} })).body;
    const [first, plain, second] = [await send("a"), await send(), await send("a")];
    const [behindPlain, other] = [await send(), await send("b")];
    for (const each of [first, plain]) expect(await waitOf(each)).toEqual({ reason: "attempt" });
    const untried = {
      id: first.id,
      sequence: 1,
      since: null,
      next_attempt_at: null,
      attempt_count: 0,
      response_status: null,
    };
    expect(await waitOf(second)).toEqual({
      reason: "turn",
      ordering_key: "a",
      ahead: { count: 1, complete: true },
      in_front: untried,
    });
    expect(await waitOf(behindPlain)).toMatchObject({
      reason: "turn",
      ordering_key: null,
      in_front: { id: plain.id },
    });
    expect(await waitOf(other)).toEqual({ reason: "max_in_flight", max_in_flight: 2 });

    await recordAttempt(service.database.db, first, { status: 500 });
    const { next_attempt_at } = (await client.get(`/webhooks/${first.id}`)).body;
    expect(await waitOf(second)).toMatchObject({
      reason: "turn",
      in_front: { id: first.id, next_attempt_at },
    });
    // Deliveries whose key waits do not count as in flight.
    expect(await waitOf(other)).toEqual({ reason: "attempt" });
    await recordAttempt(service.database.db, plain, { status: 200 });
    expect(await waitOf(behindPlain)).toEqual({ reason: "attempt" });
  });

  test("is null if it was never queued", async () => {
    const endpoint = await client.newEndpoint({ event_filter: "a.b" });
    expect(await waitOf(await client.send(endpoint.id, "c.d"))).toBeUndefined();
  });
});

describe("statistics", () => {
  test("count everything, and rate ended deliveries", async () => {
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

describe("the statistics of an endpoint", () => {
  test("show pending and received deliveries, and the results of attempts", async () => {
    const endpoint = await client.newEndpoint({ event_filter: "a.*" });
    const statsOf = async () => client.expecting(200, client.get(`/endpoints/${endpoint.id}/stats`));
    const none = {
      pending: 0,
      oldest_pending_at: null,
      accepted: { last_minute: 0, last_hour: 0, last_day: 0 },
      recent: {
        deliveries: 0,
        delivered: 0,
        failed: 0,
        success_rate: 0,
        attempts: 0,
        attempts_per_second: 0,
        latency_ms: { p50: null, p90: null, p99: null },
      },
    };
    expect(await statsOf()).toEqual(none);
    await client.send(endpoint.id, "filtered");
    const sent = [];
    for (let i = 0; i < 5; i++) sent.push(await client.send(endpoint.id, "a.b"));
    const [first, second, third, fourth] = sent;
    await recordAttempt(service.database.db, first, { status: 500 });
    for (const each of [first, second]) await recordAttempt(service.database.db, each, { status: 200 });
    await recordAttempt(service.database.db, third, { status: 410, verdict: "failed" });
    expect(await statsOf()).toEqual({
      pending: 2,
      oldest_pending_at: fourth.created_at,
      accepted: { last_minute: 5, last_hour: 5, last_day: 5 },
      recent: {
        deliveries: 3,
        delivered: 2,
        failed: 1,
        success_rate: 66.67,
        attempts: 4,
        attempts_per_second: expect.any(Number),
        latency_ms: { p50: 12, p90: 12, p99: 12 },
      },
    });
  });
});

describe("usage", () => {
  test("shows plan, month and limits", async () => {
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

  test("without limits shows none", async () => {
    const { body } = await client.get("/billing/usage");
    expect(body).toMatchObject({ webhooks: { limit: null, remaining: null }, requests_per_minute: null });
  });
});

describe("every answer", () => {
  test("is JSON that is neither sniffed nor cached", async () => {
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
