import { expect, test } from "bun:test";
import { type DeliveryId, toText } from "../../src/domain/ids";
import { MAX_PENDING } from "../../src/jobs/replay-step";
import type { JobSteps } from "../../src/jobs/runner";
import { MAX_RESENT } from "../../src/resources/webhooks/resend-selection";
import { type Client, expectError, type Json } from "../http/client";
import { useService } from "../http/service";
import { untilBlocked } from "../support/blocked";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";
import { holdLocks, LATE_LOCKS, makeLateLocks } from "../support/late-locks";
import { deliverPending, ended, realSteps, runnersOf, sendMany } from "./stage";

let client: Client;

const service = await useService();

const run = runnersOf(() => service);
const ask = (body: object, headers?: Record<string, string>) =>
  client.post("/webhooks/resend", body, headers);
const begin = (body: object): Promise<Json> => client.expecting(202, ask(body));
const counted = (body: object): Promise<Json> => client.expecting(200, ask({ ...body, dry_run: true }));

/** New endpoints with deliveries that failed, in turn; the ids by endpoint, in order. */
async function newFailures(endpoints: number, each: number, plan?: string): Promise<Map<string, string[]>> {
  client = await service.newClient(plan ? { plan } : {});
  const ids = new Map<string, string[]>();
  for (let i = 0; i < endpoints; i++) {
    const { id } = await client.newEndpoint();
    ids.set(id, await sendMany(client, id, each));
  }
  await deliverPending(service, client, "failed");
  return ids;
}

/** Returns the deliveries that were resent to an endpoint, by sequence. */
async function resentTo(endpointId: string): Promise<string[]> {
  const rows = await service.database.db.run(
    (sql) => sql<{ of: DeliveryId; endpoint: never }[]>`
      select replay_of as of, endpoint_id as endpoint from deliveries
      where account_id = ${client.accountId} and replay_of is not null order by sequence`,
  );
  return rows.filter((row) => toText("ep", row.endpoint) === endpointId).map(({ of }) => toText("wh", of));
}

test("resends what a filter selects, once and in order at each endpoint, although steps fail", async () => {
  const failures = await newFailures(3, 200);
  const filter = { status: "failed" };
  expect(await counted({ filter })).toEqual({ total: 600, endpoints: 3, skipped: 0 });
  expect((await client.get("/jobs")).body.data).toEqual([]);
  const random = new Random(7);
  const breaking: JobSteps["resend"] = async (sql, job) => {
    const progress = await realSteps.resend(sql, job);
    if (random.next() < 0.4) throw Object.assign(new Error("a crash"), { code: "40001" });
    return progress;
  };
  const job = await begin({ filter });
  expect(job).toMatchObject({ kind: "resend", status: "running", progress: { total: 600, done: 0 } });
  expect(job.scope).toMatchObject({ endpoint_id: null, status: "failed" });
  for (let i = 0; i < 3; i++) run({ resend: breaking });
  const delivering = setInterval(() => deliverPending(service, client), 20);
  const end = await ended(client, job.id).finally(() => clearInterval(delivering));
  expect(end).toMatchObject({ status: "completed", progress: { total: 600, examined: 600, done: 600 } });
  for (const [endpoint, ids] of failures) expect(await resentTo(endpoint)).toEqual(ids);
  await deliverPending(service, client, "failed");
  // Resends that failed are not sent by a filter.
  expect(await counted({ filter })).toMatchObject({ total: 600 });
});

test("a refusal names the field as the body has it", async () => {
  const refused: [object, string][] = [
    [{}, "ids or filter is required"],
    [{ ids: ["wh_x"], filter: { status: "failed" } }, "give either ids or filter, not both"],
    [{ filter: { status: "failed", after: "x" } }, "filter.after must be"],
    [{ filter: { status: "failed", endpoint_id: "ep_x" } }, "filter.endpoint_id must be"],
    [{ filter: { status: "failed", response_status: "x" } }, "filter.response_status must be"],
    [
      { filter: { status: "failed", after: "2026-02-01", before: "2026-01-01" } },
      "filter.after must be earlier",
    ],
    [{ filter: { status: "pending" } }, "filter.status must be"],
  ];
  for (const [body, message] of refused)
    expect([body, (await ask(body)).body.error.message]).toEqual([body, expect.stringContaining(message)]);
});

