import { describe, expect, spyOn, test } from "bun:test";
import { erasePayloads } from "../../src/deliveries/erasure";
import { type DeliveryId, fromText } from "../../src/domain/ids";
import { untilBlocked } from "../support/blocked";
import { recordAttempt } from "./attempts";
import { expectError, type Json } from "./client";
import { useService } from "./service";

const announced: unknown[] = [];

const service = await useService({
  dependencies: { notifyChange: (queue) => announced.push(queue) },
});
const client = await service.newClient();
const endpoint = await client.newEndpoint();

const idOf = (text: string) => fromText("wh", text) as DeliveryId;
const get = async (id: string) => client.expecting(200, client.get(`/webhooks/${id}`));
const cancel = (id: string) => client.post(`/webhooks/${id}/cancel`);
const resend = (id: string, headers?: Record<string, string>) =>
  client.post(`/webhooks/${id}/resend`, undefined, headers);

async function delivered(data: object = {}): Promise<Json> {
  const sent = await client.send(endpoint.id, "a.b", data);
  await recordAttempt(service.database.db, sent, { status: 200 });
  return sent;
}

describe("cancelling", () => {
  test("ends a pending delivery, notifies the dispatchers, and is counted", async () => {
    const own = await service.newClient();
    const sent = await own.send((await own.newEndpoint()).id, "a.b");
    const before = announced.length;
    const answer = await own.post(`/webhooks/${sent.id}/cancel`);
    const expected = { id: sent.id, status: "cancelled", cancel_reason: "requested", attempt_count: 0 };
    expect(answer).toMatchObject({ status: 200, body: expected });
    const detail = (await own.get(`/webhooks/${sent.id}`)).body;
    expect(detail).toMatchObject({ ...expected, completed_at: expect.any(String), sequence: 1 });
    expect(announced.length).toBe(before + 1);
    expect((await own.get("/stats")).body).toMatchObject({ total_deliveries: 1, pending: 0, failed: 0 });
    expect((await own.get("/webhooks?status=cancelled")).body.total).toBe(1);
  });

  test("keeps the attempts, and deliveries behind it keep their sequences", async () => {
    const sent = await client.send(endpoint.id, "a.b");
    const next = await client.send(endpoint.id, "a.b");
    await recordAttempt(service.database.db, sent, { status: 503 });
    const { body } = await cancel(sent.id);
    expect(body).toMatchObject({ status: "cancelled", attempt_count: 1, response_status: 503 });
    expect((await get(sent.id)).attempts).toHaveLength(1);
    expect((await get(next.id)).sequence).toBe((await get(sent.id)).sequence + 1);
  });

  test("keeps out the outcome of the attempt under way", async () => {
    const sent = await client.send(endpoint.id, "a.b");
    await cancel(sent.id);
    expect(recordAttempt(service.database.db, sent, { status: 200 })).rejects.toThrow("not pending");
    expect(await get(sent.id)).toMatchObject({ status: "cancelled", attempts: [] });
  });

  test("is refused for a delivery that is not pending", async () => {
    const sent = await delivered();
    const before = announced.length;
    expectError(await cancel(sent.id), 409, "CONFLICT", "delivered");
    const gone = await client.send(endpoint.id);
    await cancel(gone.id);
    expectError(await cancel(gone.id), 409, "CONFLICT", "cancelled");
    expect(announced.length).toBe(before + 1);
  });

  test("with a key returns the first answer again", async () => {
    const sent = await client.send(endpoint.id);
    const key = { "idempotency-key": "cancel" };
    const first = await client.post(`/webhooks/${sent.id}/cancel`, undefined, key);
    const again = await client.post(`/webhooks/${sent.id}/cancel`, undefined, key);
    expect(again).toMatchObject({ status: 200, text: first.text });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const other = await client.send(endpoint.id);
    expectError(await client.post(`/webhooks/${other.id}/cancel`, undefined, key), 409, "CONFLICT", "Key");
  });

  test("at the moment of its record ends a delivery once", async () => {
    for (let i = 0; i < 20; i++) {
      const sent = await client.send(endpoint.id, "a.b");
      const record = recordAttempt(service.database.db, sent, { status: 200 }).catch(() => {});
      const [{ status }] = await Promise.all([cancel(sent.id), record]);
      expect((await get(sent.id)).status).toBe(status === 200 ? "cancelled" : "delivered");
    }
  });
});

