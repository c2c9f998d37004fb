import { expect, test } from "bun:test";
import { FILTERS } from "../../src/endpoints/endpoint";
import { deleteExpiredErrors } from "../../src/event-types/filter/error-counts";
import { MAX_SAMPLE } from "../../src/event-types/sample";
import { type Client, expectError, type Json } from "./client";
import { newPortalSession } from "./portal-session";
import { startTestService, useService } from "./service";

const service = await useService();

const LARGE_ORDERS = "event == 'order.paid' && data.total > 100";
const order = (total: unknown, event = "order.paid") => ({ event, data: { total } });

async function takersOf(client: Client, body: object): Promise<string[]> {
  const { deliveries } = await client.expecting(201, client.post("/events", body));
  return deliveries.map((each: Json) => each.endpoint_id);
}

test("an event goes to the endpoints whose filter it matches, and to all without one", async () => {
  const client = await service.newClient();
  const all = await client.newEndpoint();
  const large = await client.newEndpoint({ filter: LARGE_ORDERS });
  const own = await client.newEndpoint({
    filter: "data.customer == metadata.customer",
    metadata: { customer: "c1" },
  });
  expect(large.filter).toBe(LARGE_ORDERS);
  expect(await takersOf(client, order(101))).toEqual([all.id, large.id]);
  expect(await takersOf(client, order(100))).toEqual([all.id]);
  expect(await takersOf(client, { data: { customer: "c1" } })).toEqual([all.id, own.id]);
  // The filter can't judge a payload without the field, and the types still count.
  expect(await takersOf(client, { event: "order.paid", data: {} })).toEqual([all.id]);
  await client.expecting(200, client.patch(`/endpoints/${large.id}`, { event_types: ["invoice.*"] }));
  expect(await takersOf(client, order(101))).toEqual([all.id]);
});

test("a filter that can't work is a 400 with the nearest right form", async () => {
  const client = await service.newClient();
  const { id } = await client.newEndpoint();
  const change = (filter: string) => client.patch(`/endpoints/${id}`, { filter });
  await expectError(
    await change("event == 5"),
    400,
    "BAD_REQUEST",
    /^filter compares .* write event == "5"$/,
  );
  await expectError(
    await change('event.type == "c.a"'),
    400,
    "BAD_REQUEST",
    /^filter uses event\.type, but event is/,
  );
});

test("a filter has lines, tabs and comments, and arithmetic with JSON's numbers", async () => {
  const client = await service.newClient();
  const filter = "// even\n\tdata.total % 2 == 0 // and\r\n\t&& data.total + 1 > 3 // large";
  const { id, filter: kept } = await client.newEndpoint({ filter });
  expect(kept).toBe(filter);
  expect(await takersOf(client, order(4))).toEqual([id]);
  expect(await takersOf(client, order(2))).toEqual([]);
  expect(await takersOf(client, order(5))).toEqual([]);
  await expectError(
    await client.patch(`/endpoints/${id}`, { filter: "data.a == 1 \u0007" }),
    400,
    "BAD_REQUEST",
    /^filter must not contain control characters/,
  );
});

test("each event of a batch is filtered by itself", async () => {
  const client = await service.newClient();
  const { id } = await client.newEndpoint({ filter: LARGE_ORDERS });
  const { results } = await client.expecting(
    200,
    client.post("/events/batch", { events: [order(1), order(101), order(2), order(102)] }),
  );
  expect(results.map(({ event }: Json) => event.deliveries.map((each: Json) => each.endpoint_id))).toEqual([
    [],
    [id],
    [],
    [id],
  ]);
});

test("an event names the endpoints that missed it because of their filter", async () => {
  const client = await service.newClient();
  const { id } = await client.newEndpoint({ filter: LARGE_ORDERS });
  const published = await client.expecting(201, client.post("/events", order(1)));
  const { missed } = await client.expecting(200, client.get(`/events/${published.id}`));
  expect(missed).toEqual([{ endpoint_id: id, reason: "filter" }]);
});

test("an event says which error made a filter exclude it, until its payload is erased", async () => {
  const client = await service.newClient();
  const { id } = await client.newEndpoint({
    filter: "data.customer == metadata.customer",
    metadata: { customer: "5" },
  });
  const published = await client.expecting(201, client.post("/events", { data: { customer: 5 } }));
  const error = "data.customer is a number, and metadata has texts alone; write string(data.customer)";
  const path = `/events/${published.id}`;
  const shown = [{ endpoint_id: id, reason: "filter", error }];
  expect((await client.expecting(200, client.get(path))).missed).toEqual(shown);
  expect((await client.expecting(200, client.get(`${path}/missed`))).data).toEqual(shown);
  await client.expecting(200, client.delete(`${path}/payload`));
  expect((await client.expecting(200, client.get(path))).missed).toEqual([
    { endpoint_id: id, reason: "filter" },
  ]);
});

