import { beforeAll, describe, expect, test } from "bun:test";
import { toText } from "../../src/domain/ids";
import { type Answer, expectError, type Json } from "./client";
import { ABSENT } from "./routes";
import { useService } from "./service";

const service = await useService();
const client = await service.newClient();
const admin = service.admin;

const URL = "https://example.com/hooks";
const inPath = (externalId: string) => `~${encodeURIComponent(externalId)}`;
const unique = (text: string) => `${text} ${crypto.randomUUID()}`;

/** The two kinds of objects with external ids. */
const KINDS = [
  {
    noun: "account",
    list: "/admin/accounts",
    who: () => admin,
    fields: { name: "Shop" },
    change: { name: "Store" },
    needed: "name",
    looksLikeId: ABSENT.account,
  },
  {
    noun: "endpoint",
    list: "/endpoints",
    who: () => client,
    fields: { url: URL },
    change: { description: "of the shop" },
    needed: "url",
    looksLikeId: ABSENT.endpoint,
  },
] as const;

describe.each(KINDS)("an external id of an $noun", ({ list, who, fields, change, needed, looksLikeId }) => {
  const put = (externalId: string, body: object): Promise<Answer> =>
    who().put(`${list}/${inPath(externalId)}`, body);
  const post = (body: object): Promise<Answer> => who().post(list, { ...fields, ...body });

  test.each(["shop-42", "größe/Δ ~x?#%41", "~", "..", "id with blanks", "x".repeat(256), "🏪".repeat(256)])(
    "replaces the id in a path: %s",
    async (text) => {
      const made = await who().expecting(201, post({ external_id: text }));
      expect(made.external_id).toBe(text);
      expect(await who().expecting(200, who().get(`${list}/${inPath(text)}`))).toMatchObject({ id: made.id });
      const changed = await who().expecting(200, who().patch(`${list}/${inPath(text)}`, change));
      expect(changed).toMatchObject({ id: made.id, external_id: text, ...change });
    },
  );

  test.each(["", "x".repeat(257), "a\u0000b", "a\nb", "\ud800", 7, {}])(
    "can't be %j",
    async (external_id) => {
      expectError(await post({ external_id }), 400, "BAD_REQUEST", "external_id");
    },
  );

  test("can't look like an id, for which it would be taken", async () => {
    const everyThird = (text: string) =>
      text.replaceAll(/(..)(.)/g, (_, two, one) => two + one.toUpperCase());
    const encoded = (text: string) => text.replaceAll(/./g, (each) => `%${each.charCodeAt(0).toString(16)}`);
    const fullWidth = (text: string) =>
      String.fromCharCode(...[...text].map((c) => c.charCodeAt(0) + 0xfee0));
    for (const external_id of [
      looksLikeId,
      looksLikeId.toUpperCase(),
      everyThird(looksLikeId),
      encoded(looksLikeId),
      encoded(looksLikeId.toUpperCase()),
      looksLikeId.replace("_", "%255f"),
      looksLikeId.replace("_", "%5F"),
      fullWidth(looksLikeId),
      ` ${looksLikeId} `,
      `~${looksLikeId}`,
      `${looksLikeId.slice(0, 9)}\u200b${looksLikeId.slice(9)}`,
    ]) {
      expectError(await post({ external_id }), 400, "BAD_REQUEST", "must not look like an id");
      expectError(await put(external_id, fields), 400, "BAD_REQUEST", "must not look like an id");
    }
    await who().expecting(201, post({ external_id: `${looksLikeId}0` }));
  });

  test("belongs to one object only", async () => {
    const [taken, free] = [unique("taken"), unique("free")];
    await who().expecting(201, post({ external_id: taken }));
    expectError(await post({ external_id: taken }), 409, "CONFLICT", "external_id belongs to another");
    const other = await who().expecting(201, post({ external_id: free }));
    const rename = (external_id: string | null) => who().patch(`${list}/${other.id}`, { external_id });
    expectError(await rename(taken), 409, "CONFLICT", "external_id belongs to another");
    expect(await who().expecting(200, rename(null))).toMatchObject({ external_id: null });
    expect((await who().get(`${list}/${inPath(free)}`)).status).toBe(404);
    await who().expecting(201, post({ external_id: free }));
    expect((await rename(null)).status).toBe(200);
  });

  test.each(["nobody's", "", "x".repeat(300), "a\u0000b", "\n"])(
    "that is unknown is a 404: %j",
    async (text) => {
      const path = `${list}/${inPath(text)}`;
      expectError(await who().get(path), 404, "NOT_FOUND");
      expectError(await who().patch(path, {}), 404, "NOT_FOUND");
      // A body that is wrong by itself is wrong whatever the path names.
      expectError(await who().patch(path, { nope: 1 }), 400, "BAD_REQUEST", "nope");
    },
  );

  test("PUT creates the object, then changes it", async () => {
    const text = unique("put");
    expectError(await put(text, {}), 400, "BAD_REQUEST", `${needed} is required`);
    const made = await who().expecting(201, put(text, fields));
    expect(made).toMatchObject({ external_id: text, ...fields });
    expect((await who().expecting(200, put(text, fields))).id).toBe(made.id);
    expect(await who().expecting(200, put(text, change))).toMatchObject({
      id: made.id,
      ...fields,
      ...change,
    });
    expectError(await put(text, { external_id: "other" }), 400, "BAD_REQUEST", "external_id");
  });

  test("PUT with an id changes, and creates nothing", async () => {
    const made = await who().expecting(201, post({}));
    expect(await who().expecting(200, who().put(`${list}/${made.id}`, change))).toMatchObject({
      id: made.id,
      ...change,
    });
    expectError(await who().put(`${list}/${looksLikeId}`, fields), 404, "NOT_FOUND");
    expectError(await who().put(`${list}/shop-42`, fields), 404, "NOT_FOUND");
  });

  test("concurrent PUTs create one", async () => {
    const text = unique("race");
    const answers = await Promise.all(Array.from({ length: 20 }, () => put(text, fields)));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(200), 201]);
  });
});

