import { describe, expect, test } from "bun:test";
import { Ajv } from "ajv";
import { Database } from "../../src/db/database";
import { eventIdFrom } from "../../src/db/sql/event-key";
import { periodOf } from "../../src/db/sql/time";
import { type AccountId, fromText, newId, toText } from "../../src/domain/ids";
import { findBlocked } from "../../src/endpoints/blocked";
import { FEED_ENDPOINTS } from "../../src/endpoints/endpoint";
import { Feeds } from "../../src/feeds/feeds";
import { reportUsage, type UsageSlice } from "../../src/feeds/outbox";
import type { FanOutIntake } from "../../src/intake/events/fan-out";
import { FanOutCommit } from "../../src/intake/events/fan-out-commit";
import { chooseShards } from "../../src/intake/usage";
import { warnOfExpiry } from "../../src/retention/expiry-warning";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import { type AttemptResult, recordAttempt } from "../http/attempts";
import { answerOf, type Client, expectError, type Json } from "../http/client";
import { ABSENT } from "../http/routes";
import { useService } from "../http/service";

const service = await useService();

const PUBLIC_URL = "https://hooks.example.com";
const UNWANTED: AttemptResult = { status: 403, verdict: "failed", health: "unwanted" };
const FAILED: AttemptResult = {
  status: 0,
  error: "dns",
  errorDetail: "no_answer",
  verdict: "failed",
  health: "failing",
};

function newIntake(): FanOutIntake {
  const { feeds: shard } = chooseShards(Math.random());
  const options = { db: service.database.db, clock: systemClock, shard, maxQueued: 1_000 };
  return new FanOutCommit({ ...options, onAccepted: () => {} }, "feed");
}

/** Starts anew, as a process that has just started. */
function newFeeds(intake = newIntake()): Feeds {
  const { db } = service.database;
  return new Feeds({ db, intake, publicUrl: PUBLIC_URL, clock: systemClock, log: createLog("silent") });
}

/** Returns the payloads for an endpoint, in the order of their sequences. */
async function reportsTo(client: Client, endpoint: Json): Promise<Json[]> {
  const { data } = await client.expecting(200, client.get(`/webhooks?limit=100&endpoint_id=${endpoint.id}`));
  const details = await Promise.all(
    data.map(({ id }: Json) => client.expecting(200, client.get(`/webhooks/${id}`))),
  );
  return details.toSorted((a, b) => a.sequence - b.sequence).map((each) => each.data);
}

const typesReported = async (client: Client, endpoint: Json) =>
  (await reportsTo(client, endpoint)).map(({ type }) => type);

async function countOutbox(client: Client): Promise<number> {
  const [row] = await service.database.db.run(
    (sql) => sql<{ count: number }[]>`
      select count(*)::integer as count from feed_outbox where account_id = ${client.accountId}
    `,
  );
  return row?.count ?? Number.NaN;
}

async function sendAndRecord(client: Client, endpoint: Json, result: AttemptResult): Promise<Json> {
  const sent = await client.send(endpoint.id, "order.paid");
  await recordAttempt(service.database.db, sent, result);
  return sent;
}

async function failedSince(endpoint: Json, ago: string): Promise<void> {
  const id = fromText("ep", endpoint.id);
  await service.database.db.run(
    (sql) => sql`update endpoints set failing_since = now() - ${ago}::text::interval where id = ${id}`,
  );
}

async function expectDocumented(reported: readonly Json[]): Promise<void> {
  const document = (await answerOf(await fetch(`${service.url}/swagger/json`))).body;
  const ajv = new Ajv({ strict: false, validateFormats: false }).addSchema(document, "document");
  const isDocumented = ajv.compile({ $ref: "document#/components/schemas/FeedEvent" });
  for (const each of reported) expect({ each, ok: isDocumented(each) }).toEqual({ each, ok: true });
}

