import { describe, expect, test } from "bun:test";
import { fromText } from "../../src/domain/ids";
import { recordAttempt } from "./attempts";
import { expectError, type Json } from "./client";
import { useService } from "./service";

const announced: unknown[] = [];

const service = await useService({
  dependencies: { notifyChange: (queue) => announced.push(queue) },
});
const client = await service.newClient();

/** Sends a delivery that fails and waits for a retry. */
async function waiting(endpoint: Json, fields: object = {}): Promise<Json> {
  const sent = await client.expecting(
    201,
    client.post("/webhooks", { endpoint_id: endpoint.id, event: "a.b", data: {}, ...fields }),
  );
  await recordAttempt(service.database.db, sent, { status: 503 });
  return sent;
}

async function waits({ id }: Json): Promise<boolean> {
  const { next_attempt_at } = await client.expecting(200, client.get(`/webhooks/${id}`));
  return next_attempt_at !== null && Date.parse(next_attempt_at) > Date.now() + 1_000;
}

describe("retrying a delivery", () => {
  test("ends its wait and notifies the dispatchers, and counts no attempt", async () => {
    const first = await waiting(await client.newEndpoint());
    expect(await waits(first)).toBe(true);
    const before = announced.length;
    const answer = await client.post(`/webhooks/${first.id}/retry`);
    expect(answer).toMatchObject({
      status: 200,
      body: { id: first.id, status: "pending", attempt_count: 1 },
    });
    expect(await waits(first)).toBe(false);
    expect(announced.length).toBe(before + 1);
  });

  test("is refused behind another delivery in its order, whose id is named", async () => {
    const endpoint = await client.newEndpoint();
    const head = await waiting(endpoint);
    const next = await client.send(endpoint.id, "a.b");
    expectError(await client.post(`/webhooks/${next.id}/retry`), 409, "CONFLICT", head.id);
    const keyed = await client.newEndpoint({ ordering: "by_key" });
    const [a, b] = [await waiting(keyed, { ordering_key: "a" }), await waiting(keyed, { ordering_key: "b" })];
    const behind = await waiting(keyed, { ordering_key: "a" });
    expect((await client.post(`/webhooks/${b.id}/retry`)).status).toBe(200);
    expectError(await client.post(`/webhooks/${behind.id}/retry`), 409, "CONFLICT", a.id);
  });

  test("is refused behind another one without a key, with 1,000 keys in front of both", async () => {
    const endpoint = await client.newEndpoint({ ordering: "by_key" });
    const [head, next] = [await client.send(endpoint.id, "a.b"), await client.send(endpoint.id, "a.b")];
    const id = fromText("ep", endpoint.id);
    await service.database.db.transaction(async (sql) => {
      await sql`update queue set sequence = sequence + 1500 where endpoint_id = ${id}`;
      await sql`
        insert into queue (partition, endpoint_id, sequence, delivery_id, account_id, ordering_key)
        select q.partition, q.endpoint_id, n, gen_random_uuid(), q.account_id, 'key ' || n
        from generate_series(1, 1500) n, queue q where q.endpoint_id = ${id} and q.sequence = 1501
      `;
    });
    expectError(await client.post(`/webhooks/${next.id}/retry`), 409, "CONFLICT", head.id);
    const { waiting_for } = await client.expecting(200, client.get(`/webhooks/${next.id}`));
    expect(waiting_for).toMatchObject({
      reason: "turn",
      in_front: { id: head.id, sequence: 1_501 },
      ahead: { count: 1, complete: false },
    });
    expect((await client.post(`/webhooks/${head.id}/retry`)).status).toBe(200);
  });

  test("is refused for an ended delivery, and while its endpoint is inactive", async () => {
    const endpoint = await client.newEndpoint();
    const sent = await waiting(endpoint);
    await client.patch(`/endpoints/${endpoint.id}`, { is_active: false });
    expectError(await client.post(`/webhooks/${sent.id}/retry`), 409, "CONFLICT", "inactive");
    await client.post(`/webhooks/${sent.id}/cancel`);
    expectError(await client.post(`/webhooks/${sent.id}/retry`), 409, "CONFLICT", "cancelled");
  });
});

async function reasonOf({ id }: Json): Promise<unknown> {
  const { waiting_for } = await client.expecting(200, client.get(`/webhooks/${id}`));
  return waiting_for.reason;
}