test("an endpoint's health says how often its filter failed, and with which error at last", async () => {
  const client = await service.newClient();
  const fields = { filter: "int(data.n) > 1", event_types: ["a.b"] };
  const { id } = await client.newEndpoint(fields);
  const { filterErrors } = service.dependencies;
  const errors = async () => {
    await filterErrors.write();
    return (await client.expecting(200, client.get(`/endpoints/${id}`))).health.filter_errors;
  };
  const publish = (n: unknown) =>
    client.expecting(201, client.post("/events", { event: "a.b", data: { n } }));
  await publish(1);
  expect(await errors()).toBeNull();
  await publish("many");
  const last = await publish([]);
  const first = await errors();
  expect(first).toEqual({
    since: expect.any(String),
    count: 2,
    last_at: expect.any(String),
    last_error: expect.stringContaining("int"),
    event_id: last.id,
    webhook_id: null,
  });
  const sent = await client.send(id, "a.b", { n: "none" });
  expect(await errors()).toMatchObject({ since: first.since, count: 3, event_id: null, webhook_id: sent.id });
  // Refused: it is no event.
  await client.post("/events", { event: "a.b", data: { n: "none" }, unknown: 1 });
  // The error may quote the payload.
  await client.expecting(200, client.delete(`/webhooks/${sent.id}/payload`));
  expect(await errors()).toMatchObject({ count: 3, last_error: null });
  await client.expecting(200, client.patch(`/endpoints/${id}`, fields));
  expect(await errors()).toMatchObject({ count: 3 });
  await publish("many");
  await client.expecting(200, client.patch(`/endpoints/${id}`, { filter: "data.n == 1" }));
  expect(await errors()).toBeNull();
});

test("the error of a filter is plain, short, gone with its payload, and hidden from whoever may see none", async () => {
  const client = await service.newClient();
  const { id } = await client.newEndpoint({ filter: "bool(data)" });
  const { filterErrors, db } = service.dependencies;
  const nul = String.fromCharCode(0);
  await client.expecting(201, client.post("/events", { data: `${nul}\ud800${"x".repeat(1_000)}` }));
  await filterErrors.write();
  const errorFor = async (headers: Record<string, string>) => {
    const answer = await fetch(`${service.url}/v1/endpoints/${id}`, { headers });
    const shown = (await answer.json()) as Json;
    if (!answer.ok) throw new Error(JSON.stringify(shown));
    return shown.health.filter_errors?.last_error;
  };
  const own = { authorization: `Bearer ${client.key}` };
  expect(await errorFor(own)).toMatch(/^[ -~]{100,500}$/);
  const session = (capabilities: string[]) => newPortalSession(service, client, { capabilities });
  expect(await errorFor(await session(["view", "view_payloads"]))).toContain("xxx");
  expect(await errorFor(await session(["view"]))).toBeNull();
  await deleteExpiredErrors(db, Date.now() - 60_000);
  expect(await errorFor(own)).toContain("xxx");
  await deleteExpiredErrors(db, Date.now() + 60_000);
  expect(await errorFor(own)).toBeUndefined();
});

test("a webhook that the filter excludes is recorded as cancelled, and is not attempted", async () => {
  const client = await service.newClient();
  const { id } = await client.newEndpoint({ filter: LARGE_ORDERS });
  const send = (body: object) =>
    client.expecting(201, client.post("/webhooks", { endpoint_id: id, ...body }));
  expect(await send(order(101))).toMatchObject({ status: "pending" });
  for (const body of [order(1), order("many"), { data: {} }]) {
    const sent = await send(body);
    expect(sent).toMatchObject({ status: "cancelled", cancel_reason: "event_filter" });
    const kept = await client.expecting(200, client.get(`/webhooks/${sent.id}`));
    expect(kept).toMatchObject({ status: "cancelled", sequence: null, data: body.data });
  }
  const tested = await client.expecting(201, client.post(`/endpoints/${id}/test`));
  expect(tested.status).toBe("pending");
});

test("a changed filter applies at once here, and everywhere within two seconds", async () => {
  const client = await service.newClient();
  const elsewhere = await startTestService({ beside: service });
  try {
    const { id } = await client.newEndpoint({ filter: "false" });
    const there = client.at(elsewhere.url);
    expect(await takersOf(client, order(1))).toEqual([]);
    expect(await takersOf(there, order(1))).toEqual([]);
    await client.expecting(200, client.patch(`/endpoints/${id}`, { filter: "data.total == 1" }));
    expect(await takersOf(client, order(1))).toEqual([id]);
    const changedAt = performance.now();
    while ((await takersOf(there, order(1))).length === 0) await Bun.sleep(20);
    expect(performance.now() - changedAt).toBeLessThan(10_000);
    await client.expecting(200, client.patch(`/endpoints/${id}`, { filter: null }));
    expect(await takersOf(client, order(2))).toEqual([id]);
  } finally {
    await elsewhere.stop();
  }
});

