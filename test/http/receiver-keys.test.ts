import { describe, expect, test } from "bun:test";
import { RECEIVER_KEYS } from "../../src/domain/receiver-key";
import { answerOf, Client, expectError, type Json } from "./client";
import { newPortalSession } from "./portal-session";
import { ABSENT, nameOf, ROUTES } from "./routes";
import { useService } from "./service";

const service = await useService();
const client = await service.newClient();
const endpoint: Json = await client.newEndpoint();

const pathOf = (id: string = endpoint.id) => `/endpoints/${id}/receiver-keys`;
const make = (body: object = {}, id: string = endpoint.id): Promise<Json> =>
  client.expecting(201, client.post(pathOf(id), body));
const using = (key: string) => new Client(service.url, client.accountId, key);
/** 401: the key does not work. 403: it works, and reads no endpoints. */
const isKnown = async (key: string) => (await using(key).get("/endpoints")).status === 403;

describe("a receiver key", () => {
  test("is shown once, stored as a hash, and listed by its endpoint alone", async () => {
    const made = await make({ name: "Warehouse" });
    expect(made).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      key: expect.stringMatching(/^rcv_[\w-]{49}$/),
      name: "Warehouse",
      created_at: expect.stringMatching(/Z$/),
      last_used_at: null,
    });
    const { key, ...shown } = made;
    const listed = await client.get(pathOf());
    expect(listed.body.data).toContainEqual(shown);
    expect(listed.text).not.toContain(key);
    const { id } = await client.newEndpoint();
    expect(await client.expecting(200, client.get(pathOf(id)))).toEqual({ data: [] });
    expect((await client.get("/keys")).text).not.toContain(made.id);
    const [row] = await service.database.db.run(
      (sql) => sql`select string_agg(k::text, '') as text from api_keys k`,
    );
    expect(row?.text).not.toContain(key);
  });

  test.each(ROUTES.filter(({ spec }) => !spec.forReceivers).map((route) => [nameOf(route), route] as const))(
    "may not do %s",
    async (_, { method, template, spec }) => {
      const { key } = await own();
      const path = template.replace("{id}", endpoint.id).replace(/\{\w+\}/g, ABSENT.key);
      const body = method === "GET" || method === "DELETE" ? undefined : (spec.body?.example ?? {});
      expectError(await using(key).ask(method, path, body), 403, "FORBIDDEN", "receiver key");
    },
  );

  test("may not act for another account", async () => {
    const { key } = await own();
    const answer = await using(key).get("/endpoints", { "hermod-account": "default" });
    expectError(answer, 403, "FORBIDDEN");
  });

  test("stays when the key that created it ends, and ends when it is revoked", async () => {
    const { id: makerId, key: maker } = await client.expecting(201, client.post("/keys", {}));
    const made = await using(maker).expecting(201, using(maker).post(pathOf(), {}));
    await client.expecting(200, client.delete(`/keys/${makerId}`));
    expect(await isKnown(made.key)).toBe(true);
    expectError(await client.delete(`/keys/${made.id}`), 404, "NOT_FOUND");
    expectError(await client.patch(`/keys/${made.id}`, { is_active: false }), 404, "NOT_FOUND");
    const { id: other } = await client.newEndpoint();
    expectError(await client.delete(`${pathOf(other)}/${made.id}`), 404, "NOT_FOUND");
    await client.expecting(200, client.delete(`${pathOf()}/${made.id}`));
    expect(await isKnown(made.key)).toBe(false);
    expectError(await client.delete(`${pathOf()}/${made.id}`), 404, "NOT_FOUND");
  });

  test("ends with its endpoint", async () => {
    const { id } = await client.newEndpoint();
    const { key } = await make({}, id);
    await client.expecting(200, client.delete(`/endpoints/${id}`));
    service.dependencies.authenticator.forget();
    expect(await isKnown(key)).toBe(false);
    expectError(await client.post(pathOf(id), {}), 404, "NOT_FOUND");
    const [row] = await service.database.db.run(
      (sql) => sql`select count(*)::int as count from api_keys where endpoint_id is not null
        and endpoint_id in (select id from endpoints where deleted_at is not null)`,
    );
    expect(row?.count).toBe(0);
  });

  test("is one of few: one more is a 409, also when many are made at once", async () => {
    const { id } = await client.newEndpoint();
    const more = RECEIVER_KEYS.most + 3;
    const answers = await Promise.all(Array.from({ length: more }, () => client.post(pathOf(id), {})));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(RECEIVER_KEYS.most);
    expectError(await client.post(pathOf(id), {}), 409, "CONFLICT", "20 receiver keys");
  });

  test("is made once for an Idempotency-Key, and shown again to the same key alone", async () => {
    const once = { "idempotency-key": "a receiver" };
    const first = await client.post(pathOf(), {}, once);
    const again = await client.post(pathOf(), {}, once);
    expect(again.body).toEqual(first.body);
    const other = await service.newKey(client.accountId, ["endpoints:write"]);
    expectError(await other.post(pathOf(), {}, once), 409, "CONFLICT");
  });

  test("belongs to no endpoint of another account", async () => {
    const stranger = await service.newClient();
    const { id } = await make();
    for (const answer of [
      await stranger.get(pathOf()),
      await stranger.post(pathOf(), {}),
      await stranger.delete(`${pathOf()}/${id}`),
    ])
      expectError(answer, 404, "NOT_FOUND");
  });

  test("needs an administrator for a feed about other accounts", async () => {
    const { admin } = service;
    const made = { url: "https://example.com", feed: true, feed_accounts: ["*"] };
    const { id } = await admin.expecting(201, admin.post("/endpoints", made));
    const writer = await service.newKey(admin.accountId, ["endpoints:write"]);
    expectError(await writer.post(pathOf(id), {}), 403, "FORBIDDEN", "admin");
    const { id: keyId } = await admin.expecting(201, admin.post(pathOf(id), {}));
    expectError(await writer.delete(`${pathOf(id)}/${keyId}`), 403, "FORBIDDEN", "admin");
  });

  test("is in the audit log, made and revoked", async () => {
    const { id } = await make({ name: "Audited" });
    await client.expecting(200, client.delete(`${pathOf()}/${id}`));
    const { data } = await client.expecting(200, client.get("/activity?limit=2"));
    expect(data).toMatchObject([
      { operation: "deleteReceiverKey", target: id, after: null },
      { operation: "createReceiverKey", target: endpoint.id, after: { name: "Audited" } },
    ]);
  });
});

