import { describe, expect, test } from "bun:test";
import { toText } from "../../src/domain/ids";
import { DEFAULT_PERMISSIONS, PERMISSIONS } from "../../src/domain/permission";
import { CAPABILITIES, PORTAL } from "../../src/domain/portal";
import { recordAttempt } from "./attempts";
import { type Answer, answerOf, type Client, expectError, type Json } from "./client";
import { ROUTES, type Route } from "./routes";
import { startTestService, useService } from "./service";

const ALL = Object.keys(CAPABILITIES);
const ORIGIN = "https://app.example.com";

const service = await useService();
const client = await service.newClient();

/** The headers that a page of the portal sends. */
const OWN = { "sec-fetch-site": "same-origin", "content-type": "application/json" };

async function link(of: Client, body: object = { capabilities: ALL }): Promise<Json> {
  return of.expecting(201, of.post("/portal-sessions", body));
}

function open(url: string, body: object = { embedded: true }, headers: Record<string, string> = {}) {
  const [, token = ""] = url.split("#token=");
  const sent = { ...OWN, authorization: `Bearer ${token}`, ...headers };
  return ask("POST", "/portal-sessions/exchange", sent, body);
}

async function ask(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<Answer> {
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  return answerOf(await fetch(`${service.url}/v1${path}`, init));
}

/** An embedded session, which sends its token. */
async function opened(of: Client, body?: object) {
  const { url } = await link(of, body);
  const session = await open(url);
  expect({ status: session.status, text: session.text }).toMatchObject({ status: 201 });
  const headers = { ...OWN, authorization: `Bearer ${session.body.token}` };
  return {
    session: session.body,
    headers,
    ask: (method: string, path: string, sent?: unknown) => ask(method, path, headers, sent),
  };
}

describe("a link", () => {
  test("has its token in the fragment, which is never logged, and opens once", async () => {
    const { url, id, expires_at } = await link(client, {
      capabilities: ["view", "endpoints", "payloads"],
      locale: "de",
      theme: { accent: "#0a7" },
      product_name: "Acme",
    });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/portal#token=hml_[\w-]{43}$/);
    const left = Date.parse(expires_at) - Date.now();
    expect(left).toBeWithin(0, 1_000 * PORTAL.linkSeconds + 1);
    const first = await open(url);
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      id,
      token: expect.stringMatching(/^hmp_/),
      csrf_token: null,
      account_id: toText("acc", client.accountId),
      capabilities: ["view", "manage_endpoints", "view_payloads"],
      endpoint_ids: null,
      locale: "de",
      theme: { accent: "#0a7" },
      product_name: "Acme",
    });
    expect(first.headers.getSetCookie()).toEqual([]);
    expectError(await open(url), 401, "UNAUTHORIZED");
  });

  test("opens once for many concurrent tries", async () => {
    const { url } = await link(client);
    const tries = await Promise.all(Array.from({ length: 8 }, () => open(url)));
    expect(tries.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(tries.filter(({ status }) => status === 401)).toHaveLength(7);
  });

  test("expires after a minute", async () => {
    const { url } = await link(client);
    const [, token = ""] = url.split("#token=");
    await service.database.db.run(
      (sql) => sql`
        update sessions set expires_at = expires_at - interval '${sql.unsafe(String(PORTAL.linkSeconds))} s'
        where hash = sha256(${token}::text::bytea)`,
    );
    expectError(await open(url), 401, "UNAUTHORIZED");
  });

  test("only opens its session: its token does nothing else", async () => {
    const { url } = await link(client);
    const headers = { ...OWN, authorization: `Bearer ${url.split("#token=")[1]}` };
    for (const { method, path } of ROUTES) {
      if (path === "/portal-sessions/exchange") continue;
      const { status } = await ask(method, path, headers, method === "GET" ? undefined : {});
      expect({ method, path, status }).toEqual({ method, path, status: 403 });
    }
  });

  test("opens only from Hermod's pages, and only with a link's token", async () => {
    const { url } = await link(client);
    expectError(await open(url, {}, { "sec-fetch-site": "cross-site" }), 400, "BAD_REQUEST", "own pages");
    for (const key of [client.key, (await opened(client)).session.token])
      expectError(await open(`x#token=${key}`), 403, "FORBIDDEN");
    expect((await open(url)).status).toBe(201);
  });

  test("is refused for more than its key may do, and for other accounts, endpoints and origins", async () => {
    const weak = await service.newKey(client.accountId, ["endpoints:read", "endpoints:write"]);
    const ask = (body: object, of = client) => of.post("/portal-sessions", body);
    expectError(await ask({ capabilities: ["retry"] }, weak), 403, "FORBIDDEN", "webhooks:retry");
    expectError(await ask({ capabilities: ["send"] }), 400, "BAD_REQUEST", "capabilities");
    expectError(await ask({ capabilities: [] }), 400, "BAD_REQUEST", "capabilities");
    const other = await service.newClient();
    const { id } = await other.newEndpoint();
    for (const each of [id, "~orders"])
      expectError(
        await ask({ capabilities: ALL, endpoint_ids: [each] }),
        400,
        "BAD_REQUEST",
        /^endpoint_ids /,
      );
    const reader = await service.newKey(client.accountId, DEFAULT_PERMISSIONS);
    const account = toText("acc", other.accountId);
    expectError(await ask({ capabilities: ALL, account }, reader), 403, "FORBIDDEN", "accounts:act");
    expectError(await ask({ capabilities: ALL, account: "acc_none" }), 400, "BAD_REQUEST", "account");
    expectError(
      await ask({ capabilities: ALL, origin: "https://evil.example" }),
      400,
      "BAD_REQUEST",
      "ORIGINS",
    );
    for (const ttl of [PORTAL.leastSeconds - 1, PORTAL.mostSeconds + 1])
      expectError(await ask({ capabilities: ALL, ttl }), 400, "BAD_REQUEST", "ttl");
  });

  test("leads to another account if an administrator made it", async () => {
    const other = await service.newClient();
    const { id } = await other.newEndpoint();
    const account = toText("acc", other.accountId);
    const { admin } = service;
    await admin.expecting(200, admin.patch(`/admin/accounts/${account}`, { external_id: "shop-42" }));
    for (const reference of ["shop-42", "~shop-42"])
      expect((await opened(admin, { capabilities: ["view"], account: reference })).session).toMatchObject({
        account_id: account,
      });
    const marked = await admin.expecting(
      201,
      admin.post("/admin/accounts", { name: "a", external_id: "~shop-42" }),
    );
    expect((await opened(admin, { capabilities: ["view"], account: "~shop-42" })).session).toMatchObject({
      account_id: marked.id,
    });
    const unknown = await admin.post("/portal-sessions", { capabilities: ["view"], account: "shop-43" });
    expectError(unknown, 400, "BAD_REQUEST", "account is no known account");
    const page = await opened(admin, { capabilities: ["view"], account });
    expect((await page.ask("GET", "/endpoints")).body.map((each: Json) => each.id)).toEqual([id]);
    expect((await page.ask("GET", "/me")).body).toMatchObject({
      account: { id: toText("acc", other.accountId) },
      key_id: null,
      name: null,
    });
    const acting = { ...page.headers, "hermod-account": toText("acc", client.accountId) };
    expectError(await ask("GET", "/endpoints", acting), 403, "FORBIDDEN");
  });
});

