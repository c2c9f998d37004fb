import { describe, expect, test } from "bun:test";
import { toText } from "../../src/domain/ids";
import { DEFAULT_PERMISSIONS, PERMISSIONS } from "../../src/domain/permission";
import { Client, expectError, type Json } from "./client";
import { ABSENT } from "./routes";
import { useService } from "./service";

const service = await useService();
const client = await service.newClient();

const make = (body: object, who = client): Promise<Json> => who.expecting(201, who.post("/keys", body));
const using = (key: string) => new Client(service.url, client.accountId, key);

describe("a key", () => {
  test("is shown once, and works", async () => {
    const made = await make({
      name: "mine",
      permissions: ["stats:read"],
      expires_at: "2999-12-31T23:59:59+01:00",
    });
    expect(made).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      key: expect.stringMatching(/^hmd_[\w-]{40,}$/),
      name: "mine",
      permissions: ["stats:read"],
      is_active: true,
      expires_at: "2999-12-31T22:59:59.000Z",
      created_at: expect.stringMatching(/Z$/),
      last_used_at: null,
      created_by: expect.stringMatching(/^key_[0-9a-z]{26}$/),
    });
    expect((await using(made.key).get("/stats")).status).toBe(200);
    const listed = await client.get("/keys");
    expect(listed.text).toContain(made.id);
    expect(listed.text).not.toContain(made.key);
    const { key: _, ...shown } = made;
    const { last_used_at, ...found } = listed.body.data.find(({ id }: Json) => id === made.id);
    expect({ ...found, last_used_at: null }).toEqual(shown);
  });

  test("may do everything in its account by default", async () => {
    const { permissions } = await make({});
    expect(permissions.toSorted()).toEqual([...DEFAULT_PERMISSIONS].toSorted());
  });

  test("gets each permission once", async () => {
    expect((await make({ permissions: ["stats:read", "stats:read"] })).permissions).toEqual(["stats:read"]);
  });

  test("is disabled and enabled again", async () => {
    const made = await make({});
    const statusOf = async () => (await using(made.key).get("/stats")).status;
    const off = await client.expecting(200, client.patch(`/keys/${made.id}`, { is_active: false }));
    expect(off).toMatchObject({ id: made.id, is_active: false });
    expect(await statusOf()).toBe(401);
    await client.expecting(200, client.patch(`/keys/${made.id}`, { is_active: true }));
    expect(await statusOf()).toBe(200);
  });

  test("is revoked for good", async () => {
    const made = await make({});
    expect((await using(made.key).get("/stats")).status).toBe(200);
    expect(await client.expecting(200, client.delete(`/keys/${made.id}`))).toEqual({ deleted: true });
    expect((await using(made.key).get("/stats")).status).toBe(401);
    expectError(await client.delete(`/keys/${made.id}`), 404, "NOT_FOUND");
    expectError(await client.patch(`/keys/${made.id}`, { is_active: true }), 404, "NOT_FOUND");
  });

  test.each(["key_nope", ABSENT.key, ABSENT.endpoint])("an unknown key is a 404: %s", async (id) => {
    expectError(await client.delete(`/keys/${id}`), 404, "NOT_FOUND");
    expectError(await client.patch(`/keys/${id}`, { is_active: true }), 404, "NOT_FOUND");
    expectError(await client.delete(`/admin/keys/${id}`), 404, "NOT_FOUND");
  });
});

describe("a key without every permission", () => {
  test("can't make a key with more", async () => {
    const modest = await service.newKey(client.accountId, ["keys:write", "stats:read"]);
    for (const permissions of [["admin"], ["stats:read", "webhooks:write"], [...PERMISSIONS]]) {
      expectError(await modest.post("/keys", { permissions }), 403, "FORBIDDEN");
    }
    expectError(await modest.post("/keys", {}), 403, "FORBIDDEN", "webhooks:write");
    expect((await make({ permissions: ["stats:read"] }, modest)).permissions).toEqual(["stats:read"]);
  });

  test("can't disable or revoke one with more, such as the operator's", async () => {
    const modest = await service.newKey(client.accountId, ["keys:write", "stats:read"]);
    const mightier = await make({ permissions: ["stats:read", "webhooks:read"] });
    const off = await make({ permissions: ["admin"] });
    await client.expecting(200, client.patch(`/keys/${off.id}`, { is_active: false }));
    for (const { id } of [mightier, off]) {
      for (const is_active of [false, true]) {
        expectError(
          await modest.patch(`/keys/${id}`, { is_active }),
          403,
          "FORBIDDEN",
          "permissions that it lacks",
        );
      }
      expectError(await modest.delete(`/keys/${id}`), 403, "FORBIDDEN", "permissions that it lacks");
    }
    expect((await using(mightier.key).get("/stats")).status).toBe(200);
    expect((await using(off.key).get("/admin/plans")).status).toBe(401);
    const equal = await make({ permissions: ["stats:read"] });
    await modest.expecting(200, modest.patch(`/keys/${equal.id}`, { is_active: false }));
    await modest.expecting(200, modest.delete(`/keys/${equal.id}`));
    const ops = await service.newKey(client.accountId, ["admin"]);
    await ops.expecting(200, ops.delete(`/admin/keys/${off.id}`));
  });

  test("sees and changes only its own account's keys", async () => {
    const [mine, stranger] = [await make({}), await service.newClient()];
    expect((await stranger.get("/keys")).text).not.toContain(mine.id);
    expectError(await stranger.delete(`/keys/${mine.id}`), 404, "NOT_FOUND");
    expect((await using(mine.key).get("/stats")).status).toBe(200);
  });
});

