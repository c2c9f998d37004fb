import { describe, expect, setSystemTime, test } from "bun:test";
import { deleteExpiredIdempotencyKeys } from "../../src/api/idempotency/expiry";
import { type Effect, Idempotency } from "../../src/api/idempotency/idempotency";
import { MODELLED } from "../../src/api/json/json-text";
import { RequestBody } from "../../src/api/json/request-body";
import { Posting } from "../../src/api/posting";
import { Client, expectError, type Json } from "./client";
import { startTestService, useService } from "./service";

const service = await useService();
const client = await service.newClient();
const endpointId: string = (await client.newEndpoint()).id;
const accountId: string = (await client.expecting(201, client.post("/admin/accounts", { name: "x" }))).id;

let made = 0;
const freshKey = () => `key ${++made} ~!"#$%`;
const withKey = (key: string) => ({ "idempotency-key": key });

type Post = { path: () => string; body: () => object; other: () => object };
const POSTS: [string, Post][] = [
  [
    "/endpoints",
    {
      path: () => "/endpoints",
      body: () => ({ url: "https://example.com/a" }),
      other: () => ({ url: "https://example.com/b" }),
    },
  ],
  [
    "/webhooks",
    {
      path: () => "/webhooks",
      body: () => ({ endpoint_id: endpointId, event: "a", data: {} }),
      other: () => ({ endpoint_id: endpointId, event: "b", data: {} }),
    },
  ],
  [
    "/endpoints/:id/rotate-secret",
    {
      path: () => `/endpoints/${endpointId}/rotate-secret`,
      body: () => ({ overlap: 60 }),
      other: () => ({ overlap: 61 }),
    },
  ],
  ["/keys", { path: () => "/keys", body: () => ({ name: "a" }), other: () => ({ name: "b" }) }],
  [
    "/admin/accounts",
    { path: () => "/admin/accounts", body: () => ({ name: "a" }), other: () => ({ name: "b" }) },
  ],
  [
    "/admin/accounts/:id/keys",
    {
      path: () => `/admin/accounts/${accountId}/keys`,
      body: () => ({ name: "a" }),
      other: () => ({ name: "b" }),
    },
  ],
];

async function ageKeys(by: string): Promise<void> {
  const { db } = service.database;
  await db.run((sql) => sql`update idempotency_keys set created_at = created_at - ${by}::text::interval`);
}

describe.each(POSTS)("POST %s with a key", (_, { path, body, other }) => {
  test("twice is done once and answered alike", async () => {
    const key = freshKey();
    const first = await client.post(path(), body(), withKey(key));
    const second = await client.post(path(), body(), withKey(key));
    expect(first.status).toBe(201);
    expect(first.headers.has("idempotency-replayed")).toBe(false);
    expect(second).toMatchObject({ status: 201, text: first.text });
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(second.headers.get("content-type")).toBe("application/json");
  });

  test("with another body is a 409, and the first result stays", async () => {
    const key = freshKey();
    const first = await client.post(path(), body(), withKey(key));
    expectError(await client.post(path(), other(), withKey(key)), 409, "CONFLICT", "Idempotency-Key");
    expect((await client.post(path(), body(), withKey(key))).text).toBe(first.text);
  });

  test("from another account is another request", async () => {
    const [key, stranger] = [freshKey(), await service.newClient()];
    const mine = await client.post(path(), body(), withKey(key));
    const theirs = await stranger.post(path(), body(), withKey(key));
    expect(theirs.text).not.toBe(mine.text);
    expect(theirs.headers.has("idempotency-replayed")).toBe(false);
  });

  test("many times at once is done once", async () => {
    const key = freshKey();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.post(path(), body(), withKey(key))),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    expect(answers.filter(({ headers }) => !headers.has("idempotency-replayed"))).toHaveLength(1);
  });

  test("at once with different bodies is done once, and otherwise a 409", async () => {
    const key = freshKey();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => client.post(path(), i % 2 ? body() : other(), withKey(key))),
    );
    const texts = answers.flatMap(({ status, text }) => (status === 201 ? [text] : []));
    expect(new Set(texts).size).toBe(1);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      ...Array(5).fill(201),
      ...Array(5).fill(409),
    ]);
  });

  test("that was refused leaves the key free", async () => {
    const key = freshKey();
    expect((await client.post(path(), { name: 1, overlap: -1 }, withKey(key))).status).toBe(400);
    const answer = await client.post(path(), body(), withKey(key));
    expect(answer.status).toBe(201);
    expect(answer.headers.has("idempotency-replayed")).toBe(false);
  });

  test("keeps it for 24 hours and no longer", async () => {
    const key = freshKey();
    const first = await client.post(path(), body(), withKey(key));
    await ageKeys("23 hours 59 minutes");
    expect((await client.post(path(), body(), withKey(key))).text).toBe(first.text);
    await ageKeys("1 minute");
    const later = await client.post(path(), other(), withKey(key));
    expect(later.status).toBe(201);
    expect(later.text).not.toBe(first.text);
    expect((await client.post(path(), other(), withKey(key))).text).toBe(later.text);
  });
});

