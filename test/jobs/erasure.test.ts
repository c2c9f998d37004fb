import { describe, expect, test } from "bun:test";
import { type DeliveryId, fromText } from "../../src/domain/ids";
import { erasureStep } from "../../src/jobs/erasure-step";
import type { JobRunner } from "../../src/jobs/runner";
import { systemClock } from "../../src/runtime/clock";
import { recordAttempt } from "../http/attempts";
import { type Client, expectError, type Json } from "../http/client";
import { startTestService, useService } from "../http/service";
import { atEnd } from "../support/at-end";
import { deliverPending, ended, sendMany, startRunner } from "./stage";

let runner: JobRunner;

const announced: unknown[] = [];

const service = await useService({
  dependencies: { afterErasure: ({ shortened }) => announced.push(...shortened) },
});
runner = startRunner(service);
const client = await service.newClient();
const endpoint = await client.newEndpoint();
atEnd(() => runner.stop());

const SECRET = "a very personal thing";
const get = async (id: string) => client.expecting(200, client.get(`/webhooks/${id}`));
const erase = (id: string) => client.delete(`/webhooks/${id}/payload`);
const send = () => client.send(endpoint.id, "a.b", { secret: SECRET });

async function delivered(): Promise<Json> {
  const sent = await send();
  await recordAttempt(service.database.db, sent, { status: 200 });
  return sent;
}

/** Counts the deliveries that have their payload. */
async function kept(ids: readonly string[]): Promise<string[]> {
  const details = await Promise.all(ids.map(get));
  return details.filter((each) => each.data !== null).map((each) => each.id);
}

test("an erased payload is gone, and everything else about the delivery stays", async () => {
  const sent = await delivered();
  const before = await get(sent.id);
  const stats = (await client.get("/stats")).body;
  expect(await erase(sent.id)).toMatchObject({ status: 200, body: { erased: true } });
  const { data: _, ...rest } = before;
  expect(await get(sent.id)).toEqual({ ...rest, data: null, erased_at: expect.any(String) });
  expect((await client.get("/stats")).body).toEqual(stats);
  const rows = await service.database.db.run(
    (sql) => sql`select * from deliveries where id = ${fromText("wh", sent.id)}`,
  );
  expect(JSON.stringify(rows)).not.toContain(SECRET);
  const first = (await get(sent.id)).erased_at;
  expect((await erase(sent.id)).status).toBe(200);
  expect((await get(sent.id)).erased_at).toBe(first);
});

test("an erased delivery can't be sent again", async () => {
  const sent = await delivered();
  await erase(sent.id);
  expectError(await client.post(`/webhooks/${sent.id}/resend`), 409, "CONFLICT", "erased");
});

test("erasing a pending delivery cancels it, and notifies dispatchers", async () => {
  const [sent, next] = [await send(), await send()];
  const before = announced.length;
  await erase(sent.id);
  expect(await get(sent.id)).toMatchObject({ status: "cancelled", cancel_reason: "erased", data: null });
  expect(await get(next.id)).toMatchObject({ status: "pending", data: { secret: SECRET } });
  expect(announced.slice(before)).toEqual([
    { partition: expect.any(Number), endpointId: fromText("ep", endpoint.id) },
  ]);
  await erase(sent.id);
  expect(announced.length).toBe(before + 1);
});

test("it is gone from the delivery and its resends, whichever of them is named", async () => {
  for (const named of [0, 1, 2]) {
    const first = await delivered();
    const second = (await client.post(`/webhooks/${first.id}/resend`)).body;
    await recordAttempt(service.database.db, second, { status: 200 });
    const third = (await client.post(`/webhooks/${second.id}/resend`)).body;
    const family = [first.id, second.id, third.id];
    expect(await kept(family)).toEqual(family);
    await erase(family[named]);
    expect(await kept(family)).toEqual([]);
    expect((await get(third.id)).status).toBe("cancelled");
  }
});

test("no copy survives while deliveries are resent and erased at once", async () => {
  for (let round = 0; round < 3; round++) {
    const first = await delivered();
    const resends = Array.from({ length: 12 }, () => client.post(`/webhooks/${first.id}/resend`));
    const answers = await Promise.all([...resends, Bun.sleep(round).then(() => erase(first.id))]);
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].filter((status) => ![200, 201, 409].includes(status))).toEqual([]);
    const copies = await service.database.db.run(
      (sql) => sql<{ id: DeliveryId }[]>`
        select id from deliveries where replay_of = ${fromText("wh", first.id)} and data <> ''`,
    );
    expect(copies).toHaveLength(0);
  }
});