describe("a feed", () => {
  test("reports failed deliveries, disabled endpoints and recoveries, as documented", async () => {
    const client = await service.newClient();
    const [feed, work] = [await client.newEndpoint({ feed: true }), await client.newEndpoint()];
    const failed = await sendAndRecord(client, work, FAILED);
    await failedSince(work, "1 hour");
    await sendAndRecord(client, work, { status: 200, health: "recovered" });
    await sendAndRecord(client, work, UNWANTED);
    const tired = await client.newEndpoint();
    await failedSince(tired, "30 hours");
    const stillFailing: AttemptResult = { status: 503, verdict: "retry", health: "still_failing" };
    for (let i = 0; i < 2; i++) await sendAndRecord(client, tired, stillFailing);
    await failedSince(tired, "5 days");
    for (let i = 0; i < 2; i++) await sendAndRecord(client, tired, FAILED);
    const stuck = await client.newEndpoint();
    const stopped = await sendAndRecord(client, stuck, { status: 503, verdict: "stop", health: "exhausted" });
    await newFeeds().step();
    const reported = await reportsTo(client, feed);
    expect(reported.map(({ type }) => type)).toEqual([
      "delivery.failed",
      "endpoint.recovered",
      "delivery.failed",
      "endpoint.disabled",
      "endpoint.failing",
      "delivery.failed",
      "delivery.failed",
      "endpoint.disabled",
      "endpoint.disabled",
    ]);
    const account = { account_id: toText("acc", client.accountId), account_name: "test" };
    expect(reported[0].data).toEqual({
      ...account,
      id: failed.id,
      endpoint_id: work.id,
      event: "order.paid",
      attempt_count: 1,
      response_status: 0,
      error: "dns",
      error_detail: "no_answer",
      failure_reason: null,
      created_at: failed.created_at,
      url: work.url,
      description: null,
      waiting: 0,
      waiting_complete: true,
      console_url: `${PUBLIC_URL}/console/deliveries/${failed.id}?account=${account.account_id}`,
    });
    expect(reported[3].data).toMatchObject({
      id: work.id,
      url: work.url,
      reason: "unwanted",
      delivery_id: null,
    });
    expect(reported[7].data).toMatchObject({ id: tired.id, reason: "failing" });
    expect(Date.parse(reported[7].data.failing_since)).toBeLessThan(Date.now() - 4 * 86_400_000);
    expect(reported[8].data).toMatchObject({ id: stuck.id, reason: "exhausted", delivery_id: stopped.id });
    await expectDocumented(reported);
    expect(await countOutbox(client)).toBe(0);
  });

  test("names a delivery that blocks its order for long, once, and the endpoint's health agrees", async () => {
    const client = await service.newClient();
    const feed = await client.newEndpoint({ feed: true });
    const ordered = await client.newEndpoint();
    const keyed = await client.newEndpoint({ ordering: "by_key" });
    const free = await client.newEndpoint({ ordering: "unordered" });
    const { db } = service.database;
    const retried: AttemptResult = { status: 422, verdict: "retry", health: "failing" };
    const send = async (endpoint: Json, ordering_key: string) => {
      const body = { endpoint_id: endpoint.id, event: "a.b", ordering_key, data: {} };
      return client.expecting(201, client.post("/webhooks", body));
    };
    const heads = [
      await send(ordered, "x"),
      await send(keyed, "x"),
      await send(keyed, "y"),
      await send(free, "x"),
    ];
    for (let i = 0; i < 3; i++) for (const each of [ordered, keyed, free]) await send(each, "x");
    for (const each of heads) await recordAttempt(db, each, retried);
    const find = async (afterMs: number) => {
      await Promise.all([1, 2].map(() => findBlocked(db, afterMs)));
      await newFeeds().step();
      return (await reportsTo(client, feed)).filter(({ type }) => type === "endpoint.blocked");
    };
    const healthOf = async ({ id }: Json) =>
      (await client.expecting(200, client.get(`/endpoints/${id}`))).health;
    expect(await find(3_600_000)).toEqual([]);
    expect(await healthOf(ordered)).toMatchObject({ state: "failing" });
    const first = await find(0);
    const facts = (endpoint: Json, delivery: Json, ordering_key: string, behind: number) =>
      expect.objectContaining({
        id: endpoint.id,
        url: endpoint.url,
        delivery_id: delivery.id,
        ordering_key,
        reason: "status",
        behind,
        behind_complete: true,
      });
    expect(first.map(({ data }) => data).toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
      facts(ordered, heads[0], "x", 3),
      facts(keyed, heads[1], "x", 3),
    ]);
    const blocked = await healthOf(keyed);
    const report = first.find(({ data }) => data.id === keyed.id);
    expect(blocked).toMatchObject({ state: "blocked", reason: report.data.reason, since: report.data.since });
    expect(blocked.blocked_by).toMatchObject({
      id: heads[1].id,
      ordering_key: "x",
      attempt_count: 1,
      last_attempt: { status: retried.status },
    });
    expect(await healthOf(free)).toMatchObject({ state: "failing" });
    await recordAttempt(db, heads[1], retried);
    expect(await find(0)).toHaveLength(2);
    // The order has advanced: the endpoint is not blocked until the next waiting delivery is found.
    await recordAttempt(db, heads[1], { status: 200, health: "recovered" });
    expect(await healthOf(keyed)).toMatchObject({ state: "healthy" });
    const again = await find(0);
    expect(again.slice(2).map(({ data }) => data)).toEqual([facts(keyed, heads[2], "y", 0)]);
    expect(await healthOf(keyed)).toMatchObject({ state: "blocked" });
    await expectDocumented(again);
  });

  test("warns before pending deliveries expire, once in that time", async () => {
    const client = await service.newClient();
    const feed = await client.newEndpoint({ feed: true });
    const work = await client.newEndpoint({ is_active: false });
    const first = await client.send(work.id, "a");
    for (let i = 0; i < 2; i++) await client.send(work.id, "a");
    const day = 86_400_000;
    const { db } = service.database;
    const warnAfter = async (hours: number) => {
      const now = Date.parse(first.created_at) + hours * 3_600_000;
      await Promise.all([1, 2].map(() => warnOfExpiry(db, now, day, async () => true)));
      return countOutbox(client);
    };
    expect(await warnAfter(17)).toBe(0);
    expect(await warnAfter(18.1)).toBe(1);
    expect(await warnAfter(19)).toBe(1);
    await db.run(
      (sql) => sql`
        update endpoints set expiry_warned_at = now() - interval '6 hours' where id = ${fromText("ep", work.id)}`,
    );
    expect(await warnAfter(23)).toBe(2);
    await newFeeds().step();
    const reported = await reportsTo(client, feed);
    expect(reported.map(({ type }) => type)).toEqual(["endpoint.expiring", "endpoint.expiring"]);
    expect(reported[0].data).toMatchObject({
      id: work.id,
      url: work.url,
      delivery_id: first.id,
      expires_at: new Date(Date.parse(first.created_at) + day).toISOString(),
      deliveries: 3,
      deliveries_complete: true,
    });
    await expectDocumented(reported);
  });

  test("reports neither short trouble nor an endpoint that was already inactive", async () => {
    const client = await service.newClient();
    const [feed, work] = [await client.newEndpoint({ feed: true }), await client.newEndpoint()];
    await failedSince(work, "5 seconds");
    await sendAndRecord(client, work, { status: 200, health: "recovered" });
    await client.patch(`/endpoints/${work.id}`, { is_active: false });
    await sendAndRecord(client, work, { ...UNWANTED, verdict: "retry" });
    await newFeeds().step();
    expect(await typesReported(client, feed)).toEqual([]);
  });

  test("sends reports to its own account's feed endpoints whose filter matches, unless they skip them", async () => {
    const [client, stranger] = [await service.newClient(), await service.newClient()];
    const all = await client.newEndpoint({ feed: true });
    const some = await client.newEndpoint({ feed: true, event_filter: "endpoint.*" });
    const held = await client.newEndpoint({ feed: true, is_active: false });
    const skipped = await client.newEndpoint({ feed: true, is_active: false, while_inactive: "skip" });
    const work = await client.newEndpoint();
    const later = await client.newEndpoint();
    const elsewhere = await stranger.newEndpoint({ feed: true });
    expect(await client.expecting(200, client.patch(`/endpoints/${later.id}`, { feed: true }))).toMatchObject(
      {
        id: later.id,
        feed: true,
      },
    );
    await sendAndRecord(client, work, UNWANTED);
    await newFeeds().step();
    const both = ["delivery.failed", "endpoint.disabled"];
    expect(await typesReported(client, all)).toEqual(both);
    expect(await typesReported(client, later)).toEqual(both);
    expect(await typesReported(client, some)).toEqual(["endpoint.disabled"]);
    expect(await typesReported(client, held)).toEqual(both);
    expect(await typesReported(client, skipped)).toEqual([]);
    expect(await typesReported(stranger, elsewhere)).toEqual([]);
  });

  test("reports nothing about an endpoint that fails for less than a quarter of the time", async () => {
    const client = await service.newClient();
    const feed = await client.newEndpoint({ feed: true });
    const tired = await client.newEndpoint();
    await failedSince(tired, "29 hours");
    await sendAndRecord(client, tired, { status: 503, verdict: "retry", health: "still_failing" });
    await newFeeds().step();
    expect(await typesReported(client, feed)).toEqual([]);
  });

  test("gets no events of the account's own", async () => {
    const client = await service.newClient();
    const [feed, work] = [await client.newEndpoint({ feed: true }), await client.newEndpoint()];
    const { deliveries } = await client.expecting(201, client.post("/events", { event: "a.b", data: {} }));
    expect(deliveries.map((each: Json) => each.endpoint_id)).toEqual([work.id]);
    expect(await typesReported(client, feed)).toEqual([]);
  });

  test("gets no webhooks of the account's own, only tests and resends", async () => {
    const client = await service.newClient();
    const endpoint = await client.newEndpoint();
    const body = { endpoint_id: endpoint.id, event: "a.b", data: {} };
    const key = { "idempotency-key": "before" };
    const sent = await client.expecting(201, client.post("/webhooks", body, key));
    await recordAttempt(service.database.db, sent, FAILED);
    // Nothing notifies the intake, whose copy of the endpoint is old now.
    await client.expecting(200, client.patch(`/endpoints/${endpoint.id}`, { feed: true }));
    for (const fields of [{}, { event: "delivery.failed" }, { deliver_after: 60 }])
      expectError(
        await client.post("/webhooks", { ...body, ...fields }),
        400,
        "BAD_REQUEST",
        "endpoint_id is an endpoint with feed: true",
      );
    const other = await client.newEndpoint();
    const webhooks = [body, { ...body, endpoint_id: other.id }];
    const { results } = await client.expecting(200, client.post("/webhooks/batch", { webhooks }));
    expect(results.map(({ status }: Json) => status)).toEqual([400, 201]);
    expect((await client.post("/webhooks", body, key)).body).toEqual(sent);
    await client.expecting(201, client.post(`/endpoints/${endpoint.id}/test`));
    await client.expecting(201, client.post(`/webhooks/${sent.id}/resend`));
    await client.expecting(200, client.patch(`/endpoints/${endpoint.id}`, { feed: false }));
    await client.expecting(201, client.post("/webhooks", body));
  });

  test("never reports itself", async () => {
    const client = await service.newClient();
    const [feed, other] = [await client.newEndpoint(), await client.newEndpoint()];
    const [toFeed, toOther] = [await client.send(feed.id), await client.send(other.id)];
    for (const { id } of [feed, other])
      await client.expecting(200, client.patch(`/endpoints/${id}`, { feed: true }));
    const work = await client.newEndpoint();
    await sendAndRecord(client, work, FAILED);
    await newFeeds().step();
    const { data } = await client.expecting(200, client.get("/webhooks?event_type=delivery.failed"));
    expect(data).toHaveLength(2);
    for (const each of data) await recordAttempt(service.database.db, each, UNWANTED);
    await failedSince(other, "1 hour");
    await recordAttempt(service.database.db, toOther, { status: 200, health: "recovered" });
    await recordAttempt(service.database.db, toFeed, FAILED);
    expect(await countOutbox(client)).toBe(0);
  });

  test("leaves nothing behind in an account without one", async () => {
    const client = await service.newClient();
    await sendAndRecord(client, await client.newEndpoint(), UNWANTED);
    const gone = await client.newEndpoint({ feed: true });
    await client.delete(`/endpoints/${gone.id}`);
    await sendAndRecord(client, await client.newEndpoint(), UNWANTED);
    expect(await countOutbox(client)).toBe(0);
  });
});

