import { describe, expect, test } from "bun:test";
import { SignJWT } from "jose";
import { DEFAULT_ACCOUNT } from "../../src/accounts/account";
import { FAILED_SIGN_INS_PER_MINUTE } from "../../src/api/edge/failure-limit";
import { SessionCookie } from "../../src/api/session-cookie";
import { toText } from "../../src/domain/ids";
import { SESSIONS_PER_KEY } from "../../src/sessions/sessions";
import { Browser } from "./browser";
import { expectError } from "./client";
import { ROUTES } from "./routes";
import { JWT_SECRET, startTestService, useService } from "./service";

const service = await useService();
const client = await service.newClient();
const page = await Browser.signedIn(client);

describe("a sign-in", () => {
  test("sets a cookie for this host only, hidden from scripts and other sites, and returns no token", async () => {
    const answer = await new Browser(client.url).signIn(client.key);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^ses_/),
      csrf_token: expect.any(String),
      expires_at: expect.any(String),
    });
    const [cookie = ""] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^hermod-\d+=hms_[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(answer.text).not.toContain(cookie.slice(cookie.indexOf("hms_"), cookie.indexOf(";")));
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test("is stored as a hash", async () => {
    const [row] = await service.database.db.run(
      (sql) => sql<{ text: string; hash: Uint8Array }[]>`
        select s::text as text, hash from sessions s where hash = sha256(${page.token}::text::bytea)`,
    );
    expect(row?.text).not.toContain(page.token.slice(4));
  });

  test("always begins a new session, whatever cookie the browser has", async () => {
    const fixed = page.token;
    const browser = new Browser(client.url);
    await browser.signIn(client.key, { cookie: `hermod-${new URL(client.url).port}=${fixed}` });
    expect(browser.token).toMatch(/^hms_/);
    expect(browser.token).not.toBe(fixed);
  });

  test.each([
    ["a session", async () => client.key, { authorization: "" }, "Only an API key"],
    ["a JWT", async () => newJwt(), {}, "Only an API key"],
  ])("by %s is a 403", async (_, key, headers, message) => {
    expectError(await page.signIn(await key(), headers), 403, "FORBIDDEN", message);
  });

  test.each([
    ["an Idempotency-Key", { "idempotency-key": "a" }, "Idempotency-Key"],
    ["another account", { "hermod-account": toText("acc", DEFAULT_ACCOUNT) }, "Hermod-Account"],
    ["a page without https", { "sec-fetch-site": "" }, "https"],
    ["a page of another site", { "sec-fetch-site": "cross-site" }, "own pages"],
  ])("with %s is a 400", async (_, headers, message) => {
    expectError(await page.signIn(client.key, headers), 400, "BAD_REQUEST", message);
  });

  test("beyond a key's limit ends its oldest session", async () => {
    const key = await service.newKey(client.accountId, ["stats:read"]);
    const first = await Browser.signedIn(key);
    const second = await Browser.signedIn(key);
    for (let i = 2; i <= SESSIONS_PER_KEY; i++) await Browser.signedIn(key);
    service.dependencies.authenticator.forget();
    expect((await first.get("/stats")).status).toBe(401);
    expect((await second.get("/stats")).status).toBe(200);
  });

  test("is refused after too many failures, even with the right key; requests with keys are not", async () => {
    const limited = await startTestService();
    try {
      const { key } = limited.admin;
      const browser = new Browser(limited.url);
      for (let i = 0; i < FAILED_SIGN_INS_PER_MINUTE; i++)
        expect((await browser.signIn("nobody's")).status).toBe(401);
      for (const each of ["nobody's", key]) {
        const answer = await browser.signIn(each);
        expectError(answer, 429, "RATE_LIMIT_EXCEEDED", "sign-ins");
        expect(Number(answer.headers.get("retry-after"))).toBeWithin(1, 61);
      }
      expect((await limited.admin.get("/stats")).status).toBe(200);
    } finally {
      await limited.stop();
    }
  });

  async function newJwt(): Promise<string> {
    return new SignJWT({ account_id: toText("acc", client.accountId), permissions: ["stats:read"] })
      .setProtectedHeader({ alg: "HS256" })
      .setExpirationTime("1m")
      .sign(new TextEncoder().encode(JWT_SECRET));
  }
});

