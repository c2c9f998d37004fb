import { expect, test } from "bun:test";
import { SignJWT } from "jose";
import { type ApiKey, ApiKeys, type NewApiKey } from "../../src/accounts/api-keys";
import { fromText, type KeyId, toText } from "../../src/domain/ids";
import { PERMISSIONS } from "../../src/domain/permission";
import { Client, expectError, type Json } from "../http/client";
import { JWT_SECRET, startTestService, useService } from "../http/service";
import { untilBlocked } from "../support/blocked";

const service = await useService();
const client = await service.newClient();

const MIGHT = ["keys:write", "stats:read"] as const;
const inSeconds = (seconds: number) => Date.now() + seconds * 1_000;
const holding = (key: string) => new Client(service.url, client.accountId, key);

/** Makes a new key of `maker`, and a client that uses it. */
async function make(maker: Client, body: object = { permissions: MIGHT }, path = "/keys") {
  const made: Json = await maker.expecting(201, maker.post(path, body));
  return { id: made.id as string, made, client: holding(made.key) };
}

const worksFor = async (each: { client: Client }) => (await each.client.get("/stats")).status === 200;
const isOn = async (id: string): Promise<boolean> =>
  (await client.get("/keys")).body.data.find((each: Json) => each.id === id)?.is_active;

function jwtFor(seconds: number, permissions: readonly string[] = PERMISSIONS): Promise<string> {
  return new SignJWT({ account_id: toText("acc", client.accountId), permissions })
    .setProtectedHeader({ alg: "HS256" })
    .setExpirationTime(`${seconds}s`)
    .sign(new TextEncoder().encode(JWT_SECRET));
}

/** Works on the same database like another process, which has cached its keys. */
const elsewhere = () => startTestService({ beside: service });

test("an expiring key makes only keys that expire with it, whatever is requested", async () => {
  const end = inSeconds(8);
  const maker = await service.newKey(client.accountId, PERMISSIONS, end);
  const own = toText("acc", client.accountId);
  for (const path of ["/keys", `/admin/accounts/${own}/keys`]) {
    for (const expires_at of [undefined, "2999-01-01T00:00:00Z", new Date(end + 1).toISOString()]) {
      const { made } = await make(maker, { permissions: MIGHT, expires_at }, path);
      expect({ path, expires_at: made.expires_at }).toEqual({
        path,
        expires_at: new Date(end).toISOString(),
      });
    }
    const earlier = new Date(end - 1_000).toISOString();
    expect((await make(maker, { permissions: MIGHT, expires_at: earlier }, path)).made.expires_at).toBe(
      earlier,
    );
  }
});

test("a key expires with the first of its line of makers", async () => {
  const end = inSeconds(60);
  const maker = await service.newKey(client.accountId, PERMISSIONS, end);
  const child = await make(maker);
  expect((await make(child.client)).made.expires_at).toBe(new Date(end).toISOString());
});

test("the maker is recorded, and shown", async () => {
  const maker = await make(client);
  const child = await make(maker.client);
  expect(child.made.created_by).toBe(maker.id);
  const listed = (await client.get("/keys")).body.data;
  expect(listed.find(({ id }: Json) => id === child.id).created_by).toBe(maker.id);
});

test.each(["/keys", "/admin/keys"])(
  "DELETE %s/:id revokes the key's descendants, and no other key",
  async (path) => {
    const maker = await make(client);
    const child = await make(maker.client);
    const grandchild = await make(child.client);
    const sibling = await make(client);
    await client.expecting(200, client.delete(`${path}/${maker.id}`));
    for (const each of [maker, child, grandchild]) {
      expect(await worksFor(each)).toBe(false);
      expectError(await client.patch(`/keys/${each.id}`, { is_active: true }), 404, "NOT_FOUND");
    }
    expect(await worksFor(sibling)).toBe(true);
  },
);