describe("a backlog of reports", () => {
  const log = createLog("silent");

  /** Stores reports as if this many deliveries had failed. */
  async function fillOutbox({ accountId }: Client, count: number): Promise<void> {
    await service.database.db.run(
      (sql) => sql`
        insert into feed_outbox (account_id, about, event, facts)
        select ${accountId}, ${accountId}, 'usage.limit_near', json_build_object('percent', n)
        from generate_series(1, ${count}::integer) n`,
    );
  }

  test("delays no other account, and keeps its own order", async () => {
    const [busy, quiet] = [await service.newClient(), await service.newClient()];
    for (const client of [busy, quiet]) await client.newEndpoint({ feed: true });
    await fillOutbox(busy, 200);
    await fillOutbox(quiet, 1);
    const reported: { accountId: string; key: number }[] = [];
    const intake = newIntake();
    const feeds = newFeeds({
      accept: (fanOut) => {
        reported.push({ accountId: fanOut.accountId, key: Number(fanOut.idempotency?.key) });
        return intake.accept(fanOut);
      },
    });
    while (await feeds.step());
    const ofBusy = reported.filter(({ accountId }) => accountId === busy.accountId).map(({ key }) => key);
    expect(ofBusy).toHaveLength(200);
    expect(ofBusy).toEqual(ofBusy.toSorted((a, b) => a - b));
    expect(reported.findIndex(({ accountId }) => accountId === quiet.accountId)).toBeLessThan(50);
  });

  test("at an endpoint that can't accept any delays no other account", async () => {
    const clients = await Promise.all(Array.from({ length: 12 }, () => service.newClient()));
    for (const client of clients) await fillOutbox(client, 1);
    const stuck = clients.map(({ accountId }) => accountId).toSorted();
    const free = stuck.pop();
    const reported: string[] = [];
    const feeds = newFeeds({
      accept: async ({ accountId, event }) => {
        if (stuck.some((each) => each === accountId)) throw new Error("no room");
        reported.push(accountId);
        const id = eventIdFrom(newId("wh"));
        const accepted = {
          id,
          event,
          orderingKey: null,
          externalId: null,
          deliveries: [],
          held: [],
          skipped: [],
        };
        return { kind: "accepted", event: accepted };
      },
    });
    for (let i = 0; i < 2; i++) await expect(feeds.step()).rejects.toThrow("no room");
    expect(reported).toEqual([free ?? ""]);
    await newFeeds().step();
  });

  test("skips a report that can't be made, and continues behind it", async () => {
    const client = await service.newClient();
    const feed = await client.newEndpoint({ feed: true });
    await fillOutbox(client, 2);
    const intake = newIntake();
    let count = 0;
    const accept: FanOutIntake["accept"] = async (fanOut) =>
      count++ === 0 ? { kind: "too_many_endpoints", most: 0 } : intake.accept(fanOut);
    await newFeeds({ accept }).step();
    expect(await countOutbox(client)).toBe(0);
    expect((await reportsTo(client, feed)).map(({ data }) => data.percent)).toEqual([2]);
  });

  test("is sent even if it takes longer than a transaction may be idle", async () => {
    const client = await service.newClient();
    await client.newEndpoint({ feed: true });
    await fillOutbox(client, 60);
    const statementTimeoutMs = 1_000;
    const { url } = service.database;
    const db = new Database({ url, size: 4, queryTimeoutMs: 30_000, statementTimeoutMs, log });
    const intake = newIntake();
    let turn: Promise<unknown> = Promise.resolve();
    const slow: FanOutIntake = {
      accept: (fanOut) => {
        const result = turn.then(() => Bun.sleep(40)).then(() => intake.accept(fanOut));
        turn = result;
        return result;
      },
    };
    const feeds = new Feeds({ db, intake: slow, publicUrl: null, clock: systemClock, log });
    while (await feeds.step());
    expect(await countOutbox(client)).toBe(0);
    await db.close();
  });
});

