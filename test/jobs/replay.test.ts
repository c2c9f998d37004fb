import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { DatabaseUnavailable } from "../../src/db/database";
import { type DeliveryId, newId, toText } from "../../src/domain/ids";
import { choose, MAX_PENDING } from "../../src/jobs/replay-step";
import type { JobSteps } from "../../src/jobs/runner";
import { type Client, expectError, type Json } from "../http/client";
import { useService } from "../http/service";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";
import { deliverPending, ended, realSteps, runnersOf, sendMany } from "./stage";

let client: Client;
let endpoint: Json;

const service = await useService();

const run = runnersOf(() => service);

async function newEndpoint(plan?: string): Promise<void> {
  client = await service.newClient(plan ? { plan } : {});
  endpoint = await client.newEndpoint();
}

/** Makes an endpoint with ended deliveries. Returns their ids, in order. */
async function newHistory(count: number, plan?: string): Promise<string[]> {
  await newEndpoint(plan);
  const ids = await sendMany(client, endpoint.id, count);
  await deliverPending(service, client);
  return ids;
}

const begin = async (scope: object = {}): Promise<Json> =>
  client.expecting(202, client.post(`/endpoints/${endpoint.id}/replay`, scope));

/** Returns the ids of the original deliveries that were sent again, by the sequences of the replays. */
async function replayed(): Promise<string[]> {
  const rows = await service.database.db.run(
    (sql) => sql<{ of: DeliveryId; sequence: number }[]>`
      select replay_of as of, sequence from deliveries
      where account_id = ${client.accountId} and replay_of is not null order by sequence`,
  );
  const [{ sequence: first } = { sequence: 0 }] = rows;
  expect(rows.map(({ sequence }) => sequence - first)).toEqual(rows.map((_, i) => i));
  return rows.map(({ of }) => toText("wh", of));
}

test("sends everything in the range again, once and in order, although steps fail and processes share it", async () => {
  const ids = await newHistory(600);
  const random = new Random(5);
  const breaking: JobSteps["replay"] = async (sql, job) => {
    const progress = await realSteps.replay(sql, job);
    // As a crash between its work and its commit would.
    if (random.next() < 0.4) throw Object.assign(new Error("a crash"), { code: "40001" });
    return progress;
  };
  const job = await begin();
  expect(job).toMatchObject({
    kind: "replay",
    status: "running",
    progress: { total: 600, examined: 0, done: 0 },
  });
  for (let i = 0; i < 3; i++) run({ replay: breaking });
  const delivering = setInterval(() => deliverPending(service, client), 20);
  const end = await ended(client, job.id).finally(() => clearInterval(delivering));
  expect(end).toMatchObject({
    status: "completed",
    progress: { total: 600, examined: 600, done: 600 },
  });
  expect(end.completed_at).toBeString();
  expect(await replayed()).toEqual(ids);
});

test("keeps to its scope", async () => {
  await newEndpoint();
  const [old] = await sendMany(client, endpoint.id, 1);
  await Bun.sleep(5);
  const after = new Date().toISOString();
  await Bun.sleep(5);
  const failed = await sendMany(client, endpoint.id, 3);
  const other = await sendMany(client, endpoint.id, 2, "other");
  await deliverPending(service, client, "failed");
  const delivered = await sendMany(client, endpoint.id, 2);
  await deliverPending(service, client);
  const [cancelled] = await sendMany(client, endpoint.id, 1);
  await client.post(`/webhooks/${cancelled}/cancel`);
  await Bun.sleep(5);
  const before = new Date().toISOString();
  await Bun.sleep(5);
  const [late] = await sendMany(client, endpoint.id, 1);
  run();
  const replay = async (scope: object) => {
    const already = (await replayed()).length;
    const { progress } = await ended(client, (await begin(scope)).id);
    await deliverPending(service, client);
    const ids = (await replayed()).slice(already);
    expect(progress.done).toBe(ids.length);
    return ids;
  };
  expect(await replay({ after, before, status: "failed", event: "a.b" })).toEqual(failed);
  expect(await replay({ after, before, status: "failed" })).toEqual([...failed, ...other]);
  expect(await replay({ after, before })).toEqual([...failed, ...other, ...delivered]);
  expect(await replay({ status: "cancelled" })).toEqual([cancelled ?? ""]);
  expect(await replay({ before: after })).toEqual([old ?? ""]);
  expect(await replay({ after: before })).toEqual([late ?? ""]);
  // Its first moment is in it.
  const { created_at } = (await client.get(`/webhooks/${late}`)).body;
  expect(await replay({ after: created_at })).toEqual([late ?? ""]);
  await client.patch(`/endpoints/${endpoint.id}`, { event_filter: "other" });
  expect(await replay({})).toEqual(other);
});

test("waits while its endpoint has much pending, and continues as that decreases", async () => {
  await newHistory(MAX_PENDING + 50);
  run();
  const job = await begin();
  const progress = async () => (await client.get(`/jobs/${job.id}`)).body.progress.done;
  await until(async () => (await progress()) === MAX_PENDING, { what: "a full queue" });
  await Bun.sleep(300);
  expect(await progress()).toBe(MAX_PENDING);
  // A new delivery has no more than these in front of it.
  expect(await client.send(endpoint.id)).toMatchObject({ status: "pending" });
  await deliverPending(service, client);
  expect((await ended(client, job.id)).progress.done).toBe(MAX_PENDING + 50);
});