describe("administration", () => {
  const admin = () => service.admin;

  test("creates accounts, on the plan unlimited by default", async () => {
    const made = await admin().expecting(201, admin().post("/admin/accounts", { name: "Ünï" }));
    expect(made).toEqual({
      id: expect.stringMatching(/^acc_[0-9a-z]{26}$/),
      name: "Ünï",
      plan: "unlimited",
      external_id: null,
      created_at: expect.stringMatching(/Z$/),
    });
    const pro = await admin().expecting(201, admin().post("/admin/accounts", { name: "b", plan: "pro" }));
    expect(pro.plan).toBe("pro");
    expect(await admin().expecting(200, admin().get(`/admin/accounts/${made.id}`))).toEqual(made);
  });

  test("changes accounts", async () => {
    const made = await admin().expecting(201, admin().post("/admin/accounts", { name: "a" }));
    const change = (body: object) =>
      admin().expecting(200, admin().patch(`/admin/accounts/${made.id}`, body));
    expect(await change({})).toEqual(made);
    expect(await change({ plan: "starter" })).toEqual({ ...made, plan: "starter" });
    expect(await change({ name: "z" })).toEqual({ ...made, name: "z", plan: "starter" });
  });

  test("makes keys for any account, with any permission, and revokes them", async () => {
    const account = await admin().expecting(201, admin().post("/admin/accounts", { name: "a" }));
    const path = `/admin/accounts/${account.id}/keys`;
    const only = await service.newKey(admin().accountId, ["admin"]);
    const made = await only.expecting(201, only.post(path, { permissions: ["webhooks:read", "admin"] }));
    expect((await only.get(path)).body.data).toMatchObject([{ id: made.id }]);
    expect((await using(made.key).get("/webhooks")).body).toMatchObject({ total: 0 });
    expect(await only.expecting(200, only.delete(`/admin/keys/${made.id}`))).toEqual({ deleted: true });
    expect((await using(made.key).get("/webhooks")).status).toBe(401);
  });

  test("creating many keys at once does not exhaust the connections", async () => {
    const account = await admin().expecting(201, admin().post("/admin/accounts", { name: "a" }));
    const path = `/admin/accounts/${account.id}/keys`;
    const post = (i: number) => admin().post(path, {}, i % 2 ? { "idempotency-key": `many ${i}` } : {});
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => post(i)));
    expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
  });

  test.each(["acc_nope", ABSENT.account])("of the unknown account %s is a 404", async (id) => {
    expectError(await admin().get(`/admin/accounts/${id}`), 404, "NOT_FOUND");
    expectError(await admin().patch(`/admin/accounts/${id}`, {}), 404, "NOT_FOUND");
    expectError(await admin().get(`/admin/accounts/${id}/keys`), 404, "NOT_FOUND");
    expectError(await admin().post(`/admin/accounts/${id}/keys`, {}), 404, "NOT_FOUND");
  });

  test("lists the built-in plans", async () => {
    const { data } = await admin().expecting(200, admin().get("/admin/plans"));
    expect(data).toEqual(
      expect.arrayContaining([
        { name: "free", requests_per_minute: 60, webhooks_per_month: 1_000 },
        { name: "starter", requests_per_minute: 600, webhooks_per_month: 50_000 },
        { name: "pro", requests_per_minute: 6_000, webhooks_per_month: 1_000_000 },
        { name: "unlimited", requests_per_minute: null, webhooks_per_month: null },
      ]),
    );
  });

  test("creates and changes plans, which apply to their accounts", async () => {
    const put = (body: object) => admin().expecting(200, admin().put("/admin/plans/gold", body));
    const first = { requests_per_minute: 7, webhooks_per_month: null };
    expect(await put(first)).toEqual({ name: "gold", ...first });
    const customer = await service.newClient({ plan: "gold" });
    expect((await customer.get("/stats")).headers.get("ratelimit-limit")).toBe("7");
    await put({ requests_per_minute: null, webhooks_per_month: 9 });
    const answer = await customer.get("/billing/usage");
    expect(answer.headers.has("ratelimit-limit")).toBe(false);
    expect(answer.body).toMatchObject({ plan: "gold", webhooks: { limit: 9 }, requests_per_minute: null });
    const account = `/admin/accounts/${toText("acc", customer.accountId)}`;
    await admin().expecting(200, admin().patch(account, { plan: "starter" }));
    expect((await customer.get("/stats")).headers.get("ratelimit-limit")).toBe("600");
  });
});
