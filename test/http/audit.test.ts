import { describe, expect, test } from "bun:test";
import { toText } from "../../src/domain/ids";
import { Browser } from "./browser";
import { expectError, type Json } from "./client";
import { useService } from "./service";

const service = await useService();
const client = await service.newClient();
/** The key that the client has. */
const keyId: string = (await client.get("/me")).body.key_id;

async function activity(of = client, query = ""): Promise<Json[]> {
  return (await of.expecting(200, of.get(`/activity${query}`))).data;
}

const latest = async () => (await activity(client, "?limit=1"))[0];

describe("the audit log", () => {
  test("records who changed what, with the changed fields before and after", async () => {
    const { id } = await client.newEndpoint({ description: "one" });
    const request = { "x-request-id": "a-request" };
    const changed = await client.ask("PATCH", `/endpoints/${id}`, { description: "two" }, request);
    expect(changed.status).toBe(200);
    expect(await latest()).toEqual({
      id: expect.stringMatching(/^aud_/),
      at: expect.any(String),
      account_id: toText("acc", client.accountId),
      operation: "updateEndpoint",
      target: id,
      actor: { kind: "key", id: keyId, name: null, session_id: null },
      request_id: "a-request",
      before: { description: "one" },
      after: { description: "two" },
    });
  });

  test("names the created object, and the session that created it", async () => {
    const named = await client.expecting(201, client.post("/keys", { name: "Support" }));
    expect(await latest()).toMatchObject({
      operation: "createKey",
      target: named.id,
      after: { name: "Support" },
    });
    const page = await Browser.signedIn({ url: client.url, key: named.key });
    const { id } = (await page.ask("POST", "/endpoints", { url: "https://example.com" })).body;
    const { body } = await page.get("/sessions");
    const actor = { kind: "key", id: named.id, name: "Support", session_id: body.id };
    const [created, signedIn] = await activity(client, "?limit=2");
    expect(created).toMatchObject({ operation: "createEndpoint", target: id, actor });
    expect(signedIn).toMatchObject({ operation: "createSession", target: body.id, after: null });
  });

  test("contains no secret: neither keys, headers, URLs, payloads nor signing secrets", async () => {
    const secret = "s3cr3t-in-a-field";
    const fields = {
      url: `https://example.com/${secret}`,
      headers: { "x-a": secret },
      metadata: { a: secret },
    };
    const { id, signing_secret } = await client.newEndpoint(fields);
    expect((await client.patch(`/endpoints/${id}`, fields)).status).toBe(200);
    const rotated = await client.expecting(
      201,
      client.post(`/endpoints/${id}/rotate-secret`, { overlap: 60 }),
    );
    await client.expecting(201, client.post(`/endpoints/${id}/test`, { data: { secret } }));
    const made = await client.expecting(201, client.post("/keys", {}));
    const text = JSON.stringify(await activity());
    for (const each of [secret, signing_secret, rotated.signing_secret, made.key]) {
      expect(each).toBeString();
      expect(text).not.toContain(each);
    }
    expect(text).toContain('"headers":"…"');
    expect(text).toContain('"overlap":60');
  });

  test("has no refused request, no repeat of a stored answer, no dry run, no read and no send", async () => {
    const { id } = await client.newEndpoint();
    const key = { "idempotency-key": "once" };
    for (let i = 0; i < 2; i++) await client.post("/endpoints", { url: "https://example.com/once" }, key);
    const [created, before] = await activity(client, "?limit=2");
    expect([created.operation, before.operation]).toEqual(["createEndpoint", "createEndpoint"]);
    expect(before.target).toBe(id);
    expect((await client.patch(`/endpoints/${id}`, { url: 1 })).status).toBe(400);
    expect((await client.delete("/endpoints/ep_none")).status).toBe(404);
    const count = { filter: { status: "failed" }, dry_run: true };
    await client.expecting(200, client.post("/webhooks/resend", count));
    await client.send(id);
    await client.get(`/endpoints/${id}`);
    expect((await latest()).id).toBe(created.id);
  });

  test("shows an account the changes by administrators, under their key's name", async () => {
    const { admin } = service;
    const adminKey = (await admin.get("/me")).body.key_id;
    const id = toText("acc", client.accountId);
    expect((await admin.patch(`/admin/accounts/${id}`, { name: "renamed" })).status).toBe(200);
    expect(await latest()).toMatchObject({
      operation: "updateAccount",
      actor: { id: adminKey },
      before: { name: "test" },
      after: { name: "renamed" },
    });
    const acting = { "hermod-account": id };
    expect((await admin.post("/endpoints", { url: "https://example.com" }, acting)).status).toBe(201);
    expect(await latest()).toMatchObject({ operation: "createEndpoint", actor: { id: adminKey } });
  });

  test("shows an account only its own entries, and administrators all", async () => {
    const other = await service.newClient();
    await other.newEndpoint();
    expect((await activity(other)).length).toBe(1);
    expect((await activity()).every(({ account_id }) => account_id === toText("acc", client.accountId))).toBe(
      true,
    );
    const all = (await service.admin.get("/admin/audit?limit=100")).body.data;
    const accounts = new Set(all.map((entry: Json) => entry.account_id));
    expect(accounts).toContain(toText("acc", other.accountId));
    const id = toText("acc", other.accountId);
    const own = `?account_id=${id}`;
    await service.admin.expecting(
      200,
      service.admin.patch(`/admin/accounts/${id}`, { external_id: "audited" }),
    );
    for (const query of [own, `?account=${id}`, "?account=audited", "?account=~audited"])
      expect((await service.admin.get(`/admin/audit${query}&operation=createEndpoint`)).body.data).toEqual([
        expect.objectContaining({ account_id: id }),
      ]);
    for (const query of [`${own}&account=${id}`, "?account=nobody"])
      expectError(await service.admin.get(`/admin/audit${query}`), 400, "BAD_REQUEST", "account");
    expectError(await client.get(`/activity${own}`), 400, "BAD_REQUEST", "account_id");
  });

  test("is filtered by key, operation and time, and read page by page", async () => {
    const key = await service.newKey(client.accountId, ["endpoints:write"]);
    const id = (await key.get("/me")).body.key_id;
    for (let i = 0; i < 3; i++) await key.newEndpoint();
    const query = `key_id=${id}&operation=createEndpoint`;
    const first = (await client.get(`/activity?limit=2&${query}`)).body;
    const second = (await client.get(`/activity?limit=2&${query}&cursor=${first.cursor}`)).body;
    expect([first.data.length, second.data.length, second.cursor]).toEqual([2, 1, null]);
    const [{ at }] = first.data;
    const earlier = [...first.data, ...second.data].filter((entry) => entry.at < at);
    expect(await activity(client, `?${query}&before=${at}`)).toEqual(earlier);
    expect(await activity(client, `?${query}&after=${second.data[0].at}`)).toHaveLength(3);
    expect(await activity(client, `?${query}&after=2999-01-01`)).toEqual([]);
    expect(await activity(client, "?person=nobody")).toEqual([]);
    expect(await activity(client, `?target=${second.data[0].target}`)).toEqual(second.data);
    expectError(await client.get("/activity?key_id=none"), 400, "BAD_REQUEST", "key_id");
    for (const operation of ["createEndpont", "sendWebhook", "listEndpoints"])
      expectError(
        await client.get(`/activity?operation=${operation}`),
        400,
        "BAD_REQUEST",
        /operation must be one of .*createEndpoint, .*updateEndpoint/,
      );
  });

  test("deletes entries older than its retention", async () => {
    const { auditLog, clock } = service.dependencies;
    const other = await service.newClient();
    await other.newEndpoint();
    await auditLog.deleteExpired(clock.now(), 60_000);
    expect(await activity(other)).toHaveLength(1);
    await auditLog.deleteExpired(clock.now() + 60_001, 60_000);
    expect(await activity(other)).toEqual([]);
  });

  test("fails no change if it can't be written", async () => {
    const { auditLog } = service.dependencies;
    const { write } = auditLog;
    auditLog.write = async () => {
      throw new Error("away");
    };
    expect((await service.admin.post("/admin/accounts", { name: "x" })).status).toBe(201);
    auditLog.write = write.bind(auditLog);
  });
});
