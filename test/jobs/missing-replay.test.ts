import { expect, test } from "bun:test";
import { type DeliveryId, fromText, toText } from "../../src/domain/ids";
import type { JobSteps } from "../../src/jobs/runner";
import { type Client, expectError, type Json } from "../http/client";
import { useService } from "../http/service";
import { untilBlocked } from "../support/blocked";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";
import { deliverPending, ended, realSteps, runnersOf } from "./stage";

let client: Client;

const service = await useService();

const run = runnersOf(() => service);

async function newClient(plan?: string): Promise<Client> {
  client = await service.newClient(plan ? { plan } : {});
  return client;
}

/** Publishes `count` events. Returns their ids, in order. */
async function publish(count: number, event = "a.b"): Promise<string[]> {
  const events = Array.from({ length: count }, (_, n) => ({ event, data: { n } }));
  const { results } = await client.expecting(200, client.post("/events/batch", { events }));
  return results.map((each: Json) => each.event.id);
}

const begin = async (id: string, scope: object = {}): Promise<Json> =>
  client.expecting(202, client.post(`/endpoints/${id}/replay`, { missing: true, ...scope }));

/** Returns the events that an endpoint has deliveries of, by sequence, and checks that there are no gaps. */
async function eventsOf(endpoint: Json): Promise<string[]> {
  const rows = await service.database.db.run(
    (sql) => sql<{ id: DeliveryId; sequence: number; hasData: boolean }[]>`
      select id, sequence, data is not null as "hasData" from deliveries
      where endpoint_id = ${fromText("ep", endpoint.id)} order by sequence`,
  );
  expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, i) => i + 1));
  // Each shares its event's payload.
  expect(rows.filter(({ hasData }) => hasData)).toEqual([]);
  return rows.map(({ id }) => toText("evt", `${id.slice(0, 32)}0000` as never));
}