test("an administrator's keys for customers outlive the administrator's key; further administrators do not", async () => {
  const admin = await service.newKey((await service.newClient()).accountId, PERMISSIONS, inSeconds(60));
  const { id } = (await admin.get("/keys")).body.data.find(({ expires_at }: Json) => expires_at !== null);
  const path = `/admin/accounts/${toText("acc", client.accountId)}/keys`;
  const customers = await make(admin, { permissions: MIGHT }, path);
  const child = await make(customers.client);
  const further = await make(admin, { permissions: ["admin", ...MIGHT] }, path);
  const everywhere = await make(admin, { permissions: ["accounts:act", "endpoints:read"] }, path);
  const lasting = await make(further.client, { permissions: MIGHT });
  const shown = (each: { made: Json }) => [each.made.created_by, each.made.expires_at];
  expect(shown(customers)).toEqual([null, null]);
  expect(shown(further)).toEqual([id, expect.any(String)]);
  expect(shown(everywhere)).toEqual([id, expect.any(String)]);
  await service.admin.expecting(200, service.admin.delete(`/admin/keys/${id}`));
  expect([await worksFor(customers), await worksFor(child)]).toEqual([true, true]);
  expect([await worksFor(further), await worksFor(lasting)]).toEqual([false, false]);
});

test("disabling a key disables its descendants; enabling it enables only itself", async () => {
  const maker = await make(client);
  const child = await make(maker.client);
  const grandchild = await make(child.client);
  await client.expecting(200, client.patch(`/keys/${maker.id}`, { is_active: false }));
  for (const each of [maker, child, grandchild]) expect(await worksFor(each)).toBe(false);
  await client.expecting(200, client.patch(`/keys/${maker.id}`, { is_active: true }));
  expect([await worksFor(maker), await worksFor(child), await worksFor(grandchild)]).toEqual([
    true,
    false,
    false,
  ]);
});

test("a JWT makes no key at all, and cannot read one that was made", async () => {
  const jwt = holding(await jwtFor(20));
  const header = { "idempotency-key": crypto.randomUUID() };
  const body = { permissions: MIGHT };
  await client.expecting(201, client.post("/keys", body, header));
  const account = toText("acc", client.accountId);
  for (const path of ["/keys", `/admin/accounts/${account}/keys`]) {
    const before = (await client.get("/keys")).body.data.length;
    for (const headers of [header, {}]) {
      expectError(await jwt.post(path, body, headers), 403, "FORBIDDEN", "A JWT can't create keys");
    }
    expect((await client.get("/keys")).body.data).toHaveLength(before);
  }
});

test("an expiring key can't enable a key that does not expire", async () => {
  const [endless, long] = [
    await make(client),
    await make(client, { permissions: MIGHT, expires_at: "2999-01-01" }),
  ];
  const short = await make(client, { permissions: MIGHT, expires_at: new Date(inSeconds(8)).toISOString() });
  for (const { id } of [endless, long, short]) await client.patch(`/keys/${id}`, { is_active: false });
  const ending = [
    await service.newKey(client.accountId, MIGHT, inSeconds(20)),
    holding(await jwtFor(20, MIGHT)),
  ];
  for (const credential of ending) {
    for (const { id } of [endless, long]) {
      expectError(await credential.patch(`/keys/${id}`, { is_active: true }), 403, "FORBIDDEN", "ends later");
      expect(await isOn(id)).toBe(false);
    }
    await client.expecting(200, credential.patch(`/keys/${short.id}`, { is_active: true }));
    await client.expecting(200, credential.patch(`/keys/${short.id}`, { is_active: false }));
  }
});

test("an Idempotency-Key returns a key's text only to its maker", async () => {
  const body = { permissions: MIGHT };
  const equal = await make(client, { permissions: PERMISSIONS });
  const account = toText("acc", client.accountId);
  for (const path of ["/keys", `/admin/accounts/${account}/keys`]) {
    const header = { "idempotency-key": crypto.randomUUID() };
    const { key } = await client.expecting(201, client.post(path, body, header));
    expect((await client.expecting(201, client.post(path, body, header))).key).toBe(key);
    const ending = await service.newKey(client.accountId, PERMISSIONS, inSeconds(20));
    for (const other of [equal.client, ending]) {
      const answer = await other.post(path, body, header);
      expectError(answer, 409, "CONFLICT", "another API key");
      expect(answer.text).not.toContain(key);
    }
  }
});