describe("the payload of an event", () => {
  /** Returns every payload of an account in Postgres. */
  async function storedOf({ accountId }: Client): Promise<string> {
    const rows = await service.database.db.run(
      (sql) => sql`
        select data from deliveries where account_id = ${accountId}
        union all select data from events where account_id = ${accountId}`,
    );
    return JSON.stringify(rows);
  }
  const publish = async (own: Client, event = "a.b") =>
    own.expecting(201, own.post("/events", { event, data: { secret: SECRET } }));

  test("is gone from the event and its deliveries, whichever of them is named", async () => {
    for (const named of [0, 1, 2]) {
      const own = await service.newClient();
      for (let i = 0; i < 2; i++) await own.newEndpoint();
      const { deliveries } = await publish(own);
      await deliverPending(service, own);
      const resend = (await own.post(`/webhooks/${deliveries[0].id}/resend`)).body;
      const family: string[] = [...deliveries.map(({ id }: Json) => id), resend.id];
      for (const id of family)
        expect((await own.get(`/webhooks/${id}`)).body.data).toEqual({ secret: SECRET });
      expect((await own.delete(`/webhooks/${family[named]}/payload`)).status).toBe(200);
      for (const id of family) {
        expect((await own.get(`/webhooks/${id}`)).body).toMatchObject({
          data: null,
          erased_at: expect.any(String),
        });
      }
      expect((await own.get(`/webhooks/${resend.id}`)).body.status).toBe("cancelled");
      expectError(await own.post(`/webhooks/${family[0]}/resend`), 409, "CONFLICT", "erased");
      expect(await storedOf(own)).not.toContain(SECRET);
    }
  });

  test("does not survive while its deliveries are resent and erased at once", async () => {
    for (let round = 0; round < 5; round++) {
      const own = await service.newClient();
      for (let i = 0; i < 3; i++) await own.newEndpoint();
      const { deliveries } = await publish(own);
      await deliverPending(service, own);
      const resends = deliveries.flatMap(({ id }: Json) =>
        Array.from({ length: 4 }, () => own.post(`/webhooks/${id}/resend`)),
      );
      const erased = Bun.sleep(round).then(() => own.delete(`/webhooks/${deliveries[1].id}/payload`));
      const answers = await Promise.all([...resends, erased]);
      expect(answers.filter(({ status }) => ![200, 201, 409].includes(status))).toEqual([]);
      expect(await storedOf(own)).not.toContain(SECRET);
    }
  });

  test("is erased by a job, even if no endpoint wants the event", async () => {
    const own = await service.newClient();
    await publish(own, "lonely");
    await own.newEndpoint();
    for (let i = 0; i < 3; i++) await publish(own);
    const job = await own.expecting(202, own.post("/erasures", { event: "lonely" }));
    expect((await ended(own, job.id)).progress).toEqual({ total: 1, examined: 1, done: 1 });
    const rest = await own.expecting(202, own.post("/erasures", { after: "2020-01-01T00:00:00Z" }));
    expect((await ended(own, rest.id)).progress).toEqual({ total: 7, examined: 7, done: 6 });
    expect(await storedOf(own)).not.toContain(SECRET);
  });

  test("is erased with an endpoint's deliveries in small steps, however many others share it", async () => {
    const own = await service.newClient();
    const endpoints = [];
    for (let i = 0; i < 4; i++) endpoints.push(await own.newEndpoint());
    for (let i = 0; i < 3; i++) await publish(own);
    const steps: number[] = [];
    const watched = startRunner(service, {
      erasure: (sql, job) =>
        erasureStep(sql, job, ({ deliveries }) => steps.push(deliveries.length), { mostShared: 8 }),
    });
    await runner.stop();
    const job = await own.expecting(202, own.post("/erasures", { endpoint_id: endpoints[0]?.id }));
    expect((await ended(own, job.id)).progress).toEqual({ total: 3, examined: 3, done: 15 });
    await watched.stop();
    runner = startRunner(service);
    expect(steps).toEqual([8, 4]);
    expect(await storedOf(own)).not.toContain(SECRET);
  });
});

test("deliveries accepted while a job started are included, and count in its total", async () => {
  // The API's clock is ahead, so that a send after the job's start falls into its range, as one that crosses the start
  // would.
  const clock = { ...systemClock, now: () => systemClock.now() + 60_000 };
  await using started = new AsyncDisposableStack();
  const ahead = await startTestService({ dependencies: { clock } });
  started.defer(ahead.stop);
  const own = await ahead.newClient();
  const { id } = await own.newEndpoint();
  await own.send(id, "a.b");
  const job = await own.expecting(202, own.post("/erasures", { event: "a.b" }));
  expect(job.progress).toEqual({ total: 1, examined: 0, done: 0 });
  await own.send(id, "a.b");
  const late = startRunner(ahead);
  started.defer(() => late.stop());
  expect((await ended(own, job.id)).progress).toEqual({ total: 2, examined: 2, done: 2 });
});

test("a job erases exactly its scope", async () => {
  const own = await service.newClient();
  const [a, b] = [await own.newEndpoint(), await own.newEndpoint()];
  const early = await sendMany(own, a.id, 600, "user.created");
  await deliverPending(service, own);
  const other = await sendMany(own, a.id, 3, "other");
  const elsewhere = await sendMany(own, b.id, 3, "user.created");
  await Bun.sleep(5);
  const after = new Date().toISOString();
  await Bun.sleep(5);
  const late = await sendMany(own, a.id, 3, "user.created");
  const left = async () => {
    const rows = await service.database.db.run(
      (sql) => sql<{ count: number }[]>`
        select count(*) from deliveries where account_id = ${own.accountId} and data <> ''`,
    );
    return rows[0]?.count;
  };
  const run = async (scope: object) =>
    ended(own, (await own.expecting(202, own.post("/erasures", scope))).id);
  expect(await run({ event: "user.created", before: after, endpoint_id: a.id })).toMatchObject({
    kind: "erasure",
    status: "completed",
    progress: { total: 603, examined: 603, done: 600 },
  });
  expect(await left()).toBe(9);
  expect(await run({ event: "user.created", before: after })).toMatchObject({ progress: { done: 3 } });
  expect(await run({ after })).toMatchObject({ progress: { total: 3, done: 3 } });
  expect(await left()).toBe(3);
  const status = async (id: string | undefined) => (await own.get(`/webhooks/${id}`)).body.status;
  expect(await Promise.all([early, elsewhere, late, other].map(([id]) => status(id)))).toEqual([
    "delivered",
    "cancelled",
    "cancelled",
    "pending",
  ]);
});