test("a key belongs to one request, whatever the path", async () => {
  const key = freshKey();
  const body = { name: "x" };
  expect((await client.post("/keys", body, withKey(key))).status).toBe(201);
  expectError(await client.post("/admin/accounts", body, withKey(key)), 409, "CONFLICT");
  const send = { endpoint_id: endpointId, data: {} };
  expectError(await client.post("/webhooks", send, withKey(key)), 409, "CONFLICT");
  const sent = freshKey();
  expect((await client.post("/webhooks", send, withKey(sent))).status).toBe(201);
  expectError(await client.post("/keys", body, withKey(sent)), 409, "CONFLICT");
});

test("a key has 1 to 255 characters", async () => {
  for (const key of ["!", "x".repeat(255)]) {
    expect((await client.post("/keys", {}, withKey(key))).status).toBe(201);
  }
});

test("a secret that is stored for a replay is sealed", async () => {
  const key = freshKey();
  const { signing_secret, id } = await client.expecting(
    201,
    client.post("/endpoints", { url: "https://example.com" }, withKey(key)),
  );
  const rows = await service.database.db.run(
    (sql) => sql<{ response: string }[]>`select response from idempotency_keys where key = ${key}`,
  );
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(signing_secret);
  expect(JSON.stringify(rows)).not.toContain(id);
});

test("an answer is replayed although the endpoint is gone and the limit reached", async () => {
  await service.dependencies.plans.put("one", { requestsPerMinute: null, webhooksPerMonth: 1 });
  const small = await service.newClient({ plan: "one" });
  const endpoint = await small.newEndpoint();
  const body = { endpoint_id: endpoint.id, data: {} };
  const first = await small.post("/webhooks", body, withKey("k"));
  expect((await small.post("/webhooks", body, withKey("k2"))).status).toBe(403);
  expect(await small.post("/webhooks", body, withKey("k"))).toMatchObject({ status: 201, text: first.text });
  await small.delete(`/endpoints/${endpoint.id}`);
  expect(await small.post("/webhooks", body, withKey("k"))).toMatchObject({ status: 201, text: first.text });
});

test("an answer is replayed although the request would now be refused", async () => {
  const expires_at = new Date(Date.now() + 60_000).toISOString();
  const first = await client.post("/keys", { expires_at }, withKey("soon over"));
  expect(first.status).toBe(201);
  setSystemTime(Date.now() + 60_000);
  try {
    expectError(await client.post("/keys", { expires_at }), 400, "BAD_REQUEST", "expires_at");
    expect(await client.post("/keys", { expires_at }, withKey("soon over"))).toMatchObject({
      text: first.text,
    });
  } finally {
    setSystemTime();
  }
});

test("an excluded send is replayed as it was", async () => {
  const endpoint = await client.newEndpoint({ event_filter: "x" });
  const send = () =>
    client.post("/webhooks", { endpoint_id: endpoint.id, event: "y", data: {} }, withKey("filtered"));
  const first: Json = (await send()).body;
  expect(first).toMatchObject({ status: "cancelled", cancel_reason: "event_filter" });
  expect((await send()).body).toEqual(first);
});

test("of two equal requests at once the second is tried if the first is refused; two accounts' requests are separate", async () => {
  const idempotency = new Idempotency(service.database.db, service.dependencies.vault);
  const stranger = await service.newClient();
  const ask = ({ accountId }: Client, effect: Effect) =>
    idempotency.once({ accountId, key: "twins", fingerprint: new Uint8Array(32) }, effect);
  const answers = await Promise.allSettled([
    ask(client, () => Promise.reject(new Error("refused"))),
    ask(client, async () => ({ status: 201, json: "mine" })),
    ask(stranger, async () => ({ status: 201, json: "theirs" })),
  ]);
  expect(answers).toMatchObject([
    { status: "rejected", reason: { message: "refused" } },
    { value: { json: "mine", replayed: false } },
    { value: { json: "theirs", replayed: false } },
  ]);
});