describe("a feed of the installation", () => {
  const feedOn = async (accounts: string[], body: object = {}) => {
    const admin = await service.newClient();
    return {
      admin,
      feed: await admin.newEndpoint({ feed: true, feed_accounts: accounts, ...body }),
      has: async (about: Client) => {
        const { data } = await admin.expecting(200, admin.get("/webhooks?limit=100"));
        const details = await Promise.all(data.map(({ id }: Json) => admin.get(`/webhooks/${id}`)));
        const id = toText("acc", about.accountId);
        return details
          .map(({ body: { data: each } }) => each)
          .filter((each: Json) => each.data.account_id === id);
      },
    };
  };
  const fail = async (client: Client) => {
    const endpoint = await client.newEndpoint({ description: "Orders" });
    await client.send(endpoint.id, "order.paid");
    await sendAndRecord(client, endpoint, UNWANTED);
    return endpoint;
  };

  test("reports on every account, with its name, its endpoint, what waits, and a link to the console", async () => {
    const { admin, has } = await feedOn(["*"], { event_filter: "endpoint.*" });
    const [one, two] = [await service.newClient(), await service.newClient()];
    const own = await one.newEndpoint({ feed: true });
    const endpoint = await fail(one);
    await fail(two);
    while (await newFeeds().step());
    const account_id = toText("acc", one.accountId);
    const reports = await has(one);
    expect(reports).toEqual([
      {
        type: "endpoint.disabled",
        timestamp: expect.any(String),
        data: expect.objectContaining({
          account_id,
          account_name: "test",
          id: endpoint.id,
          url: endpoint.url,
          description: "Orders",
          reason: "unwanted",
          failing_since: expect.any(String),
          waiting: 1,
          waiting_complete: true,
          console_url: `${PUBLIC_URL}/console/endpoints/${endpoint.id}?account=${account_id}`,
        }),
      },
    ]);
    await expectDocumented(reports);
    expect(await has(two)).toHaveLength(1);
    // The account's own feed reports on the account alone, and no feed reports on a feed.
    expect((await reportsTo(one, own)).map(({ data }) => data.account_id)).toEqual([account_id, account_id]);
    const [broken] = (await admin.get("/webhooks?limit=1")).body.data;
    await recordAttempt(service.database.db, broken, UNWANTED);
    while (await newFeeds().step());
    expect(await has(admin)).toEqual([]);
  });

  test("reports on the accounts that it names, and on others once it names them", async () => {
    const [one, two] = [await service.newClient(), await service.newClient()];
    const { admin, feed, has } = await feedOn([toText("acc", one.accountId)]);
    await fail(one);
    await fail(two);
    while (await newFeeds().step());
    expect([(await has(one)).length, (await has(two)).length]).toEqual([2, 0]);
    const feed_accounts = [toText("acc", two.accountId)];
    const changed = await admin.patch(`/endpoints/${feed.id}`, { feed: true, feed_accounts });
    expect(changed.body).toMatchObject({ feed: true, feed_accounts });
    await fail(one);
    await fail(two);
    while (await newFeeds().step());
    expect([(await has(one)).length, (await has(two)).length]).toEqual([2, 2]);
    expect((await admin.patch(`/endpoints/${feed.id}`, { feed: false })).body.feed_accounts).toBeNull();
  });

  test("needs the permission admin, for every change of its endpoint", async () => {
    const { admin, feed } = await feedOn(["*"]);
    const permissions = ["endpoints:read", "endpoints:write", "accounts:act"] as const;
    const other = await service.newKey(admin.accountId, permissions);
    const body = { url: "https://elsewhere.example/" };
    const tries = [
      other.post("/endpoints", { ...body, feed: true, feed_accounts: ["*"] }),
      other.patch(`/endpoints/${feed.id}`, body),
      other.put(`/endpoints/${feed.id}`, body),
      other.post(`/endpoints/${feed.id}/rotate-secret`),
      other.delete(`/endpoints/${feed.id}`),
    ];
    for (const each of await Promise.all(tries)) expectError(each, 403, "FORBIDDEN", "admin");
    expect((await other.get(`/endpoints/${feed.id}`)).body).toMatchObject({
      url: feed.url,
      feed_accounts: ["*"],
    });
  });

  test.each([
    [{ feed: true, feed_accounts: ["shop-42"] }, "ids of accounts"],
    [{ feed: true, feed_accounts: ["*", ABSENT.account] }, "* alone"],
    [{ feed: true, feed_accounts: [ABSENT.account] }, "names no account"],
    [{ feed: true, feed_accounts: [] }, "feed_accounts"],
    [{ feed_accounts: ["*"] }, "needs feed: true"],
  ])("is refused as %j", async (body, words) => {
    const admin = await service.newClient();
    expectError(
      await admin.post("/endpoints", { url: "https://a.example/", ...body }),
      400,
      "BAD_REQUEST",
      words,
    );
  });

  test("hears of an account's monthly limit", async () => {
    const { has } = await feedOn(["*"]);
    await service.admin.put("/admin/plans/tiny", { requests_per_minute: null, webhooks_per_month: 2 });
    const client = await service.newClient({ plan: "tiny" });
    const { id } = await client.newEndpoint();
    for (let i = 0; i < 2; i++) await client.send(id);
    while (await newFeeds().step());
    const reports = await has(client);
    expect(reports.map(({ data }) => data.percent)).toEqual([100, 80]);
    await expectDocumented(reports);
  });
});

