import { expect, test } from "bun:test";
import { startDue } from "../../src/deliveries/schedule";
import { fromText } from "../../src/domain/ids";
import { untilBlocked } from "../support/blocked";
import { expectError, type Json } from "./client";
import { startTestService, useService } from "./service";

const service = await useService();
const client = await service.newClient();

const HOUR_MS = 3_600_000;
const inAnHour = () => new Date(Date.now() + HOUR_MS).toISOString();

function send(endpoint: Json, fields: object = {}): Promise<Json> {
  const body = { endpoint_id: endpoint.id, event: "a.b", data: {}, ...fields };
  return client.expecting(201, client.post("/webhooks", body));
}

const detail = ({ id }: Json): Promise<Json> => client.expecting(200, client.get(`/webhooks/${id}`));

async function makeDue({ id }: Json): Promise<void> {
  await service.database.db.run(
    (sql) => sql`update queue set next_attempt_at = now() where delivery_id = ${fromText("wh", id)}`,
  );
}

/** A pool of another process. */
const newPool = () => service.database.open({ size: 1 });
const start = () => service.database.db.transaction(startDue);

/** Makes it due now, and starts it. */
async function startEarly(delivery: Json): Promise<void> {
  await makeDue(delivery);
  await start();
}

test("a scheduled delivery is pending without a sequence, and queues behind those sent before it was due", async () => {
  const endpoint = await client.newEndpoint();
  const until = inAnHour();
  const first = await send(endpoint, { deliver_after: until });
  expect(first).toMatchObject({ status: "pending", attempt_count: 0, deliver_after: until });
  const second = await send(endpoint);
  expect(second).not.toHaveProperty("deliver_after");
  expect(await detail(first)).toMatchObject({
    status: "pending",
    sequence: null,
    deliver_after: until,
    next_attempt_at: until,
    waiting_for: { reason: "scheduled", until },
  });
  expect(await detail(second)).toMatchObject({ sequence: 1, waiting_for: { reason: "attempt" } });
  await startEarly(first);
  expect(await detail(first)).toMatchObject({
    sequence: 2,
    deliver_after: until,
    next_attempt_at: null,
    waiting_for: { reason: "turn", in_front: { id: second.id } },
  });
  expect(await detail(await send(endpoint))).toMatchObject({ sequence: 3 });
});

test("an event, and the items of batches, are scheduled alike", async () => {
  const own = await service.newClient();
  await Promise.all([own.newEndpoint(), own.newEndpoint()]);
  const until = inAnHour();
  const event = { event: "a.b", data: {}, deliver_after: until };
  const published = await own.expecting(201, own.post("/events", { ...event, event_id: "e-1" }));
  expect(published.deliveries).toHaveLength(2);
  // The same event later is another request.
  expectError(await own.post("/events", { ...event, event_id: "e-1", deliver_after: 60 }), 409, "CONFLICT");
  const batch = await own.expecting(
    200,
    own.post("/events/batch", { events: [{ ...event, event_id: "e-1" }] }),
  );
  expect(JSON.stringify(batch.results)).toContain(published.deliveries[0].id);
  for (const delivery of published.deliveries) {
    expect(delivery).toMatchObject({ status: "pending", deliver_after: until });
    const { body } = await own.get(`/webhooks/${delivery.id}`);
    expect(body).toMatchObject({ sequence: null, waiting_for: { reason: "scheduled", until } });
  }
});

test("a repeated request returns the first answer, even once the delivery was due", async () => {
  const endpoint = await client.newEndpoint();
  const body = { endpoint_id: endpoint.id, event: "a.b", data: {}, deliver_after: 3_600 };
  const headers = { "idempotency-key": "scheduled-1" };
  const first = await client.expecting(201, client.post("/webhooks", body, headers));
  await client.expecting(200, client.post(`/webhooks/${first.id}/retry`));
  expect(await client.expecting(201, client.post("/webhooks", body, headers))).toEqual(first);
});

test("a retry sends it now, in order; a cancellation or the endpoint's deletion ends it", async () => {
  const endpoint = await client.newEndpoint();
  const [now, cancelled, deleted] = [
    await send(endpoint, { deliver_after: 3_600 }),
    await send(endpoint, { deliver_after: 3_600 }),
    await send(endpoint, { deliver_after: 3_600 }),
  ];
  const sent = await send(endpoint);
  await client.expecting(200, client.post(`/webhooks/${now.id}/retry`));
  expect(await detail(now)).toMatchObject({
    sequence: 2,
    waiting_for: { reason: "turn", in_front: { id: sent.id } },
  });
  const pending = await client.expecting(
    200,
    client.get(`/webhooks?endpoint_id=${endpoint.id}&status=pending&limit=10`),
  );
  expect(pending.data.map(({ id }: Json) => id)).toEqual([sent.id, deleted.id, cancelled.id, now.id]);
  await client.expecting(200, client.post(`/webhooks/${cancelled.id}/cancel`));
  expect(await detail(cancelled)).toMatchObject({
    status: "cancelled",
    cancel_reason: "requested",
    sequence: null,
  });
  await client.expecting(200, client.delete(`/endpoints/${endpoint.id}`));
  expect(await detail(deleted)).toMatchObject({ status: "cancelled", cancel_reason: "endpoint_deleted" });
  await start();
});