test("brings each event once and in order, although steps fail and processes share it", async () => {
  await newClient();
  await client.newEndpoint();
  const ids = await publish(600);
  const [one, other] = [await client.newEndpoint(), await client.newEndpoint()];
  const after = await publish(3);
  const random = new Random(7);
  const breaking: JobSteps["missing_replay"] = async (sql, job) => {
    const progress = await realSteps.missing_replay(sql, job);
    // As a crash between its work and its commit would.
    if (random.next() < 0.4) throw Object.assign(new Error("a crash"), { code: "40001" });
    return progress;
  };
  const jobs = await Promise.all([one, other, one].map(({ id }) => begin(id)));
  expect(jobs[0]).toMatchObject({
    kind: "missing_replay",
    scope: { status: null },
    progress: { total: 603 },
  });
  for (let i = 0; i < 3; i++) run({ missing_replay: breaking });
  const delivering = setInterval(() => deliverPending(service, client), 20);
  const ends = await Promise.all(jobs.map(({ id }) => ended(client, id))).finally(() =>
    clearInterval(delivering),
  );
  expect(ends.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  expect(ends.map(({ progress }) => progress.examined)).toEqual([603, 603, 603]);
  for (const endpoint of [one, other]) expect(await eventsOf(endpoint)).toEqual([...after, ...ids]);
  await deliverPending(service, client);
  const page = await client.expecting(200, client.get(`/endpoints/${one.id}/log?from=150&limit=400`));
  expect(page.data.map(({ sequence, data }: Json) => [sequence, data.n])).toEqual(
    Array.from({ length: 400 }, (_, i) => [150 + i, 150 + i - 4]),
  );
  const [first] = ids;
  const event = await client.expecting(200, client.get(`/events/${first}`));
  expect(event).toMatchObject({ delivery_count: 1, missed: [] });
  expect(event.deliveries).toHaveLength(3);
  const detail = await client.expecting(200, client.get(`/webhooks/${event.deliveries[2].id}`));
  expect(detail).toMatchObject({ of_event: first, data: { n: 0 }, created_at: event.created_at });
});

test("brings skipped, excluded and earlier events, and none that the filter excludes or that has a delivery", async () => {
  await newClient();
  const endpoint = await client.newEndpoint({ event_filter: "early", while_inactive: "skip" });
  const change = (patch: object) => client.expecting(200, client.patch(`/endpoints/${endpoint.id}`, patch));
  const excluded = await publish(2, "late");
  const got = await publish(2, "early");
  await change({ is_active: false });
  const skipped = await publish(2, "early");
  await change({ is_active: true, event_types: ["early", "late"] });
  const unwanted = await publish(1, "never");
  await deliverPending(service, client);
  const pending = await publish(1, "late");
  run();
  const { progress } = await ended(client, (await begin(endpoint.id)).id);
  expect(progress).toEqual({ total: 8, examined: 8, done: 4 });
  expect(await eventsOf(endpoint)).toEqual([...got, ...pending, ...excluded, ...skipped]);
  expect(await eventsOf(endpoint)).not.toContain(unwanted[0] ?? "");
  expect((await ended(client, (await begin(endpoint.id)).id)).progress.done).toBe(0);
});

test("keeps to its scope, and skips erased events", async () => {
  await newClient();
  const [early] = await publish(1);
  await Bun.sleep(5);
  const after = new Date().toISOString();
  await Bun.sleep(5);
  const [erased, first] = await publish(2);
  const [other] = await publish(1, "other");
  await client.expecting(200, client.delete(`/events/${erased}/payload`));
  const endpoint = await client.newEndpoint();
  run();
  await ended(client, (await begin(endpoint.id, { after, event: "a.b" })).id);
  expect(await eventsOf(endpoint)).toEqual([first ?? ""]);
  await ended(client, (await begin(endpoint.id, { after })).id);
  expect(await eventsOf(endpoint)).toEqual([first ?? "", other ?? ""]);
  await ended(client, (await begin(endpoint.id, {})).id);
  expect(await eventsOf(endpoint)).toEqual([first ?? "", other ?? "", early ?? ""]);
  expectError(
    await client.post(`/endpoints/${endpoint.id}/replay`, { missing: true, status: "failed" }),
    400,
    "BAD_REQUEST",
    "status",
  );
});

test("misses no event that is being accepted while the endpoint is created", async () => {
  await newClient();
  const slow = await client.newEndpoint();
  const published = service.database.db.transaction(async (sql) => {
    await sql`select from mailboxes where endpoint_id = ${fromText("ep", slow.id)} for update`;
    const answer = client.post("/events", { event: "a.b", data: {} });
    await untilBlocked(service.database.db);
    // The statement that accepts the event does not know the endpoint, and has not committed yet.
    const endpoint = await client.newEndpoint();
    let steps = 0;
    run({
      missing_replay: (sql, job) => {
        steps++;
        return realSteps.missing_replay(sql, job);
      },
    });
    const job = await begin(endpoint.id);
    await until(() => steps > 2);
    expect((await client.get(`/jobs/${job.id}`)).body.status).toBe("running");
    return { answer, endpoint, job };
  });
  const { answer, endpoint, job } = await published;
  const { body } = await answer;
  expect(body.deliveries.map(({ endpoint_id }: Json) => endpoint_id)).toEqual([slow.id]);
  expect((await ended(client, job.id)).progress.done).toBe(1);
  expect(await eventsOf(endpoint)).toEqual([body.id]);
});

test("fails when the month is used up, and says how far it got", async () => {
  await service.dependencies.plans.put("three", { requestsPerMinute: null, webhooksPerMonth: 3 });
  await newClient("three");
  await publish(5);
  const endpoint = await client.newEndpoint();
  run();
  const end = await ended(client, (await begin(endpoint.id)).id);
  expect(end).toMatchObject({ status: "failed", failure: expect.stringContaining("month") });
  expect(end.progress).toEqual({ total: 5, examined: 3, done: 3 });
  expect(await eventsOf(endpoint)).toHaveLength(3);
});

test("a concurrent erasure leaves no payload behind", async () => {
  for (let round = 0; round < 4; round++) {
    await newClient();
    await client.newEndpoint();
    const ids = await publish(5);
    const endpoint = await client.newEndpoint();
    run();
    const job = await begin(endpoint.id);
    await Bun.sleep(round * 30);
    await Promise.all(ids.map((id) => client.expecting(200, client.delete(`/events/${id}/payload`))));
    await ended(client, job.id);
    const rows = await service.database.db.run(
      (sql) => sql`
        select from queue where account_id = ${client.accountId}
        union all select from deliveries where account_id = ${client.accountId} and data is null`,
    );
    expect(rows).toHaveLength(0);
  }
});

test("brings only events that the endpoint's payload filter wants", async () => {
  await newClient();
  const ids = await publish(600);
  const endpoint = await client.newEndpoint({ filter: "data.n >= 590 || data.n == 3" });
  run();
  const { id } = await begin(endpoint.id);
  const job = await ended(client, id);
  expect(job).toMatchObject({ status: "completed", progress: { examined: 600, done: 11 } });
  expect(await eventsOf(endpoint)).toEqual([ids[3] ?? "", ...ids.slice(590)]);
  const { missed } = await client.expecting(200, client.get(`/events/${ids[0]}`));
  expect(missed).toEqual([{ endpoint_id: endpoint.id, reason: "created_later" }]);
});