describe("in the portal, a receiver key", () => {
  const sessionOf = async (body: object) => {
    const headers = await newPortalSession(service, client, body);
    return async (method: string, path: string, sent?: object) =>
      answerOf(
        await fetch(`${service.url}/v1${path}`, {
          method,
          headers,
          ...(sent && { body: JSON.stringify(sent) }),
        }),
      );
  };
  const capabilities = ["view", "manage_endpoints", "view_payloads"];

  test("is made, listed and revoked for the session's endpoints", async () => {
    const { id } = await client.newEndpoint();
    const ask = await sessionOf({ capabilities, endpoint_ids: [id] });
    const made = await ask("POST", pathOf(id), { name: "Mine" });
    expect(made.status).toBe(201);
    expect(await isKnown(made.body.key)).toBe(true);
    expect((await ask("GET", pathOf(id))).body.data).toHaveLength(1);
    expect((await ask("DELETE", `${pathOf(id)}/${made.body.id}`)).status).toBe(200);
    expect(await isKnown(made.body.key)).toBe(false);
    expectError(await ask("POST", pathOf(), {}), 404, "NOT_FOUND");
  });

  test("needs a session that sees all payloads", async () => {
    const { id } = await client.newEndpoint();
    const blind = await sessionOf({ capabilities: ["view", "manage_endpoints"] });
    expectError(await blind("POST", pathOf(id), {}), 403, "FORBIDDEN", "view_payloads");
    const bounded = await sessionOf({ capabilities, event_types: ["order.*"] });
    expectError(await bounded("POST", pathOf(id), {}), 403, "FORBIDDEN", "event_types");
  });
});

/** A key that the tests share, since an endpoint may have few. */
async function own(): Promise<Json> {
  shared ??= make();
  return shared;
}
let shared: Promise<Json> | null = null;