test("an Idempotency-Key returns a signing secret only to the key that got it first", async () => {
  const other = (await make(client, { permissions: ["endpoints:write"] })).client;
  const jwt = holding(await jwtFor(20));
  const { id } = await client.newEndpoint();
  const requests: [string, object][] = [
    ["/endpoints", { url: "https://example.com" }],
    [`/endpoints/${id}/rotate-secret`, {}],
  ];
  for (const [path, body] of requests) {
    const header = { "idempotency-key": crypto.randomUUID() };
    const { signing_secret } = await client.expecting(201, client.post(path, body, header));
    expect((await client.expecting(201, client.post(path, body, header))).signing_secret).toBe(
      signing_secret,
    );
    for (const each of [other, jwt]) {
      const answer = await each.post(path, body, header);
      expectError(answer, 409, "CONFLICT", "another API key");
      expect(answer.text).not.toContain(signing_secret);
    }
  }
});

test("a key that another process has cached changes nothing any more", async () => {
  const other = await elsewhere();
  try {
    const revoked = await make(client);
    const disabled = await make(client);
    const there = [revoked, disabled].map(({ made }) => new Client(other.url, client.accountId, made.key));
    for (const each of there) expect((await each.get("/stats")).status).toBe(200);
    await client.expecting(200, client.delete(`/keys/${revoked.id}`));
    await client.expecting(200, client.patch(`/keys/${disabled.id}`, { is_active: false }));
    const bystander = await make(client);
    for (const each of there) {
      expect((await each.get("/stats")).status).toBe(200);
      expectError(await each.post("/keys", { permissions: MIGHT }), 401, "UNAUTHORIZED");
      expectError(await each.patch(`/keys/${disabled.id}`, { is_active: true }), 401, "UNAUTHORIZED");
      expectError(await each.delete(`/keys/${bystander.id}`), 401, "UNAUTHORIZED");
    }
    expect(await isOn(disabled.id)).toBe(false);
    expect(await worksFor(bystander)).toBe(true);
  } finally {
    await other.stop();
  }
});

test("keys that are being made while their line is disabled or revoked do not escape", async () => {
  const keys = new ApiKeys(service.database.db);
  const wanted: NewApiKey = { name: null, permissions: MIGHT, expiresAt: null };
  for (const end of ["disable", "revoke"] as const) {
    const maker = idOf((await make(client)).id);
    const child = await newChild(keys, maker, wanted);
    const made: ApiKey[] = [];
    const isMade = Promise.withResolvers<void>();
    const mayCommit = Promise.withResolvers<void>();
    const making = service.database.db.transaction(async (sql) => {
      made.push((await keys.create(sql, client.accountId, wanted, child.id)).record);
      isMade.resolve();
      await mayCommit.promise;
    });
    await isMade.promise;
    const ending = keys[end](client.accountId, maker, null);
    await untilBlocked(service.database.db);
    mayCommit.resolve();
    await Promise.all([making, ending]);
    const left = await keys.page(client.accountId, { limit: 1_000 });
    const works = left.filter(({ isActive }) => isActive).map(({ id }) => id);
    for (const { id } of [child, ...made]) expect(works).not.toContain(id);
  }
});

test("an account's keys are limited, so that a long line can be revoked at once", async () => {
  const other = await service.newClient();
  const { db } = service.database;
  // The one it has, and 999 that descend from each other.
  await db.run(
    (sql) => sql`
      insert into api_keys (id, account_id, hash, permissions, created_by)
      select lpad(to_hex(n), 32, '0')::uuid, ${other.accountId}, sha256(n::text::bytea), '{}',
        case when n > 1 then lpad(to_hex(n - 1), 32, '0')::uuid end
      from generate_series(1, 999) n
    `,
  );
  expectError(
    await other.post("/keys", { permissions: MIGHT }),
    409,
    "CONFLICT",
    "its limit of 1000 API keys",
  );
  const first = toText("key", "00000000-0000-0000-0000-000000000001" as KeyId);
  await other.expecting(200, other.patch(`/keys/${first}`, { is_active: false }));
  expect((await other.get("/keys")).body.data.filter((each: Json) => each.is_active)).toHaveLength(1);
  await other.expecting(200, other.delete(`/keys/${first}`));
  expect((await other.get("/keys")).body.data).toHaveLength(1);
});

function idOf(text: string): KeyId {
  const id = fromText("key", text);
  if (id === null) throw new Error(`${text} is no key`);
  return id;
}

function newChild(keys: ApiKeys, maker: KeyId, wanted: NewApiKey): Promise<ApiKey> {
  const create = service.database.db.transaction((sql) => keys.create(sql, client.accountId, wanted, maker));
  return create.then(({ record }) => record);
}