describe("an endpoint that rests", () => {
  test.each(["endpoint", "delivery"])(
    "shows it, and is woken by a retry of the %s, one delivery at a time",
    async (which) => {
      const endpoint = await client.newEndpoint({ ordering: "unordered" });
      const first = await client.send(endpoint.id, "a.b");
      const others = [await client.send(endpoint.id, "a.b"), await client.send(endpoint.id, "a.b")];
      await recordAttempt(service.database.db, first, { status: 429, health: "failing", restMs: 120_000 });
      // Its own wait is the shorter one.
      expect(await Promise.all([first, ...others].map(reasonOf))).toEqual(["rest", "rest", "rest"]);
      const path = which === "endpoint" ? `/endpoints/${endpoint.id}` : `/webhooks/${first.id}`;
      await client.expecting(200, client.post(`${path}/retry`));
      const reasons = await Promise.all([first, ...others].map(reasonOf));
      expect(reasons).toEqual(["attempt", "max_in_flight", "max_in_flight"]);
    },
  );
});

describe("an endpoint's waiting deliveries", () => {
  test("are attempted at once on request", async () => {
    const endpoint = await client.newEndpoint({ ordering: "unordered" });
    const sent = [await waiting(endpoint), await waiting(endpoint)];
    expect(await client.post(`/endpoints/${endpoint.id}/retry`)).toMatchObject({
      status: 200,
      body: { retried: 2 },
    });
    expect(await Promise.all(sent.map(waits))).toEqual([false, false]);
    expect((await client.post(`/endpoints/${endpoint.id}/retry`)).body).toEqual({ retried: 0 });
  });

  test.each([
    ["its activation", { is_active: true }, false],
    ["another URL", { url: "https://example.com/other" }, false],
    ["other headers", { headers: { "x-a": "b" } }, false],
    ["another schedule", { retry_schedule_ms: [1_000] }, false],
    ["another description", { description: "d" }, true],
  ])("after %s", async (_, change, stillWaits) => {
    const endpoint = await client.newEndpoint();
    const sent = await waiting(endpoint);
    await client.expecting(200, client.patch(`/endpoints/${endpoint.id}`, change));
    expect(await waits(sent)).toBe(stillWaits);
  });

  test("after a rotated secret", async () => {
    const endpoint = await client.newEndpoint();
    const sent = await waiting(endpoint);
    await client.expecting(201, client.post(`/endpoints/${endpoint.id}/rotate-secret`));
    expect(await waits(sent)).toBe(false);
  });
});

/** Returns the delivery's attempts, how many of them used no step of its schedule, and whether the next one does. */
async function stepsOf({ id }: Json): Promise<unknown> {
  const [row] = await service.database.db.run(
    (sql) => sql`
      select attempt_count as made, free_attempts as free, next_is_free as next from queue
      where delivery_id = ${fromText("wh", id)}`,
  );
  return row;
}

/** Changes the delivery as attempts and time would. */
async function age({ id }: Json, attempts: number, waitMs: number): Promise<void> {
  await service.database.db.run(
    (sql) => sql`
      update queue set attempt_count = ${attempts}, next_attempt_at = now() + ${waitMs} * interval '1 millisecond'
      where delivery_id = ${fromText("wh", id)}`,
  );
}

describe("the schedule of a waiting delivery", () => {
  test("loses no step to retries, and requests without an attempt between them count once", async () => {
    const sent = await waiting(await client.newEndpoint());
    for (const path of [`/webhooks/${sent.id}`, `/webhooks/${sent.id}`, `/endpoints/${sent.endpoint_id}`]) {
      await client.expecting(200, client.post(`${path}/retry`));
      expect(await stepsOf(sent)).toEqual({ made: 1, free: 0, next: true });
    }
    await recordAttempt(service.database.db, sent, { status: 503 });
    expect(await stepsOf(sent)).toEqual({ made: 2, free: 1, next: false });
    await recordAttempt(service.database.db, sent, { status: 503 });
    expect(await stepsOf(sent)).toEqual({ made: 3, free: 1, next: false });
  });

  test("loses a step to an attempt that was due already", async () => {
    const sent = await waiting(await client.newEndpoint());
    await age(sent, 1, 0);
    await client.expecting(200, client.post(`/webhooks/${sent.id}/retry`));
    await client.expecting(200, client.patch(`/endpoints/${sent.endpoint_id}`, { is_active: true }));
    expect(await stepsOf(sent)).toEqual({ made: 1, free: 0, next: false });
  });

  test("loses a step to each retry after 1,000 attempts", async () => {
    const sent = await waiting(await client.newEndpoint());
    await age(sent, 1_000, 60_000);
    await client.expecting(200, client.post(`/endpoints/${sent.endpoint_id}/retry`));
    expect(await waits(sent)).toBe(false);
    expect(await stepsOf(sent)).toEqual({ made: 1_000, free: 0, next: false });
  });
});