describe("resending", () => {
  test("creates a delivery at the end of the order, linked to the first", async () => {
    const first = await delivered({ n: 1 });
    const other = await client.send(endpoint.id, "a.b");
    const announce = spyOn(service.dependencies.replays, "announce");
    const answer = await resend(first.id);
    expect(announce).toHaveBeenCalledTimes(1);
    announce.mockRestore();
    expect(answer).toMatchObject({
      status: 201,
      body: {
        endpoint_id: endpoint.id,
        event: "a.b",
        status: "pending",
        attempt_count: 0,
        replay_of: first.id,
      },
    });
    const again = await get(answer.body.id);
    expect(again).toMatchObject({ replay_of: first.id, data: { n: 1 }, attempts: [] });
    expect(again.sequence).toBe((await get(other.id)).sequence + 1);
    expect(await get(first.id)).toMatchObject({ status: "delivered", attempt_count: 1 });
    expect(await get(first.id)).not.toHaveProperty("replay_of");
  });

  test("a replay resends its first delivery", async () => {
    const first = await delivered();
    const second = (await resend(first.id)).body;
    await recordAttempt(service.database.db, second, { status: 0, error: "timeout", verdict: "failed" });
    expect((await resend(second.id)).body.replay_of).toBe(first.id);
  });

  test("copies the payload byte for byte", async () => {
    const data = '{"n":1.50, "s":"\\u00e9"}';
    const sent = (await client.post("/webhooks", `{"endpoint_id":"${endpoint.id}","data":${data}}`)).body;
    await cancel(sent.id);
    const { body } = await resend(sent.id);
    expect((await client.get(`/webhooks/${body.id}`)).text).toContain(`"data":${data}`);
  });

  test("is refused while the delivery is pending, and once its endpoint is deleted", async () => {
    const sent = await client.send(endpoint.id);
    expectError(await resend(sent.id), 409, "CONFLICT", "pending");
    const gone = await client.newEndpoint();
    const late = await client.send(gone.id);
    await client.delete(`/endpoints/${gone.id}`);
    expectError(await resend(late.id), 409, "CONFLICT", "endpoint");
  });

  test("is refused for a delivery that is erased meanwhile, with that reason", async () => {
    const { db } = service.database;
    const sent = await delivered();
    const { answer } = await db.transaction(async (sql) => {
      await erasePayloads(sql, client.accountId, [idOf(sent.id)]);
      const resending = resend(sent.id);
      await untilBlocked(db);
      return { answer: resending };
    });
    expectError(await answer, 409, "CONFLICT", "erased");
  });

  test("counts against the month, passes the filter, and is in the statistics", async () => {
    await service.dependencies.plans.put("two", { requestsPerMinute: null, webhooksPerMonth: 2 });
    const small = await service.newClient({ plan: "two" });
    const to = await small.newEndpoint();
    const sent = await small.send(to.id, "a.b");
    await recordAttempt(service.database.db, sent, { status: 200 });
    await small.patch(`/endpoints/${to.id}`, { event_filter: "other" });
    const { body } = await small.post(`/webhooks/${sent.id}/resend`);
    expect(body).toMatchObject({ status: "cancelled", cancel_reason: "event_filter", replay_of: sent.id });
    expectError(await small.post(`/webhooks/${sent.id}/resend`), 403, "FORBIDDEN", "month");
    expect((await small.get("/stats")).body).toMatchObject({ total_deliveries: 2, delivered: 1, pending: 0 });
    expect((await small.get("/billing/usage")).body.webhooks.used).toBe(2);
  });

  test("with a key happens once, even concurrently", async () => {
    const first = await delivered();
    const before = (await client.get("/stats")).body.total_deliveries;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => resend(first.id, { "idempotency-key": "resend" })),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await client.get("/stats")).body.total_deliveries).toBe(before + 1);
  });

  test("leaves no gap in the sequences, beside sends", async () => {
    const own = await service.newClient();
    const to = await own.newEndpoint();
    const first = await own.send(to.id, "a");
    await recordAttempt(service.database.db, first, { status: 200 });
    const work = Array.from({ length: 60 }, (_, i) =>
      i % 2
        ? own.post(`/webhooks/${first.id}/resend`)
        : own.post("/webhooks", { endpoint_id: to.id, data: {} }),
    );
    expect((await Promise.all(work)).map(({ status }) => status)).toEqual(Array(60).fill(201));
    const rows = await service.database.db.run(
      (sql) => sql<{ sequence: number }[]>`
        select sequence from deliveries where account_id = ${own.accountId} order by sequence`,
    );
    expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 61 }, (_, i) => i + 1));
  });
});