test("an account has a limited number of feed endpoints, even with concurrent requests", async () => {
  const client = await service.newClient();
  const { most } = FEED_ENDPOINTS;
  const url = "http://127.0.0.1:9/";
  const create = () => client.post("/endpoints", { url, feed: true });
  const answers = await Promise.all(Array.from({ length: most + 5 }, create));
  const made = answers.filter(({ status }) => status === 201);
  expect(made).toHaveLength(most);
  for (const each of answers) if (each.status !== 201) expectError(each, 409, "CONFLICT", `${most}`);
  const plain = await client.newEndpoint();
  expectError(await client.patch(`/endpoints/${plain.id}`, { feed: true }), 409, "CONFLICT", "feed");
  const others = await (await service.newClient()).newEndpoint();
  expectError(await client.patch(`/endpoints/${others.id}`, { feed: true }), 404, "NOT_FOUND");
  const [first] = made;
  await client.expecting(
    200,
    client.patch(`/endpoints/${first?.body.id}`, { feed: true, description: "it" }),
  );
  await client.delete(`/endpoints/${first?.body.id}`);
  await client.expecting(200, client.patch(`/endpoints/${plain.id}`, { feed: true }));
  expectError(await create(), 409, "CONFLICT", "feed");
});

describe("a month's usage", () => {
  test("is reported at 80 and at 100 per cent, once each, and reports do not count", async () => {
    await service.dependencies.plans.put("ten", { requestsPerMinute: null, webhooksPerMonth: 10 });
    const client = await service.newClient({ plan: "ten" });
    const [feed, work] = [await client.newEndpoint({ feed: true }), await client.newEndpoint()];
    const percents = async () => {
      await Promise.all([newFeeds().step(), newFeeds().step()]);
      await newFeeds().step();
      return (await reportsTo(client, feed)).map(({ data }) => [data.percent, data.used, data.limit]);
    };
    for (let i = 0; i < 7; i++) await client.send(work.id);
    expect(await percents()).toEqual([]);
    await client.send(work.id);
    expect(await percents()).toEqual([[80, 8, 10]]);
    for (let i = 0; i < 2; i++) await client.send(work.id);
    const expected = [
      [80, 8, 10],
      [100, 10, 10],
    ];
    expect(await percents()).toEqual(expected);
    expect(await percents()).toEqual(expected);
    expect((await client.get("/billing/usage")).body.webhooks).toEqual({ used: 10, limit: 10, remaining: 0 });
    expect((await client.get("/stats")).body).toMatchObject({ total_deliveries: 12, pending: 12 });
    expect((await client.get("/webhooks")).body.total).toBe(12);
  });

  test("is reported of each account, some accounts at a time", async () => {
    await service.dependencies.plans.put("one", { requestsPerMinute: null, webhooksPerMonth: 1 });
    const clients = await Promise.all([1, 2, 3, 4, 5].map(() => service.newClient({ plan: "one" })));
    for (const client of clients) {
      await client.newEndpoint({ feed: true });
      await client.send((await client.newEndpoint()).id);
    }
    const countAll = async () => (await Promise.all(clients.map(countOutbox))).reduce((a, b) => a + b);
    const { db } = service.database;
    let after: AccountId | null = null;
    do {
      const before = await countAll();
      const slice: UsageSlice = { after, most: 2 };
      after = await db.run((sql) => reportUsage(sql, periodOf(Date.now()), slice));
      // 80 and 100 per cent of each account.
      expect((await countAll()) - before).toBeLessThanOrEqual(4);
    } while (after !== null);
    expect(await Promise.all(clients.map(countOutbox))).toEqual([2, 2, 2, 2, 2]);
  });

  test("is not reported if the plan has no limit", async () => {
    await service.dependencies.plans.put("none", { requestsPerMinute: null, webhooksPerMonth: 0 });
    const client = await service.newClient({ plan: "none" });
    const feed = await client.newEndpoint({ feed: true });
    await newFeeds().step();
    expect(await reportsTo(client, feed)).toEqual([]);
  });

  test("is reported again if it reaches the limit of a larger plan", async () => {
    const { plans } = service.dependencies;
    const setPlan = (webhooksPerMonth: number) =>
      plans.put("growing", { requestsPerMinute: null, webhooksPerMonth });
    await setPlan(2);
    const client = await service.newClient({ plan: "growing" });
    const [feed, work] = [await client.newEndpoint({ feed: true }), await client.newEndpoint()];
    const reported = async () => {
      for (let i = 0; i < 2; i++) await newFeeds().step();
      return (await reportsTo(client, feed)).map(({ data }) => [data.percent, data.limit]);
    };
    for (let i = 0; i < 2; i++) await client.send(work.id);
    const first = [
      [80, 2],
      [100, 2],
    ];
    expect(await reported()).toEqual(first);
    await setPlan(4);
    expect(await reported()).toEqual(first);
    await setPlan(2);
    expect(await reported()).toEqual([...first, ...first]);
  });
});