test("a full endpoint holds back only its own deliveries", async () => {
  const failures = await newFailures(2, 120);
  const [[full, ofFull], [free, ofFree]] = [...failures] as [[string, string[]], [string, string[]]];
  const waiting = await sendMany(client, full, MAX_PENDING);
  const job = await begin({ filter: { status: "failed" } });
  run();
  await until(async () => (await resentTo(free)).length === MAX_PENDING, { what: "resends" });
  expect(await resentTo(free)).toEqual(ofFree.slice(0, MAX_PENDING));
  expect(await resentTo(full)).toEqual([]);
  const { progress } = (await client.get(`/jobs/${job.id}`)).body;
  expect(progress).toEqual({ total: 240, examined: MAX_PENDING, done: MAX_PENDING });
  expect(waiting).toHaveLength(MAX_PENDING);
  const delivering = setInterval(() => deliverPending(service, client), 20);
  const end = await ended(client, job.id).finally(() => clearInterval(delivering));
  expect(end).toMatchObject({ status: "completed", progress: { done: 240 } });
  expect([await resentTo(full), await resentTo(free)]).toEqual([ofFull, ofFree]);
});

test("two jobs fill an endpoint no further than one, although one of them is late to lock it", async () => {
  const failures = await newFailures(1, 2 * MAX_PENDING);
  const [[endpoint, ids]] = [...failures] as [[string, string[]]];
  for (const half of [ids.slice(0, MAX_PENDING), ids.slice(MAX_PENDING)]) await begin({ ids: half });
  const { db } = service.database;
  await makeLateLocks(db);
  const lateStep: JobSteps["resend"] = async (sql, job) => {
    await sql`select set_config('search_path', ${LATE_LOCKS}, true)`;
    return realSteps.resend(sql, job);
  };
  const late = await service.database.open({ size: 1 }).transaction(async (sql) => {
    await holdLocks(sql);
    const late = run({ resend: lateStep });
    await untilBlocked(db);
    run();
    await until(async () => (await resentTo(endpoint)).length === MAX_PENDING, { what: "resends" });
    return late;
  });
  await late.stop();
  expect(await resentTo(endpoint)).toHaveLength(MAX_PENDING);
});

test("a filter works as in the list", async () => {
  const [[id = "", ids = []] = []] = await newFailures(2, 5);
  const other = await sendMany(client, id, 3, "other");
  await deliverPending(service, client, "failed");
  await sendMany(client, id, 1, "other");
  const found: [object, number][] = [
    [{ status: "failed", endpoint_id: id }, 8],
    [{ status: "failed", event_type: "other" }, 3],
    [{ status: "failed", data: { n: "2" } }, 3],
    [{ status: "failed", data: { n: "2" }, event_type: "other" }, 1],
    [{ status: "failed", response_status: "200" }, 13],
    [{ status: "failed", response_status: "503" }, 0],
    [{ status: "failed", error: "timeout" }, 0],
    [{ status: "failed", before: "2026-01-01T00:00:00Z" }, 0],
    [{ status: "delivered" }, 0],
  ];
  for (const [filter, total] of found)
    expect([filter, (await counted({ filter })).total]).toEqual([filter, total]);
  await client.patch(`/endpoints/${id}`, { event_filter: "other" });
  expect(await counted({ filter: { status: "failed", endpoint_id: id } })).toEqual({
    total: other.length,
    endpoints: 1,
    skipped: ids.length,
  });
});