test("can be cancelled, and its deliveries stay", async () => {
  await newHistory(MAX_PENDING + 1);
  run();
  const job = await begin();
  await until(async () => (await client.get(`/jobs/${job.id}`)).body.progress.done === MAX_PENDING);
  const { body } = await client.post(`/jobs/${job.id}/cancel`);
  expect(body).toMatchObject({
    status: "cancelled",
    progress: { done: MAX_PENDING },
    completed_at: expect.any(String),
  });
  await deliverPending(service, client);
  await Bun.sleep(400);
  expect(await replayed()).toHaveLength(MAX_PENDING);
  expectError(await client.post(`/jobs/${job.id}/cancel`), 409, "CONFLICT", "cancelled");
});

test("fails when the month is used up, and says how far it got", async () => {
  await service.dependencies.plans.put("seven", { requestsPerMinute: null, webhooksPerMonth: 7 });
  const ids = await newHistory(5, "seven");
  run();
  const end = await ended(client, (await begin()).id);
  expect(end).toMatchObject({
    status: "failed",
    progress: { examined: 2, done: 2 },
    failure: expect.stringContaining("month"),
  });
  expect(await replayed()).toEqual(ids.slice(0, 2));
});

test("fails when its endpoint is deleted", async () => {
  await newHistory(5);
  const job = await begin();
  await client.delete(`/endpoints/${endpoint.id}`);
  run();
  expect(await ended(client, job.id)).toMatchObject({
    status: "failed",
    failure: expect.stringContaining("deleted"),
  });
  expect(await replayed()).toEqual([]);
});

test("two of one endpoint, over two processes, keep no more pending than one may", async () => {
  await newHistory(300);
  const jobs = [await begin(), await begin()];
  const pending = async () => {
    const rows = await service.database.db.run(
      (sql) => sql`select from queue where account_id = ${client.accountId}`,
    );
    return rows.length;
  };
  // Both start at once, and neither sees yet what the other sends.
  const together = Promise.withResolvers<void>();
  let begun = 0;
  const meeting: JobSteps["replay"] = async (sql, job) => {
    if (++begun === 2) together.resolve();
    await together.promise;
    return realSteps.replay(sql, job);
  };
  for (let i = 0; i < 2; i++) run({ replay: meeting });
  await until(async () => (await pending()) >= MAX_PENDING);
  expect(await pending()).toBe(MAX_PENDING);
  let most = 0;
  const delivering = setInterval(() => deliverPending(service, client), 50);
  const watching = setInterval(async () => {
    most = Math.max(most, await pending());
  }, 5);
  await Promise.all(jobs.map(({ id }) => ended(client, id))).finally(() => {
    clearInterval(delivering);
    clearInterval(watching);
  });
  expect(most).toBeLessThanOrEqual(MAX_PENDING);
});

test("a job that can't continue fails, and delays no other", async () => {
  await newHistory(3);
  const bad = await begin({ event: "bad" });
  const good = await begin();
  run({
    replay: (sql, job) => {
      if (job.event === "bad") throw new Error("a defect");
      return realSteps.replay(sql, job);
    },
  });
  expect(await ended(client, good.id)).toMatchObject({ status: "completed", progress: { done: 3 } });
  expect(await ended(client, bad.id)).toMatchObject({ status: "failed", failure: expect.any(String) });
});

test("a job that fails for now because of Postgres continues later, and delays no other", async () => {
  await newHistory(3);
  const slow = await begin({ event: "a.b" });
  const quick = await begin();
  let isSlow = true;
  run({
    replay: async (sql, job) => {
      if (job.event === "a.b" && isSlow) throw new DatabaseUnavailable("it took too long");
      return realSteps.replay(sql, job);
    },
  });
  expect(await ended(client, quick.id)).toMatchObject({ status: "completed" });
  expect((await client.get(`/jobs/${slow.id}`)).body).toMatchObject({ status: "running" });
  isSlow = false;
  expect(await ended(client, slow.id)).toMatchObject({ status: "completed" });
});

describe("a step's selection", () => {
  const candidate = fc.record({
    id: fc.constant(null).map(() => newId("wh")),
    isWanted: fc.boolean(),
    size: fc.integer({ min: 0, max: 2_500_000 }),
  });

  test("is the longest beginning that fits, and everything over all steps", () => {
    fc.assert(
      fc.property(
        fc.array(candidate, { maxLength: 30 }),
        fc.integer({ min: 1, max: 10 }),
        (candidates, room) => {
          const all: DeliveryId[] = [];
          for (let left = candidates; left.length > 0; ) {
            const { chosen, examined, position } = choose(left, room);
            expect(examined).toBeGreaterThan(0);
            expect(chosen.length).toBeLessThanOrEqual(room);
            expect(position).toBe(left[examined - 1]?.id ?? null);
            const passed = left.slice(0, examined).filter((each) => each.isWanted);
            expect(passed.map(({ id }) => id)).toEqual(chosen);
            const size = passed.reduce((sum, each) => sum + each.size, 0);
            expect(chosen.length === 1 || size <= 2 * 1_048_576).toBe(true);
            all.push(...chosen);
            left = left.slice(examined);
          }
          expect(all).toEqual(candidates.filter((each) => each.isWanted).map(({ id }) => id));
        },
      ),
    );
  });
});