describe("a session", () => {
  test("works like its key, and shows itself", async () => {
    const created = await page.ask("POST", "/endpoints", { url: "https://example.com/" });
    expect(created.status).toBe(201);
    expect((await client.get(`/endpoints/${created.body.id}`)).status).toBe(200);
    const { body } = await page.get("/sessions");
    expect(body.csrf_token).toBe(page.csrfToken);
    const [mine, keys] = [await page.get("/me"), await client.get("/me")];
    expect(mine.body).toEqual(keys.body);
    expect(mine.body).toMatchObject({ account: { id: toText("acc", client.accountId) } });
  });

  test("has no permission that its key lacks", async () => {
    const reader = await Browser.signedIn(await service.newKey(client.accountId, ["webhooks:read"]));
    expect((await reader.get("/webhooks")).status).toBe(200);
    expectError(await reader.get("/stats"), 403, "FORBIDDEN", "stats:read");
    expectError(await reader.get("/stats", { "hermod-account": "x" }), 403, "FORBIDDEN");
  });

  test("of an administrator can act for another account", async () => {
    const admin = await Browser.signedIn(service.admin);
    const acting = { "hermod-account": toText("acc", client.accountId) };
    expect((await admin.get("/me", acting)).body.account.id).toBe(acting["hermod-account"]);
  });

  test("makes keys that end with its key", async () => {
    const maker = await service.newKey(client.accountId, ["keys:write", "stats:read"]);
    const made = await (await Browser.signedIn(maker)).ask("POST", "/keys", { permissions: ["stats:read"] });
    expect(made.body.created_by).toBe((await maker.get("/me")).body.key_id);
  });

  test("is no bearer token, and its cookie does not count beside Authorization", async () => {
    const authorization = `Bearer ${page.token}`;
    expectError(await page.get("/stats", { authorization, cookie: "" }), 401, "UNAUTHORIZED");
    expectError(await page.get("/stats", { authorization: "Bearer nobody's" }), 401, "UNAUTHORIZED");
  });

  test("needs a cookie with its token: no key works as one", async () => {
    const name = `hermod-${new URL(client.url).port}`;
    for (const value of [client.key, "", "hms_", `${page.token}A`, page.token.slice(0, -1)])
      expect((await page.get("/stats", { cookie: `${name}=${value}` })).status).toBe(401);
    expect((await page.get("/stats", { cookie: `other=1; ${name}=${page.token}` })).status).toBe(200);
  });

  test("ends on request, and its cookie is removed", async () => {
    const browser = await Browser.signedIn(client);
    const name = `hermod-${new URL(client.url).port}`;
    const cookie = `${name}=${browser.token}`;
    const answer = await browser.ask("DELETE", "/sessions");
    expect(answer).toMatchObject({ status: 200, body: { deleted: true } });
    expect(browser.token).toBe("");
    expect((await browser.get("/stats", { cookie })).status).toBe(401);
    expect((await page.get("/stats")).status).toBe(200);
  });

  test("does not exist for a request with a key", async () => {
    expectError(await client.get("/sessions"), 404, "NOT_FOUND");
    expectError(await client.delete("/sessions"), 404, "NOT_FOUND");
  });

  test("ends when the operator replaces the admin key", async () => {
    const { apiKeys, authenticator } = service.dependencies;
    const first = "the-operators-first-key";
    await apiKeys.ensureAdminKey(first);
    const browser = await Browser.signedIn({ url: client.url, key: first });
    await apiKeys.ensureAdminKey("the-operators-second-key");
    authenticator.forget();
    expect((await browser.get("/stats")).status).toBe(401);
  });
});

describe("a change forged by another site", () => {
  const FORGED: readonly Record<string, string>[] = [
    { "x-hermod-csrf": "" },
    { "x-hermod-csrf": "guessed" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
    { "sec-fetch-site": "" },
  ];
  const changes = ROUTES.filter(({ method, path }) => method !== "GET" && path !== "/sessions");

  test("is refused by every route", async () => {
    expect(changes.length).toBeGreaterThan(20);
    for (const { method, path } of changes)
      for (const forged of FORGED) {
        const { status } = await page.ask(method, path, method === "DELETE" ? undefined : {}, forged);
        expect({ method, path, forged, status }).toEqual({ method, path, forged, status: 403 });
      }
  });

  test("is refused with the text of another session", async () => {
    const other = await Browser.signedIn(client);
    const forged = { "x-hermod-csrf": other.csrfToken };
    expectError(await page.ask("POST", "/keys", {}, forged), 403, "FORBIDDEN", "x-hermod-csrf");
    expect((await page.ask("DELETE", "/sessions", undefined, forged)).status).toBe(403);
  });

  test("is not a read either, except by a person who opens the address", async () => {
    for (const site of ["cross-site", "same-site"])
      expectError(await page.get("/stats", { "sec-fetch-site": site }), 403, "FORBIDDEN", "own pages");
    for (const site of ["none", ""])
      expect((await page.get("/stats", { "sec-fetch-site": site })).status).toBe(200);
  });
});

describe("the cookie's name", () => {
  const named = (host: string, production: boolean) =>
    new SessionCookie(production).set(new Request("http://x", { headers: { host } }), "t", 1);

  test.each(["hermod.example", "10.0.0.5:3000", "127.0.0.1.example.com", "localhost.example", "1270.0.0.1"])(
    "is __Host-hermod with Secure for %s",
    (host) => {
      expect(named(host, false)).toBe(
        "__Host-hermod=t; Max-Age=1; Path=/; HttpOnly; SameSite=Strict; Secure",
      );
    },
  );

  test.each([
    ["localhost:3000", "hermod-3000"],
    ["127.0.0.1", "hermod-80"],
    ["[::1]:8080", "hermod-8080"],
    ["console.localhost:1", "hermod-1"],
  ])("lacks Secure for %s, but not in production", (host, name) => {
    expect(named(host, false)).toBe(`${name}=t; Max-Age=1; Path=/; HttpOnly; SameSite=Strict`);
    expect(named(host, true)).toStartWith("__Host-hermod=");
  });
});