test("ids select deliveries of any endpoint, also resends, and skip those that can't be resent", async () => {
  const failures = await newFailures(3, 2);
  const [[one, ofOne], [, ofTwo], [three, ofThree]] = [...failures] as [string, string[]][] as [
    [string, string[]],
    [string, string[]],
    [string, string[]],
  ];
  const again = await client.expecting(201, client.post(`/webhooks/${ofOne[0]}/resend`));
  await deliverPending(service, client);
  const [pending = ""] = await sendMany(client, one, 1);
  await client.delete(`/webhooks/${ofTwo[0]}/payload`);
  await client.delete(`/endpoints/${three}`);
  const ids = [...ofOne, again.id, ofOne[0] ?? "", ...ofTwo, ...ofThree, pending];
  expect(await counted({ ids })).toEqual({ total: 4, endpoints: 2, skipped: 4 });
  const job = await begin({ ids });
  run();
  expect(await ended(client, job.id)).toMatchObject({ status: "completed", progress: { total: 4, done: 4 } });
  expect(await resentTo(one)).toEqual([ofOne[0] ?? "", ...ofOne, ofOne[0] ?? ""]);
});

test("a request with a key starts one job, and returns its first answer whatever is selected later", async () => {
  const [[id = "", ids = []] = []] = await newFailures(1, 2);
  const key = { "idempotency-key": "k" };
  const body = { filter: { status: "failed", endpoint_id: id } };
  const first = await ask(body, key);
  await client.delete(`/endpoints/${id}`);
  expect(await ask(body, key)).toMatchObject({ status: 202, text: first.text });
  expectError(await ask({ ids }, key), 409, "CONFLICT");
  expectError(await ask({ ids: [] }, key), 400, "BAD_REQUEST");
  expect((await client.get("/jobs")).body.data).toHaveLength(1);
  run();
  expect(await ended(client, first.body.id)).toMatchObject({
    status: "completed",
    progress: { total: 2, done: 0 },
  });
});

test("a job fails when the month is used up", async () => {
  const [[id = ""] = []] = await newFailures(1, 990, "free");
  const job = await begin({ filter: { status: "failed", endpoint_id: id } });
  run();
  expect(await ended(client, job.id)).toMatchObject({
    status: "failed",
    progress: { total: 990, done: 10 },
    failure: expect.stringContaining("limit of webhooks"),
  });
});

test("a wrong selection is a 400 with the reason", async () => {
  const [[, ids = []] = []] = await newFailures(1, 1);
  const own = ids[0] ?? "";
  const stranger = await service.newClient();
  const theirs = await stranger.send((await stranger.newEndpoint()).id);
  const wrong: [object, RegExp][] = [
    [{}, /ids or filter/],
    [{ ids: [own], filter: { status: "failed" } }, /ids or filter/],
    [{ ids: [] }, /ids/],
    [{ ids: ["wh_1"] }, /ids/],
    [{ ids: [theirs.id] }, new RegExp(theirs.id)],
    [{ ids: Array.from({ length: MAX_RESENT.ids + 1 }, () => own) }, /ids/],
    [{ filter: {} }, /status/],
    [{ filter: { status: "pending" } }, /status/],
    [{ filter: { status: "failed", event: "a" } }, /event/],
    [{ filter: { status: "failed", endpoint_id: "me" } }, /endpoint_id/],
    [{ filter: { status: "failed", after: "yesterday" } }, /after/],
    [{ filter: { status: "failed", response_status: "many" } }, /response_status/],
    [{ filter: { status: "failed", data: { n: 2 } } }, /data/],
  ];
  for (const [body, message] of wrong) expectError(await ask(body), 400, "BAD_REQUEST", message);
});

test(`a filter that selects more than ${MAX_RESENT.filter} is a 400`, async () => {
  const [[id = ""] = []] = await newFailures(1, MAX_RESENT.filter);
  const filter = { status: "failed", endpoint_id: id };
  expect(await counted({ filter })).toMatchObject({ total: MAX_RESENT.filter });
  await sendMany(client, id, 1);
  await deliverPending(service, client, "failed");
  expectError(await ask({ filter }), 400, "BAD_REQUEST", /10,000/);
});