describe("a portal session", () => {
  /** True if the session may call a route, for all that its refusals say. */
  const mayCall = async (page: Awaited<ReturnType<typeof opened>>, { method, path }: Route) =>
    (await page.ask(method, path, method === "GET" ? undefined : {})).status !== 403;

  test("calls the operations that declare it, and no others", async () => {
    const page = await opened(client);
    const others = ROUTES.flatMap(({ spec }) => (spec.portal ? [] : [spec.id]));
    expect(others).toEqual(
      expect.arrayContaining(["sendWebhook", "publishEvent", "createKey", "listActivity"]),
    );
    for (const route of ROUTES) {
      const { id, portal } = route.spec;
      // It ends the session.
      if (id === "deletePortalSession") continue;
      expect({ id, may: await mayCall(page, route) }).toEqual({ id, may: portal !== undefined });
    }
  });

  test("with one capability can do what needs only that one", async () => {
    for (const capability of ALL) {
      const page = await opened(client, { capabilities: [capability] });
      for (const route of ROUTES) {
        const { id, portal } = route.spec;
        if (portal === undefined || portal.needs === null) continue;
        const may = portal.needs === capability && portal.also === undefined;
        expect({ capability, id, may: await mayCall(page, route) }).toEqual({ capability, id, may });
      }
    }
  });

  test("sees only its endpoints, wherever an endpoint is named", async () => {
    const [mine, other] = [await client.newEndpoint(), await client.newEndpoint({ external_id: "other" })];
    const [own, foreign] = [await client.send(mine.id), await client.send(other.id)];
    const page = await opened(client, { capabilities: ALL, endpoint_ids: [mine.id] });
    const statusOf = async (method: string, path: string, body?: object) =>
      (await page.ask(method, path, body)).status;
    expect((await page.ask("GET", "/endpoints")).body.map((each: Json) => each.id)).toEqual([mine.id]);
    expect(await statusOf("GET", "/endpoints?limit=5")).toBe(403);
    expect((await page.ask("GET", `/webhooks?endpoint_id=${mine.id}`)).body.data).toHaveLength(1);
    expect(await statusOf("GET", `/endpoints/${mine.id}`)).toBe(200);
    expect(await statusOf("GET", `/webhooks/${own.id}`)).toBe(200);
    for (const path of ["/webhooks", "/webhooks?limit=5", `/webhooks?endpoint_id=${other.id}`])
      expect({ path, status: await statusOf("GET", path) }).toEqual({ path, status: 403 });
    expect(await statusOf("GET", `/webhooks/tail?endpoint_id=${other.id}`)).toBe(403);
    for (const id of [other.id, "~other"]) {
      expect(await statusOf("GET", `/endpoints/${id}`)).toBe(404);
      expect(await statusOf("GET", `/endpoints/${id}/stats`)).toBe(404);
      expect(await statusOf("PATCH", `/endpoints/${id}`, { description: "x" })).toBe(404);
      expect(await statusOf("POST", `/endpoints/${id}/rotate-secret`)).toBe(404);
      expect(await statusOf("POST", `/endpoints/${id}/test`)).toBe(404);
      expect(await statusOf("POST", `/endpoints/${id}/retry`)).toBe(404);
      expect(await statusOf("DELETE", `/endpoints/${id}`)).toBe(404);
    }
    expect(await statusOf("GET", `/webhooks/${foreign.id}`)).toBe(404);
    expect(await statusOf("POST", `/webhooks/${foreign.id}/resend`)).toBe(404);
    expect(await statusOf("POST", `/webhooks/${foreign.id}/retry`)).toBe(404);
    expect(await statusOf("POST", "/endpoints", { url: "https://example.com" })).toBe(403);
    const resend = (filter: object) => statusOf("POST", "/webhooks/resend", { filter, dry_run: true });
    expect(await resend({ status: "failed", endpoint_id: mine.id })).toBe(200);
    // What a list can be narrowed by, a resend can be as well.
    const narrowed = [
      { response_status: "5xx" },
      { error: "timeout" },
      { ordering_key: "k" },
      { sequence: 1 },
    ];
    for (const filter of narrowed)
      expect(await resend({ status: "failed", endpoint_id: mine.id, ...filter })).toBe(200);
    for (const filter of [{}, { endpoint_id: other.id }, { endpoint_id: [mine.id] }, [mine.id]])
      expect(await resend({ status: "failed", ...filter })).toBe(403);
    expect(await statusOf("POST", "/webhooks/resend", { ids: [own.id] })).toBe(403);
    expect((await client.get(`/endpoints/${other.id}`)).body.description).toBeNull();
  });

  test("has a catalogue of only the event types that its endpoints want", async () => {
    const own = await service.newClient();
    const { id } = await own.newEndpoint({ event_filter: "invoice.*, order.placed" });
    const names = ["invoice.paid", "order.placed", "order.shipped", "secret.plan"];
    for (const event of names) await own.expecting(201, own.post("/events", { event, data: {} }));
    const shownTo = async (scope: object) => {
      const page = await opened(own, { capabilities: ["view"], ...scope });
      const listed = (await page.ask("GET", "/event-types")).body.data;
      const statuses = names.map(async (name) => (await page.ask("GET", `/event-types/${name}`)).status);
      return [listed.map((each: Json) => each.event_type).sort(), await Promise.all(statuses)];
    };
    const feed = await own.newEndpoint({ feed: true });
    for (const ids of [[id], [id, feed.id]])
      expect(await shownTo({ endpoint_ids: ids })).toEqual([names.slice(0, 2), [200, 200, 404, 404]]);
    expect(await shownTo({})).toEqual([names, [200, 200, 200, 200]]);
  });

  test("changes only the fields that belong to an endpoint's owner", async () => {
    const page = await opened(client);
    const created = await page.ask("POST", "/endpoints", { url: "https://example.com", event_filter: "a.*" });
    expect(created.status).toBe(201);
    for (const field of ["ordering", "rate_limit", "feed", "external_id", "metadata", "signing_secret"])
      expectError(
        await page.ask("PATCH", `/endpoints/${created.body.id}`, { [field]: "x" }),
        403,
        "FORBIDDEN",
        field,
      );
    expect((await page.ask("PATCH", `/endpoints/${created.body.id}`, { is_active: false })).status).toBe(200);
    const data = { data: { order: 1 } };
    expectError(await page.ask("POST", `/endpoints/${created.body.id}/test`, data), 403, "FORBIDDEN", "data");
  });

  test("shows nothing of the operator's metadata, and can't search by it", async () => {
    const own = await service.newClient();
    const metadata = { risk: "high" };
    const { id } = await own.newEndpoint({ metadata });
    const page = await opened(own);
    const one = await opened(own, { capabilities: ["view"], endpoint_ids: [id] });
    const answers = [
      await page.ask("GET", "/endpoints"),
      await page.ask("GET", "/endpoints?limit=5"),
      await page.ask("GET", `/endpoints/${id}`),
      await page.ask("PATCH", `/endpoints/${id}`, { description: "mine" }),
      await page.ask("POST", `/endpoints/${id}/rotate-secret`),
      await one.ask("GET", "/endpoints"),
      await one.ask("GET", `/endpoints/${id}`),
    ];
    for (const { status, text } of answers) {
      expect(status).toBeOneOf([200, 201]);
      expect(text).toContain('"metadata":{}');
      expect(text).not.toContain("risk");
    }
    for (const search of ["q=high", "metadata.risk=high", "limit=5&metadata.risk=low"])
      expectError(await page.ask("GET", `/endpoints?${search}`), 403, "FORBIDDEN", "search");
    expect((await own.get(`/endpoints/${id}`)).body.metadata).toEqual(metadata);
    expect((await own.get("/endpoints?metadata.risk=high")).body).toHaveLength(1);
  });

  test("shows nothing of feeds, which are for those who run Hermod", async () => {
    const own = await service.newClient();
    const [feed, work] = [await own.newEndpoint({ feed: true }), await own.newEndpoint()];
    const report = await own.expecting(201, own.post(`/endpoints/${feed.id}/test`, {}));
    const sent = await own.send(work.id);
    const page = await opened(own);
    const named = await opened(own, { capabilities: ALL, endpoint_ids: [feed.id, work.id] });
    for (const path of ["/endpoints", "/endpoints?limit=5"]) {
      const { body } = await page.ask("GET", path);
      expect((body.data ?? body).map(({ id }: Json) => id)).toEqual([work.id]);
    }
    expect((await named.ask("GET", "/endpoints")).body.map(({ id }: Json) => id)).toEqual([work.id]);
    for (const form of ["per_page=9", "limit=9", "iterator=start"]) {
      const { body } = await page.ask("GET", `/webhooks?${form}`);
      expect((body.data ?? body.deliveries).map(({ id }: Json) => id)).toEqual([sent.id]);
      const ofFeed = await named.ask("GET", `/webhooks?${form}&endpoint_id=${feed.id}`);
      expect(ofFeed.text).not.toContain(report.id);
    }
    for (const session of [page, named]) {
      const tries = [
        session.ask("GET", `/endpoints/${feed.id}`),
        session.ask("GET", `/endpoints/${feed.id}/stats`),
        session.ask("PATCH", `/endpoints/${feed.id}`, { is_active: false }),
        session.ask("DELETE", `/endpoints/${feed.id}`),
        session.ask("POST", `/endpoints/${feed.id}/test`, {}),
        session.ask("GET", `/webhooks/${report.id}`),
        session.ask("POST", `/webhooks/${report.id}/resend`),
      ];
      for (const each of await Promise.all(tries)) expectError(each, 404, "NOT_FOUND");
    }
    // Its deliveries stay hidden when it is deleted.
    await own.delete(`/endpoints/${feed.id}`);
    expect((await page.ask("GET", "/webhooks?limit=9")).text).not.toContain(report.id);
  });

  test("counts, pages and resends no deliveries of feeds", async () => {
    const own = await service.newClient();
    const [feed, work] = [await own.newEndpoint({ feed: true }), await own.newEndpoint()];
    const report = () => own.expecting(201, own.post(`/endpoints/${feed.id}/test`, {}));
    const end = (delivery: Json, verdict: "delivered" | "failed") =>
      recordAttempt(
        service.database.db,
        { id: delivery.id, event: delivery.event },
        { status: 500, verdict },
      );
    const sent: string[] = [];
    for (const verdict of ["delivered", "failed", "delivered"] as const) {
      const webhook = await own.send(work.id, "order.paid");
      sent.unshift(webhook.id);
      await end(webhook, verdict);
      await end(await report(), verdict);
    }
    const { event } = await report();
    const page = await opened(own);
    const [third, second, first] = sent;
    const pages = async (filters: string) => {
      const shown = [];
      for (const number of [1, 2, 3, 4])
        shown.push((await page.ask("GET", `/webhooks?page=${number}&per_page=1${filters}`)).body);
      expect(new Set(shown.map(({ total }: Json) => total)).size).toBe(1);
      const ids = shown.flatMap(({ deliveries }: Json) => deliveries.map(({ id }: Json) => id));
      return { total: shown[0].total, ids };
    };
    const dryRun = async (filter: object) =>
      (await page.ask("POST", "/webhooks/resend", { filter, dry_run: true })).body;
    const check = async () => {
      const all = { total: 3, ids: sent };
      expect([await pages(""), await pages("&event=order.paid")]).toEqual([all, all]);
      for (const filters of ["&status=delivered", "&status=delivered&event=order.paid"])
        expect(await pages(filters)).toEqual({ total: 2, ids: [third, first] });
      for (const filters of ["&status=failed", "&status=failed&event=order.paid"])
        expect(await pages(filters)).toEqual({ total: 1, ids: [second] });
      for (const filters of ["&status=pending", `&event=${event}`, `&event=${event}&status=failed`])
        expect(await pages(filters)).toEqual({ total: 0, ids: [] });
      expect(await dryRun({ status: "delivered" })).toEqual({ total: 2, endpoints: 1, skipped: 0 });
      const nothing = { total: 0, endpoints: 0, skipped: 0 };
      expect(await dryRun({ status: "delivered", event_type: event })).toEqual(nothing);
      expect(await dryRun({ status: "failed", endpoint_id: feed.id })).toEqual(nothing);
    };
    await check();
    await own.delete(`/endpoints/${feed.id}`);
    await check();
  });

  test("shows payloads and answers only with that capability", async () => {
    const { id } = await client.newEndpoint();
    const sent = await client.send(id, "a.b", { secret: "payload-text" });
    await recordAttempt(service.database.db, sent, { status: 500, body: "answer-text" });
    const [blind, seeing] = [await opened(client, { capabilities: ["view"] }), await opened(client)];
    const hidden = await blind.ask("GET", `/webhooks/${sent.id}`);
    expect(hidden.status).toBe(200);
    expect(hidden.text).not.toMatch(/payload-text|answer-text/);
    expect((await seeing.ask("GET", `/webhooks/${sent.id}`)).text).toMatch(/answer-text.*payload-text/);
    const search = "/webhooks?data.secret=payload-text";
    expectError(await blind.ask("GET", search), 403, "FORBIDDEN", "view_payloads");
    expect((await seeing.ask("GET", search)).body.data).toHaveLength(1);
    const filter = { status: "failed", data: { secret: "payload-text" } };
    const retrying = await opened(client, { capabilities: ["retry"] });
    const refused = await retrying.ask("POST", "/webhooks/resend", { filter, dry_run: true });
    expectError(refused, 403, "FORBIDDEN", "data");
  });

  test("gets no answer that others of the account got for the same Idempotency-Key", async () => {
    const body = { url: "https://example.com/idempotent" };
    const key = { "idempotency-key": "guessed" };
    const first = await client.post("/endpoints", body, key);
    expect(first.status).toBe(201);
    const page = await opened(client);
    const again = await ask("POST", "/endpoints", { ...page.headers, ...key }, body);
    expect(again.status).toBe(409);
  });

  test("ends with the key that made its link, and on request", async () => {
    const maker = await service.newKey(client.accountId, PERMISSIONS);
    const page = await opened(maker, { capabilities: ["view"] });
    expect((await page.ask("GET", "/endpoints")).status).toBe(200);
    const { key_id } = (await maker.get("/me")).body;
    await client.delete(`/keys/${key_id}`);
    expect((await page.ask("GET", "/endpoints")).status).toBe(401);
    const other = await opened(client);
    expect((await other.ask("GET", "/portal-sessions")).body).toMatchObject({
      id: other.session.id,
      token: null,
    });
    expect((await other.ask("DELETE", "/portal-sessions")).body).toEqual({ deleted: true });
    expect((await other.ask("GET", "/endpoints")).status).toBe(401);
  });

  test("lasts as long as its link says", async () => {
    const { session } = await opened(client, { capabilities: ["view"], ttl: PORTAL.leastSeconds });
    const left = Date.parse(session.expires_at) - Date.now();
    expect(left).toBeWithin(1_000 * (PORTAL.leastSeconds - 60), 1_000 * PORTAL.leastSeconds + 1);
  });

  test("has a rate limit of its own, not the account's", async () => {
    await service.dependencies.plans.put("narrow", { requestsPerMinute: 5, webhooksPerMonth: null });
    const narrow = await service.newClient({ plan: "narrow" });
    const page = await opened(narrow, { capabilities: ["view"] });
    for (let i = 0; i < 20; i++) {
      const { status, headers } = await page.ask("GET", "/endpoints");
      expect(status).toBe(200);
      expect(headers.get("ratelimit-limit")).toBe(String(PORTAL.requestsPerMinute));
    }
    expect((await narrow.get("/endpoints")).headers.get("ratelimit-remaining")).toBe("3");
  });

  test("by cookie is separate from the console's, with the same protection of changes", async () => {
    const { url } = await link(client);
    const answer = await open(url, {});
    const { token, csrf_token } = answer.body;
    expect(token).toBeNull();
    const [cookie = ""] = answer.headers.getSetCookie();
    expect(cookie).toMatch(
      /^hermod-portal-\d+=hmp_[\w-]{43}; Max-Age=3600; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const sent = { ...OWN, cookie: cookie.split(";")[0] ?? "" };
    expect((await ask("GET", "/endpoints", sent)).status).toBe(401);
    const page = { ...sent, "x-hermod-portal": "1" };
    expect((await ask("GET", "/endpoints", page)).status).toBe(200);
    expectError(
      await ask("GET", "/endpoints", { ...page, "sec-fetch-site": "cross-site" }),
      403,
      "FORBIDDEN",
    );
    const body = { url: "https://example.com" };
    expectError(await ask("POST", "/endpoints", page, body), 403, "FORBIDDEN", "GET /v1/portal-sessions");
    const changing = { ...page, "x-hermod-csrf": csrf_token };
    expect(await ask("POST", "/endpoints", changing, body)).toMatchObject({ status: 201 });
    const asConsole = { ...OWN, cookie: sent.cookie.replace("hermod-portal-", "hermod-") };
    expect((await ask("GET", "/endpoints", asConsole)).status).toBe(401);
  });

  test("is in the audit log of the account that its link leads to, also if an administrator made the link", async () => {
    const other = await service.newClient();
    const account = toText("acc", other.accountId);
    const made = await link(service.admin, { account, capabilities: ["view"] });
    expect(made.account_id).toBe(account);
    const entry = {
      operation: "createPortalSession",
      account_id: account,
      target: made.id,
      after: { account },
    };
    expect((await other.get("/activity?limit=1")).body.data).toMatchObject([entry]);
    expect((await service.admin.get("/admin/audit?limit=1")).body.data).toMatchObject([entry]);
  });

  test("is in the audit log, with the key that made its link", async () => {
    const page = await opened(client);
    const { id } = (await page.ask("POST", "/endpoints", { url: "https://example.com" })).body;
    const [created, exchange, made] = (await client.get("/activity?limit=3")).body.data;
    const key_id = (await client.get("/me")).body.key_id;
    expect(created).toMatchObject({
      operation: "createEndpoint",
      target: id,
      actor: { kind: "portal", id: key_id, session_id: page.session.id },
    });
    expect([exchange.operation, made.operation]).toEqual(["openPortalSession", "createPortalSession"]);
    expect(made).toMatchObject({ target: page.session.id, after: { capabilities: ALL } });
  });
});

test("a link has the public URL, and names an origin that may embed the portal", async () => {
  const config = {
    ...service.dependencies.config,
    publicUrl: "https://hooks.example.com",
    portalOrigins: [ORIGIN],
  };
  const other = await startTestService({ beside: service, dependencies: { config } });
  const admin = await other.newClient();
  const { url } = await link(admin, { capabilities: ["view"], origin: ORIGIN });
  expect(url).toStartWith("https://hooks.example.com/portal#token=");
  await other.stop();
});