test("deliveries start in the order in which they are due, although a process waits while another one starts them", async () => {
  const [locked, endpoint] = [await client.newEndpoint(), await client.newEndpoint()];
  const scheduled = (to: Json) => send(to, { deliver_after: 3_600 });
  const [other, first, second] = [
    await scheduled(locked),
    await scheduled(endpoint),
    await scheduled(endpoint),
  ];
  await makeDue(other);
  await makeDue(first);
  const { db } = service.database;
  const request = newPool();
  const starting = await request.transaction(async (sql) => {
    await sql`select from mailboxes where endpoint_id = ${fromText("ep", locked.id)} for update`;
    const starting = start();
    await untilBlocked(db);
    await makeDue(second);
    await start();
    return { starting };
  });
  expect(await starting.starting).toHaveLength(2);
  await start();
  expect(await detail(first)).toMatchObject({ sequence: 1 });
  expect(await detail(second)).toMatchObject({ sequence: 2 });
});

test("a delivery does not overtake one that a request has locked and leaves in the queue", async () => {
  const endpoint = await client.newEndpoint();
  const [first, second] = [
    await send(endpoint, { deliver_after: 3_600 }),
    await send(endpoint, { deliver_after: 3_600 }),
  ];
  await makeDue(first);
  await makeDue(second);
  const { db } = service.database;
  const request = newPool();
  const starting = await request.transaction(async (sql) => {
    await sql`select from queue where delivery_id = ${fromText("wh", first.id)} for update`;
    const starting = start();
    await Promise.race([starting, untilBlocked(db)]);
    return { starting };
  });
  await starting.starting;
  expect(await detail(first)).toMatchObject({ sequence: 1 });
  expect(await detail(second)).toMatchObject({ sequence: 2 });
});

test("an excluded delivery is cancelled, not scheduled", async () => {
  const endpoint = await client.newEndpoint({ event_filter: "other" });
  const sent = await send(endpoint, { deliver_after: 3_600 });
  expect(sent).toMatchObject({ status: "cancelled", cancel_reason: "event_filter" });
  expect(sent).not.toHaveProperty("deliver_after");
});

test("a past time means now, and null means unscheduled", async () => {
  const endpoint = await client.newEndpoint();
  for (const deliver_after of [0, "2020-01-01T00:00:00Z", null]) {
    const sent = await send(endpoint, { deliver_after });
    expect(sent).not.toHaveProperty("deliver_after");
    expect((await detail(sent)).sequence).toBeGreaterThan(0);
  }
});

test("what would expire before it is due is refused", async () => {
  const config = { ...service.dependencies.config, retentionMs: 24 * HOUR_MS };
  const brief = await startTestService({ beside: service, dependencies: { config } });
  const own = client.at(brief.url);
  const { id: endpoint_id } = await own.newEndpoint();
  const item = (deliver_after: unknown) => ({ event: "a.b", data: {}, deliver_after });
  const tooLate = [86_401, 2_592_000, new Date(Date.now() + 25 * HOUR_MS).toISOString()].map(item);
  const message = "0 to 86400 seconds, or a time within the retention (HERMOD_RETENTION)";
  for (const each of tooLate) {
    expectError(await own.post("/webhooks", { endpoint_id, ...each }), 400, "BAD_REQUEST", message);
    expectError(await own.post("/events", each), 400, "BAD_REQUEST", message);
  }
  const webhooks = tooLate.map((each) => ({ endpoint_id, ...each }));
  for (const [path, body] of [
    ["/webhooks/batch", { webhooks }],
    ["/events/batch", { events: tooLate }],
  ] as const) {
    const { results } = await own.expecting(200, own.post(path, body));
    expect(results.map(({ status }: Json) => status)).toEqual([400, 400, 400]);
  }
  await own.expecting(201, own.post("/webhooks", { endpoint_id, ...item(86_400) }));
  await own.expecting(201, own.post("/events", item(inAnHour())));
  await brief.stop();
});

test.each([[-1], [2_592_001], ["2999-01-01T00:00:00Z"], ["tomorrow"], [true], [{}]])(
  "%p is refused",
  async (deliver_after) => {
    const endpoint = await client.newEndpoint();
    const body = { endpoint_id: endpoint.id, event: "a.b", data: {}, deliver_after };
    expectError(await client.post("/webhooks", body), 400, "BAD_REQUEST", "deliver_after");
    expectError(
      await client.post("/events", { event: "a.b", data: {}, deliver_after }),
      400,
      "BAD_REQUEST",
      "deliver_after",
    );
  },
);