describe("an endpoint's external id", () => {
  test("is unique within the account", async () => {
    const [text, other] = [unique("mine"), await service.newClient()];
    const mine = await client.newEndpoint({ external_id: text });
    const theirs = await other.newEndpoint({ external_id: text });
    expect(mine.id).not.toBe(theirs.id);
    expect((await other.get(`/endpoints/${inPath(text)}`)).body.id).toBe(theirs.id);
    const stranger = await service.newClient();
    expectError(await stranger.get(`/endpoints/${inPath(text)}`), 404, "NOT_FOUND");
  });

  test("works in every path of an endpoint", async () => {
    const text = unique("all/paths");
    const made = await client.expecting(201, client.put(`/endpoints/${inPath(text)}`, { url: URL }));
    expect(made.signing_secret).toStartWith("whsec_");
    const path = `/endpoints/${inPath(text)}`;
    expect((await client.get(`${path}/stats`)).status).toBe(200);
    expect((await client.post(`${path}/test`)).body).toMatchObject({ endpoint_id: made.id });
    expect((await client.post(`${path}/rotate-secret`)).body).toMatchObject({ id: made.id });
    expect((await client.post(`${path}/replay`, {})).body.scope.endpoint_id).toBe(made.id);
    expect((await client.delete(path)).status).toBe(200);
    expectError(await client.get(path), 404, "NOT_FOUND");
    const next = await client.expecting(201, client.put(path, { url: URL }));
    expect(next.id).not.toBe(made.id);
  });

  test("does not let PUT move secret headers to another origin", async () => {
    const path = `/endpoints/${inPath(unique("secret"))}`;
    const secret = { headers: { authorization: "Bearer s3cret" }, sensitive_headers: ["authorization"] };
    await client.expecting(201, client.put(path, { url: URL, ...secret }));
    expectError(
      await client.put(path, { url: "https://other.example" }),
      400,
      "BAD_REQUEST",
      "headers again",
    );
  });
});

test("~ and an external id work in paths only, which other places say", async () => {
  const message = "~ and an external_id work in paths only";
  for (const answer of [
    await admin.post("/webhooks", { endpoint_id: "~orders", data: {} }),
    await admin.get("/webhooks?endpoint_id=~orders"),
    await admin.post("/erasures", { endpoint_id: "~orders" }),
    await admin.post("/webhooks/resend", { filter: { status: "failed", endpoint_id: "~orders" } }),
    await admin.post("/portal-sessions", { capabilities: ["view"], endpoint_ids: ["~orders"] }),
  ])
    expectError(answer, 400, "BAD_REQUEST", message);
});