test("an invalid filter is a 400 with the reason", async () => {
  const client = await service.newClient();
  const { id } = await client.newEndpoint();
  const wrong: [unknown, string][] = [
    ["data.total >", "filter is not a CEL expression"],
    ["dta.total > 1", "did you mean data?"],
    ["", "filter"],
    [1, "filter"],
  ];
  for (const [filter, message] of wrong) {
    expectError(await client.patch(`/endpoints/${id}`, { filter }), 400, "BAD_REQUEST", message);
    const created = await client.post("/endpoints", { url: "https://example.com", filter });
    expectError(created, 400, "BAD_REQUEST", message);
    const tested = await client.post(`/endpoints/${id}/filter/test`, { filter });
    expectError(tested, 400, "BAD_REQUEST", message);
  }
});

test("an account has a limited number of endpoints with a filter", async () => {
  const client = await service.newClient();
  const { id } = await client.newEndpoint({ filter: "true" });
  const other = await client.newEndpoint();
  await service.database.db.run(
    (sql) => sql`
      insert into endpoints (id, account_id, url, signing_secret, filter)
      select gen_random_uuid(), ${client.accountId}, 'https://example.com', 'x', 'true' from generate_series(2, ${FILTERS.most})
    `,
  );
  const refused = await client.patch(`/endpoints/${other.id}`, { filter: "true" });
  expectError(refused, 409, "CONFLICT", "endpoints with a filter");
  await client.expecting(200, client.patch(`/endpoints/${id}`, { filter: "false" }));
});

test("a test of a filter says which stored payloads it would match", async () => {
  const client = await service.newClient();
  const { id } = await client.newEndpoint({ event_types: ["order.*"], filter: LARGE_ORDERS });
  const large = await client.expecting(201, client.post("/events", order(101)));
  const { id: direct } = await client.expecting(
    201,
    client.post("/webhooks", { endpoint_id: id, ...order(1) }),
  );
  const odd = await client.expecting(201, client.post("/events", { event: "order.paid", data: {} }));
  const user = await client.expecting(201, client.post("/events", order(101, "user.created")));
  const run = async (body: object = {}) =>
    client.expecting(200, client.post(`/endpoints/${id}/filter/test`, body));
  const result = await run();
  expect(result).toMatchObject({ examined: 4, matched: 1 });
  expect(result.data.map((each: Json) => [each.id, each.outcome])).toEqual([
    [user.id, "event_types"],
    [odd.id, "error"],
    [direct, "filter"],
    [large.id, "match"],
  ]);
  expect(result.data[1].error).toContain("field not found: total");
  expect((await run({ filter: "data.total == 1" })).matched).toBe(1);
  expect((await run({ filter: null })).matched).toBe(3);
  expect(await run({ after: "2999-01-01" })).toEqual({ examined: 0, matched: 0, data: [] });
  await client.expecting(200, client.delete(`/events/${user.id}/payload`));
  expect((await run()).examined).toBe(3);
  const stranger = await service.newClient();
  expectError(await stranger.post(`/endpoints/${id}/filter/test`, {}), 404, "NOT_FOUND");
});

test("a test of a filter reads a bounded number of payloads", async () => {
  const client = await service.newClient();
  const { id } = await client.newEndpoint();
  const events = Array.from({ length: MAX_SAMPLE + 1 }, (_, i) => order(i));
  await client.expecting(200, client.post("/events/batch", { events }));
  const result = await client.expecting(
    200,
    client.post(`/endpoints/${id}/filter/test`, { filter: "data.total >= 0" }),
  );
  expect(result).toMatchObject({ examined: MAX_SAMPLE, matched: MAX_SAMPLE });
});

test("filters that are too expensive together refuse the payload, and no other", async () => {
  const client = await service.newClient();
  for (let i = 0; i < 12; i++) {
    await client.newEndpoint({ filter: `data.list.all(a, data.list.all(b, a + b >= -${i}.0))` });
  }
  const list = (size: number) => ({ data: { list: Array.from({ length: size }, (_, i) => i) } });
  const { results } = await client.expecting(
    200,
    client.post("/events/batch", { events: [list(100), list(100), list(1)] }),
  );
  expect(results.map(({ status }: Json) => status)).toEqual([201, 400, 400]);
  expect(results[1].error.message).toContain("too expensive");
  expect(await takersOf(client, list(1))).toHaveLength(12);
});