test.each([
  ["without a key", {}],
  ["with one", withKey("again")],
])("a deadlock is retried %s", async (_, headers) => {
  const { db } = service.database;
  const posting = new Posting(db, new Idempotency(db, service.dependencies.vault));
  const principal = {
    accountId: client.accountId,
    keyId: null,
    endpointId: null,
    vouched: null,
    session: null,
    permissions: new Set<never>(),
    expiresAt: null,
    plan: "",
    requestsPerMinute: null,
    isMoving: false,
  };
  const allowance = { allowed: true, limit: null, remaining: null, resetSeconds: 0, retryAfterSeconds: 0 };
  let tries = 0;
  const effect: Effect = async () => {
    if (++tries === 1) throw Object.assign(new Error("deadlock detected"), { code: "40P01" });
    return { status: 201, json: "{}" };
  };
  const request = new Request("http://localhost/v1/x", { method: "POST", body: "{}", headers });
  expect(
    (
      await posting.handle(
        {
          principal,
          allowance,
          body: new RequestBody(new Uint8Array(), MODELLED),
          hops: 0,
          isStillAllowed: async () => true,
        },
        request,
        () => effect,
      )
    ).status,
  ).toBe(201);
  expect(tries).toBe(2);
});

describe("two processes", () => {
  test.each(POSTS)("do a POST %s with a key once", async (_, { path, body, other }) => {
    const second = await startTestService({ beside: service });
    try {
      const key = freshKey();
      const there = new Client(second.url, client.accountId, client.key);
      const ask = (i: number, fields: object) => (i % 2 ? client : there).post(path(), fields, withKey(key));
      const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => ask(i, body())));
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers.filter(({ headers }) => !headers.has("idempotency-replayed"))).toHaveLength(1);
      expectError(await ask(0, other()), 409, "CONFLICT");
      expectError(await ask(1, other()), 409, "CONFLICT");
    } finally {
      await second.stop();
    }
  });
});

test("an answer is replayed although a newer schema refuses the data", async () => {
  const body = { endpoint_id: endpointId, event: "later.described", data: { a: 1 } };
  const first = await client.post("/webhooks", body, withKey("early"));
  const schema = { type: "object", required: ["b"] };
  await client.expecting(200, client.put("/event-types/later.described/schema", { schema }));
  expectError(await client.post("/webhooks", body, withKey("late")), 400, "BAD_REQUEST", "b");
  const again = await client.post("/webhooks", body, withKey("early"));
  expect(again).toMatchObject({ status: 201, text: first.text });
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  const other = { ...body, data: { a: 2 } };
  expectError(await client.post("/webhooks", other, withKey("early")), 400, "BAD_REQUEST", "b");
});

test("expired keys are deleted, others stay", async () => {
  const { db } = service.database;
  const countKeys = async () => (await db.run((sql) => sql`select from idempotency_keys`)).count;
  await ageKeys("25 hours");
  const old = await countKeys();
  await client.post("/keys", {}, withKey(freshKey()));
  expect(old).toBeGreaterThan(5);
  expect(await deleteExpiredIdempotencyKeys(db)).toBe(old);
  expect(await countKeys()).toBe(1);
  // More than one statement deletes, all of the same moment.
  await db.run(
    (sql) => sql`
      insert into idempotency_keys (account_id, key, fingerprint, created_at)
      select ${client.accountId}, 'old ' || n, '', now() - interval '25 hours' from generate_series(1, 2500) n`,
  );
  expect(await deleteExpiredIdempotencyKeys(db)).toBe(2_500);
  expect(await deleteExpiredIdempotencyKeys(db)).toBe(0);
});

test("a key that was just found taken is not deleted before its answer is read", async () => {
  const { db } = service.database;
  await db.run((sql) => sql`delete from idempotency_keys`);
  await client.post("/keys", {}, withKey(freshKey()));
  await ageKeys("24 hours 30 seconds");
  expect(await deleteExpiredIdempotencyKeys(db)).toBe(0);
  await ageKeys("1 minute");
  expect(await deleteExpiredIdempotencyKeys(db)).toBe(1);
});

test("a process whose clock is ahead deletes no key whose day is not over", async () => {
  const { db } = service.database;
  const key = freshKey();
  const first = await client.post("/keys", {}, withKey(key));
  await ageKeys("23 hours");
  setSystemTime(Date.now() + 2 * 3_600_000);
  await deleteExpiredIdempotencyKeys(db).finally(() => setSystemTime());
  expect((await client.post("/keys", {}, withKey(key))).text).toBe(first.text);
});