describe("Hermod-Account", () => {
  const as = (account: string) => ({ "hermod-account": account });
  let externalId: string;
  let account: Json;

  beforeAll(async () => {
    externalId = unique("größe 50%");
    account = await admin.expecting(
      201,
      admin.post("/admin/accounts", { name: "a", external_id: externalId }),
    );
  });

  test("lets an administrator act for another account, by its id or external id", async () => {
    for (const name of [account.id, encodeURIComponent(externalId), `~${encodeURIComponent(externalId)}`]) {
      const made = await admin.expecting(201, admin.post("/endpoints", { url: URL }, as(name)));
      expect((await admin.get(`/endpoints/${made.id}`)).status).toBe(404);
      expect((await admin.get(`/endpoints/${made.id}`, as(account.id))).status).toBe(200);
      const sent = await admin.post("/webhooks", { endpoint_id: made.id, data: {} }, as(name));
      expect(sent.status).toBe(201);
    }
    expect((await admin.get("/billing/usage", as(account.id))).body.webhooks.used).toBe(3);
  });

  test("takes an external id as it is, and ignores ~ at its start only if no account has it so", async () => {
    const plain = unique("shop");
    const marked = `~${plain}`;
    const create = (external_id: string) =>
      admin.expecting(201, admin.post("/admin/accounts", { name: "a", external_id }));
    const actingAs = async (name: string) =>
      (await admin.expecting(200, admin.get("/me", as(encodeURIComponent(name))))).account.id;
    const { id: plainId } = await create(plain);
    expect(await actingAs(marked)).toBe(plainId);
    const { id: markedId } = await create(marked);
    expect(await actingAs(marked)).toBe(markedId);
    expect(await actingAs(`~${marked}`)).toBe(markedId);
    expect(await actingAs(plain)).toBe(plainId);
    const { id: putId } = await admin.expecting(
      201,
      admin.put(`/admin/accounts/~${inPath(marked)}`, { name: "b" }),
    );
    expect(await actingAs(`~${marked}`)).toBe(putId);
    const { id: tildeId } = await create("~~");
    expect(await actingAs("~~")).toBe(tildeId);
  });

  test("finds the account default by its name", async () => {
    const { id } = (await admin.get("/me")).body.account;
    for (const name of ["default", "~default", id]) {
      const me = await admin.expecting(200, admin.get("/me", as(name)));
      expect(me.account).toMatchObject({ id, external_id: "default" });
    }
    expect((await admin.get("/admin/accounts/~default")).body.id).toBe(id);
  });

  test("needs the permission accounts:act, which admin includes, and the operation's own", async () => {
    const modest = await service.newClient({ permissions: ["endpoints:read"] });
    for (const name of [account.id, toText("acc", modest.accountId)])
      expectError(await modest.get("/endpoints", as(name)), 403, "FORBIDDEN", "permission accounts:act");
    for (const permission of ["accounts:act", "admin"] as const) {
      const only = await service.newKey(admin.accountId, [permission]);
      expectError(await only.get("/endpoints", as(account.id)), 403, "FORBIDDEN", "endpoints:read");
    }
  });

  test.each([
    "nobody",
    ABSENT.account,
    ABSENT.endpoint,
    "",
    "%zz",
    "%00",
    "%ed%a0%80",
    "x".repeat(300),
    "~shop",
  ])("that names no account is a 400: %j", async (name) => {
    expectError(
      await admin.get("/endpoints", as(name)),
      400,
      "BAD_REQUEST",
      "Hermod-Account is no known account",
    );
    expectError(
      await admin.post("/webhooks", {}, as(name)),
      400,
      "BAD_REQUEST",
      "Hermod-Account is no known account",
    );
  });

  test("counts against the other account's rate limit, and shows what is left of it", async () => {
    await admin.expecting(
      200,
      admin.put("/admin/plans/five", { requests_per_minute: 5, webhooks_per_month: 1 }),
    );
    const limited = await admin.expecting(201, admin.post("/admin/accounts", { name: "b", plan: "five" }));
    const answers: Answer[] = [];
    for (let i = 0; i < 6; i++) answers.push(await admin.get("/stats", as(limited.id)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(answers[0]?.headers.get("ratelimit-limit")).toBe("5");
    expect((await admin.get("/stats")).status).toBe(200);
  });

  test("counts against the caller's rate limit if it is refused", async () => {
    await admin.expecting(
      200,
      admin.put("/admin/plans/three", { requests_per_minute: 3, webhooks_per_month: 1 }),
    );
    const modest = await service.newClient({ plan: "three", permissions: ["stats:read"] });
    const { accountId } = await service.newClient({ plan: "three" });
    const mighty = await service.newKey(accountId, ["admin", "stats:read"]);
    for (const [who, status] of [
      [modest, 403],
      [mighty, 400],
    ] as const) {
      const answers: Answer[] = [];
      for (let i = 0; i < 3; i++) answers.push(await who.get("/stats", as("nobody")));
      expect(answers.map((each) => each.status)).toEqual([status, status, status]);
      expect(answers[0]?.headers.get("ratelimit-remaining")).toBe("2");
      expect((await who.get("/stats")).status).toBe(429);
    }
    expect((await modest.get("/stats", as("nobody"))).status).toBe(403);
    expect((await mighty.get("/stats", as("nobody"))).status).toBe(429);
  });

  test("keeps Idempotency-Keys apart", async () => {
    const key = { "idempotency-key": crypto.randomUUID() };
    const [own, other] = [
      await admin.post("/endpoints", { url: URL }, key),
      await admin.post("/endpoints", { url: URL }, { ...key, ...as(account.id) }),
    ];
    expect([own.status, other.status]).toEqual([201, 201]);
    expect(own.body.id).not.toBe(other.body.id);
  });

  test("makes keys for the account that outlive the administrator's", async () => {
    const end = Date.now() + 60_000;
    const ending = await service.newKey(admin.accountId, ["admin", "keys:write", "stats:read"], end);
    const body = { permissions: ["stats:read"] };
    const made = await ending.expecting(201, ending.post("/keys", body, as(account.id)));
    expect(made).toMatchObject({ expires_at: null, created_by: null });
    const { data } = await admin.expecting(200, admin.get(`/admin/accounts/${account.id}/keys`));
    expect(data.map(({ id }: Json) => id)).toContain(made.id);
  });
});