describe("each event is reported once", () => {
  test("by many processes at the same time", async () => {
    const client = await service.newClient();
    const [feed, work] = [await client.newEndpoint({ feed: true }), await client.newEndpoint()];
    const failed: string[] = [];
    for (let i = 0; i < 20; i++) failed.push((await sendAndRecord(client, work, FAILED)).id);
    // The lock would let one work at a time, so they also bypass it.
    const rows = await service.database.db.run(
      (sql) => sql<{ id: number; event: string }[]>`
        select id, event from feed_outbox where account_id = ${client.accountId} order by id
      `,
    );
    const beside = [newIntake(), newIntake()].flatMap((intake) =>
      rows.map(({ id, event }) =>
        intake.accept({
          id: eventIdFrom(newId("wh")),
          accountId: client.accountId,
          event,
          orderingKey: null,
          data: `{"type":"${event}"}`,
          idempotency: { key: String(id), fingerprint: new Uint8Array() },
        }),
      ),
    );
    await Promise.all([newFeeds().step(), newFeeds().step(), ...beside]);
    expect(await reportsTo(client, feed)).toHaveLength(20);
    expect(await countOutbox(client)).toBe(0);
  });

  test("even if the process that committed it got no answer", async () => {
    const client = await service.newClient();
    const [feed, work] = [await client.newEndpoint({ feed: true }), await client.newEndpoint()];
    const failed = [await sendAndRecord(client, work, FAILED), await sendAndRecord(client, work, FAILED)];
    const intake = newIntake();
    const dying: FanOutIntake = {
      accept: async (fanOut) => {
        await intake.accept(fanOut);
        throw new Error("died");
      },
    };
    await expect(newFeeds(dying).step()).rejects.toThrow("died");
    await newFeeds().step();
    expect((await reportsTo(client, feed)).map(({ data }) => data.id)).toEqual(failed.map(({ id }) => id));
  });
});
