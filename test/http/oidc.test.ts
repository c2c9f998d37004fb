import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { toText } from "../../src/domain/ids";
import { parseRoles, ROLES, ROLES_BY_NAME, type Role } from "../../src/domain/role";
import { ANSWER_LIMIT, IdentityProvider, type OidcSettings } from "../../src/oidc/identity-provider";
import { startHostileProvider } from "../oidc/hostile-provider";
import { CLIENT_ID, CLIENT_SECRET, type Claims, startProvider, type TestProvider } from "../oidc/provider";
import { atEnd } from "../support/at-end";
import { keepingLog } from "../support/keeping-log";
import { type Answer, answerOf, expectError, type Json } from "./client";
import { startTestService, type TestService, useService } from "./service";

// The provider must know the service's address, and the service the provider's.
const settings: { -readonly [K in keyof OidcSettings]: OidcSettings[K] } = {
  issuer: "",
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  scopes: "openid profile email",
  roleClaim: "roles",
  roles: ROLES_BY_NAME,
  sessionSeconds: 3_600,
};
const service = await useService({ dependencies: { identityProvider: new IdentityProvider(settings) } });
const provider: TestProvider = await startProvider([`${service.url}/console/oidc/callback`]);
settings.issuer = provider.issuer;
atEnd(() => provider.stop());

/** A browser that follows redirects one by one, with a jar for each host and port. */
class Visitor {
  private readonly jars = new Map<string, Map<string, string>>();

  async visit(url: string): Promise<Response> {
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie: this.cookiesFor(url), accept: "text/html" },
    });
    for (const each of response.headers.getSetCookie()) this.keep(url, each);
    return response;
  }

  /** Follows pages until one leads nowhere, or to an address that `until` matches. Returns that address. */
  async follow(url: string, until = /(?!)/): Promise<string> {
    const response = await this.visit(url);
    const location = response.headers.get("location");
    if (location === null) return url;
    const next = new URL(location, url).href;
    return until.test(next) ? next : this.follow(next, until);
  }

  cookiesFor(url: string): string {
    const jar = this.jars.get(new URL(url).host) ?? new Map();
    return [...jar].map((pair) => pair.join("=")).join("; ");
  }

  /** Sends a request as a page of the console does. */
  async ask(
    method: string,
    path: string,
    csrf?: string,
    body?: object,
    others: Record<string, string> = {},
  ): Promise<Answer> {
    const headers = {
      ...others,
      cookie: this.cookiesFor(service.url),
      "sec-fetch-site": "same-origin",
      "content-type": "application/json",
      ...(csrf !== undefined && { "x-hermod-csrf": csrf }),
    };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    return answerOf(await fetch(`${service.url}/v1${path}`, init));
  }

  private keep(url: string, setCookie: string): void {
    const { host } = new URL(url);
    const jar = this.jars.get(host) ?? new Map<string, string>();
    this.jars.set(host, jar);
    const [name = "", ...value] = (setCookie.split(";")[0] ?? "").split("=");
    if (/Max-Age=0;|expires=Thu, 01 Jan 1970/i.test(setCookie)) jar.delete(name);
    else jar.set(name, value.join("="));
  }
}

const startAt = (path = "/console") => `${service.url}/console/oidc/start?return=${encodeURIComponent(path)}`;
const CALLBACK = /\/console\/oidc\/callback/;

/** Signs a person in. Returns the browser and where it ended. */
async function signIn(person: Claims, path?: string) {
  provider.is(person);
  const visitor = new Visitor();
  const end = await visitor.follow(startAt(path));
  return { visitor, end: end.slice(service.url.length) };
}

async function signedIn(role: Role) {
  const { visitor } = await signIn({ roles: [role], email: `${role}@example.com` });
  const { csrf_token } = (await visitor.ask("GET", "/sessions")).body;
  return { visitor, csrf: csrf_token as string };
}

describe("a sign-in with the identity provider", () => {
  test("returns to the page that requested it, signed in as the person", async () => {
    const { visitor, end } = await signIn(
      { roles: ["other", "support"], email: "kim@example.com", name: "Kim" },
      "/console/deliveries?status=failed&error=oidc_failed",
    );
    expect(end).toBe("/console/deliveries?status=failed");
    const me = await visitor.ask("GET", "/me");
    expect(me.body).toMatchObject({ name: "kim@example.com", key_id: null });
    expect(me.body.permissions.toSorted()).toEqual([...ROLES.support].toSorted());
  });

  test("sets a cookie as a key does, and removes its own", async () => {
    provider.is({ roles: ["viewer"] });
    const visitor = new Visitor();
    const callback = await visitor.follow(startAt(), CALLBACK);
    expect(visitor.cookiesFor(service.url)).toMatch(/^hermod-oidc-\d+=\d{10}[\w-]{43}\.[\w-]+$/);
    const answer = await visitor.visit(callback);
    const [session, begun] = answer.headers.getSetCookie();
    expect(session).toMatch(/^hermod-\d+=hms_[\w-]{43}; Max-Age=3600; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(begun).toMatch(/^hermod-oidc-\d+=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test.each([
    "https://evil.example/console",
    "//evil.example/console",
    "/v1/me",
    "/console/../v1",
    "/\\evil.example/console",
    "/consolex",
  ])("never redirects to %s", async (path) => {
    expect((await signIn({ roles: ["viewer"] }, path)).end).toBe("/console");
  });

  test("names the person in the audit log from then on", async () => {
    const { visitor, csrf } = await signedIn("operator");
    const { id } = (await visitor.ask("POST", "/endpoints", csrf, { url: "https://example.com" })).body;
    const [created, session] = (await service.admin.get("/activity?limit=2")).body.data;
    const actor = { kind: "person", id: null, name: "operator@example.com" };
    expect(created).toMatchObject({ operation: "createEndpoint", target: id, actor });
    expect(session).toMatchObject({ operation: "createSession", actor, after: { role: "operator" } });
    expect(session.actor.session_id).toBe(created.actor.session_id);
  });

  test("ends with the sign-out", async () => {
    const { visitor, csrf } = await signedIn("viewer");
    const cookie = visitor.cookiesFor(service.url);
    expect((await visitor.ask("DELETE", "/sessions", csrf)).body).toEqual({ deleted: true });
    const headers = { cookie, "sec-fetch-site": "same-origin" };
    expect((await fetch(`${service.url}/v1/me`, { headers })).status).toBe(401);
  });

  test("lasts as long as configured, so that a removed role ends with it", async () => {
    const { visitor } = await signedIn("admin");
    const { expires_at } = (await visitor.ask("GET", "/sessions")).body;
    expect(Date.parse(expires_at) - Date.now()).toBeWithin(3_590_000, 3_600_001);
  });

  test("is protected against forged changes", async () => {
    const { visitor } = await signedIn("admin");
    const body = { url: "https://example.com" };
    expectError(await visitor.ask("POST", "/endpoints", undefined, body), 403, "FORBIDDEN", "csrf");
  });
});

describe("is refused", () => {
  test("without a role", async () => {
    for (const person of [{}, { roles: ["owner"] }, { roles: "" }, { roles: [{ admin: true }] }]) {
      const { visitor, end } = await signIn(person);
      expect(end).toBe("/console?error=oidc_no_role");
      expect((await visitor.ask("GET", "/me")).status).toBe(401);
    }
  });

  test("with another state, without asking the provider", async () => {
    const visitor = new Visitor();
    const callback = new URL(await visitor.follow(startAt(), CALLBACK));
    callback.searchParams.set("state", "of-an-attacker");
    const before = provider.tokenRequests();
    expect(await visitor.follow(callback.href)).toEndWith("/console?error=oidc_failed");
    expect(provider.tokenRequests()).toBe(before);
  });

  test("in another browser than the one that began it", async () => {
    const callback = await new Visitor().follow(startAt(), CALLBACK);
    const other = new Visitor();
    expect(await other.follow(callback)).toEndWith("/console?error=oidc_expired");
    await other.follow(startAt(), CALLBACK);
    expect(await other.follow(callback)).toEndWith("/console?error=oidc_failed");
  });

  test("with a used code", async () => {
    provider.is({ roles: ["viewer"] });
    const visitor = new Visitor();
    const callback = await visitor.follow(startAt(), CALLBACK);
    const cookie = visitor.cookiesFor(service.url);
    expect(await visitor.follow(callback)).toEndWith("/console");
    const again = await fetch(callback, { redirect: "manual", headers: { cookie } });
    expect(again.headers.get("location")).toBe("/console?error=oidc_failed");
  });

  test("with a code or a proof of another sign-in", async () => {
    provider.is({ roles: ["admin"] });
    for (const name of ["nonce", "code_challenge"]) {
      const visitor = new Visitor();
      const page = new URL((await visitor.visit(startAt())).headers.get("location") ?? "");
      expect(page.searchParams.get(name)).toMatch(/^[\w-]{43}$/);
      page.searchParams.set(name, "another".padEnd(43, "x"));
      expect(await visitor.follow(page.href)).toEndWith("/console?error=oidc_failed");
    }
  });

  test("with a token that has expired", async () => {
    provider.agesTokens(3_600);
    expect((await signIn({ roles: ["admin"] })).end).toBe("/console?error=oidc_failed");
    provider.agesTokens(0);
    expect((await signIn({ roles: ["admin"] })).end).toBe("/console");
  });

  test("if the provider refuses", async () => {
    const visitor = new Visitor();
    const callback = new URL(await visitor.follow(startAt(), CALLBACK));
    callback.searchParams.delete("code");
    callback.searchParams.set("error", "access_denied");
    expect(await visitor.follow(callback.href)).toEndWith("/console?error=oidc_failed");
  });
});

describe("a provider that does not do what it must", () => {
  let hostile: Awaited<ReturnType<typeof startHostileProvider>>;
  let beside: TestService;
  const settings: { -readonly [K in keyof OidcSettings]: OidcSettings[K] } = {
    issuer: "",
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    scopes: "openid",
    roleClaim: "roles",
    roles: new Map([...ROLES_BY_NAME, ["ada@example.com", "admin"]]),
    sessionSeconds: 3_600,
  };

  beforeAll(async () => {
    hostile = await startHostileProvider();
    settings.issuer = hostile.issuer;
  });
  afterAll(() => hostile.stop());
  // One process may not refuse as many sign-ins a minute as these tests need.
  beforeEach(async () => {
    const identityProvider = new IdentityProvider(settings);
    beside = await startTestService({ beside: service, dependencies: { identityProvider, log } });
  });
  afterEach(() => beside.stop());

  const { log, lines } = keepingLog();
  const lastDetail = () => String(lines.findLast((each) => "detail" in each)?.detail);
  const begin = (visitor: Visitor) => visitor.follow(`${beside.url}/console/oidc/start`, CALLBACK);

  /** Signs in with the claims of the ID token and the userinfo endpoint. Returns where the browser ended, and the name. */
  async function ended(token: Claims, userinfo: Claims = {}) {
    hostile.claims(token, userinfo);
    const visitor = new Visitor();
    const end = await visitor.follow(await begin(visitor));
    const headers = { cookie: visitor.cookiesFor(beside.url), "sec-fetch-site": "same-origin" };
    const me = (await answerOf(await fetch(`${beside.url}/v1/me`, { headers }))).body;
    return { end: end.slice(beside.url.length), name: me.name };
  }

  /** Signs in as `ended` does. Returns what the page shows of the provider's words. */
  async function said(): Promise<string> {
    const visitor = new Visitor();
    await visitor.follow(await begin(visitor));
    const cookie = /hermod-oidc-said-\d+=([^;]*)/.exec(visitor.cookiesFor(beside.url))?.[1];
    return decodeURIComponent(cookie ?? "");
  }

  const REFUSED = { end: "/console?error=oidc_no_role", name: undefined };

  test("signs nobody in with an answer beyond the limit", async () => {
    const padding = "a".repeat(ANSWER_LIMIT);
    const failed = { end: "/console?error=oidc_failed", name: undefined };
    expect(await ended({ roles: "admin", padding })).toEqual(failed);
    expect(await ended({}, { roles: "admin", padding })).toEqual(failed);
  });

  test("begins one session for a code that it takes again, in any process", async () => {
    hostile.claims({ roles: "admin" });
    const visitor = new Visitor();
    const callback = await begin(visitor);
    const headers = { cookie: visitor.cookiesFor(beside.url) };
    const third = await startTestService({
      beside: service,
      dependencies: { identityProvider: new IdentityProvider(settings) },
    });
    const tries = [beside.url, third.url, beside.url, third.url].map(async (url) => {
      const { search, pathname } = new URL(callback);
      const host = new URL(beside.url).host;
      const init = { redirect: "manual", headers: { ...headers, host } } as const;
      return (await fetch(`${url}${pathname}${search}`, init)).headers.get("location");
    });
    expect((await Promise.all(tries)).toSorted()).toEqual([
      "/console",
      "/console?error=oidc_failed",
      "/console?error=oidc_failed",
      "/console?error=oidc_failed",
    ]);
    await third.stop();
  });

  test("begins no session later than ten minutes after the start", async () => {
    hostile.claims({ roles: "admin" });
    const visitor = new Visitor();
    const callback = await begin(visitor);
    const [, name = "", begunAt = "", rest = ""] =
      /^([^=]+=)(\d{10})(.+)$/.exec(visitor.cookiesFor(beside.url)) ?? [];
    const statusAt = async (at: number) => {
      const headers = { cookie: `${name}${at}${rest}` };
      return (await fetch(callback, { redirect: "manual", headers })).headers.get("location");
    };
    expect(await statusAt(Number(begunAt) - 601)).toBe("/console?error=oidc_expired");
    // Another time makes another state, which the answer does not have.
    expect(await statusAt(Number(begunAt) - 1)).toBe("/console?error=oidc_failed");
    expect(await statusAt(Number(begunAt))).toBe("/console");
  });

  test.each(["", " ", "\u0000", "a\u202eb", "\ud800", "x".repeat(256)])(
    "signs nobody in whose sub is %j",
    async (sub) => {
      const { end } = await ended({ sub, roles: "admin" }, { sub });
      expect(end).toBe("/console?error=oidc_failed");
    },
  );

  test("is quoted in the page and in the log if it refuses", async () => {
    const body = { error: "access_denied", error_description: "Ada is\u202e not\nassigned to hermod" };
    for (const at of ["authorize", "token"] as const) {
      hostile.refuses({ at, body });
      expect((await ended({ roles: "admin" })).end).toBe("/console?error=oidc_failed");
      expect(lastDetail()).toEndWith(": access_denied: Ada is not assigned to hermod");
      expect(await said()).toBe("access_denied: Ada is not assigned to hermod");
    }
    hostile.refuses({ at: "token", body: { error: "invalid_client" } });
    expect(await said()).toBe("invalid_client");
    hostile.refuses(null);
  });

  test("is quoted about the last refusal alone", async () => {
    hostile.refuses({ at: "token", body: { error: "invalid_client" } });
    const visitor = new Visitor();
    await visitor.follow(await begin(visitor));
    expect(visitor.cookiesFor(beside.url)).toContain("invalid_client");
    hostile.refuses(null);
    hostile.claims({});
    expect(await visitor.follow(await begin(visitor))).toEndWith("error=oidc_no_role");
    expect(visitor.cookiesFor(beside.url)).toBe("");
  });

  test("that is another one than configured is named beside it in the log", async () => {
    const other = "http://127.0.0.1/other";
    hostile.callsItself(other);
    const failed = { end: "/console?error=oidc_failed", name: undefined };
    expect(await ended({ roles: "admin" })).toEqual(failed);
    expect(lastDetail()).toContain(`HERMOD_OIDC_ISSUER is ${hostile.issuer}`);
    expect(lastDetail()).toContain(other);
    hostile.callsItself(hostile.issuer);
    expect(await ended({ iss: other, roles: "admin" })).toEqual(failed);
    expect(lastDetail()).toContain(`"${other}" instead of "${hostile.issuer}"`);
    expect(await ended({ aud: "grafana", roles: "admin" })).toEqual(failed);
    expect(lastDetail()).toContain(`"grafana" instead of "${CLIENT_ID}"`);
    hostile.answersWith({ iss: other });
    expect(await ended({ roles: "admin" })).toEqual(failed);
    expect(lastDetail()).toContain(`"${other}" instead of "${hostile.issuer}"`);
    hostile.answersWith({ state: "of-an-attacker" });
    expect(await ended({ roles: "admin" })).toEqual(failed);
    expect(lastDetail()).not.toContain("instead of");
    hostile.answersWith({});
  });

  test.each([
    ["/realms/a", "/realms/a/"],
    ["/realms/a/", "/realms/a"],
    ["", "/"],
    ["/", ""],
  ])("signs people in as the issuer …%s that calls itself …%s", async (configured, own) => {
    settings.issuer = hostile.issuer + configured;
    hostile.callsItself(hostile.issuer + own);
    expect((await ended({ roles: "admin" })).end).toBe("/console");
    settings.issuer = hostile.issuer;
    hostile.callsItself(hostile.issuer);
  });

  test("may sign its userinfo with its own keys alone", async () => {
    const failed = "/console?error=oidc_failed";
    hostile.signsUserinfo("itself");
    expect((await ended({}, { roles: "admin" })).end).toBe("/console");
    expect((await ended({}, { roles: "admin", sub: "person-2" })).end).toBe(failed);
    expect((await ended({}, { roles: "admin", aud: "grafana" })).end).toBe(failed);
    hostile.signsUserinfo("stranger");
    expect((await ended({}, { roles: "admin" })).end).toBe(failed);
    hostile.signsUserinfo("nobody");
  });

  test("puts no control character and no mark of direction into a name", async () => {
    const name = "\u202e\u0007ada\u0000\u200b@example\u2066.com\n\u2028\u061c ";
    expect((await ended({ roles: "admin", email: name })).name).toBe("ada@example.com");
    expect((await ended({ roles: "admin", email: "\u202e", name: "A\n\tB" })).name).toBe("A B");
    expect((await ended({ roles: "admin", email: "\u0000", name: "\u200b" })).name).toBe("person-1");
  });

  const FALSE = [
    false,
    "false",
    "FALSE",
    " False ",
    0,
    "0",
    "no",
    "off",
    "",
    null,
    [],
    {},
    "unverified",
    "f",
  ];

  test.each(FALSE.map((verified) => ({ verified })))(
    "gives neither role nor name by an address: %j",
    async ({ verified }) => {
      settings.roleClaim = "email";
      const email = "ada@example.com";
      expect(await ended({ email, email_verified: verified })).toEqual(REFUSED);
      expect(await ended({ email_verified: verified }, { email })).toEqual(REFUSED);
      expect(await ended({ email }, { email, email_verified: verified })).toEqual(REFUSED);
      settings.roleClaim = "roles";
      const { end, name } = await ended({
        roles: ["admin"],
        email,
        email_verified: verified,
        preferred_username: "Ada@Example.com",
        name: email,
      });
      expect({ end, name }).toEqual({ end: "/console", name: "person-1" });
      // An address under another name is not verified either.
      settings.roleClaim = "upn";
      expect(await ended({ upn: email, email, email_verified: verified })).toEqual(REFUSED);
      settings.roleClaim = "roles";
    },
  );

  test("gives both by a verified address, and by one about which it says nothing", async () => {
    settings.roleClaim = "email";
    for (const verified of [true, "true", "True", 1, "1", undefined])
      expect(await ended({ email: "ada@example.com", email_verified: verified })).toEqual({
        end: "/console",
        name: "ada@example.com",
      });
    settings.roleClaim = "roles";
  });
});

describe("a role", () => {
  const cases = [
    { method: "GET", path: "/endpoints", from: "viewer" },
    { method: "GET", path: "/webhooks", from: "viewer" },
    { method: "POST", path: "/endpoints/ep_01k9x3v5q8e7bt2m4n6p8r0s2t/retry", from: "support" },
    { method: "POST", path: "/webhooks/wh_01k9x3v5q8e7bt2m4n6p8r0s2t/resend", from: "support" },
    { method: "POST", path: "/endpoints", from: "operator" },
    { method: "POST", path: "/webhooks", from: "operator" },
    { method: "PUT", path: "/event-types/a.b/schema", from: "operator" },
    { method: "GET", path: "/keys", from: "admin" },
    { method: "GET", path: "/admin/accounts", from: "viewer" },
    { method: "GET", path: "/admin/endpoints", from: "viewer" },
    { method: "GET", path: "/admin/deliveries", from: "viewer" },
    { method: "GET", path: "/admin/events", from: "viewer" },
    { method: "GET", path: "/admin/system", from: "admin" },
    { method: "POST", path: "/admin/accounts", from: "admin" },
  ] as const;
  const names = Object.keys(ROLES) as Role[];

  test.each(names)("%s has its own permissions, and none above", async (role) => {
    const { visitor, csrf } = await signedIn(role);
    for (const { method, path, from } of cases) {
      const { status } = await visitor.ask(method, path, csrf, method === "GET" ? undefined : {});
      const isAllowed = names.indexOf(role) >= names.indexOf(from);
      expect({ role, path, isRefused: status === 403 }).toEqual({ role, path, isRefused: !isAllowed });
    }
  });

  test("holds in every account", async () => {
    const customer = await service.newClient();
    const { id } = await customer.newEndpoint();
    const { visitor, csrf } = await signedIn("support");
    const account = toText("acc", customer.accountId);
    const listed = (await visitor.ask("GET", "/admin/accounts?limit=1")).body.data;
    expect(listed.map((each: Json) => each.id)).toEqual([account]);
    const acting = { "hermod-account": account };
    const endpoints = await visitor.ask("GET", "/endpoints", csrf, undefined, acting);
    expect(endpoints.body.map((each: Json) => each.id)).toEqual([id]);
    const changed = await visitor.ask("PATCH", `/endpoints/${id}`, csrf, { is_active: false }, acting);
    expectError(changed, 403, "FORBIDDEN", "endpoints:write");
  });

  test("of several is the highest", async () => {
    const { visitor } = await signIn({ roles: ["support", "admin", "viewer"] });
    expect((await visitor.ask("GET", "/admin/plans")).status).toBe(200);
  });

  test("admin makes keys, but none that outlive it as an administrator's", async () => {
    const { visitor, csrf } = await signedIn("admin");
    const key = await visitor.ask("POST", "/keys", csrf, { name: "by a person" });
    expect(key.status).toBe(201);
    for (const permission of ["admin", "accounts:act"]) {
      const refused = await visitor.ask("POST", "/keys", csrf, { permissions: [permission] });
      expectError(refused, 403, "FORBIDDEN", "Only an API key");
    }
  });
});

describe("another configuration", () => {
  const other = async (change: Partial<OidcSettings>) => {
    const settings = {
      issuer: provider.issuer,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      scopes: "openid profile",
      roleClaim: "roles",
      roles: ROLES_BY_NAME,
      sessionSeconds: 3_600,
      ...change,
    };
    const config = { ...service.dependencies.config, oidc: settings, publicUrl: service.url };
    const identityProvider = new IdentityProvider(settings);
    return startTestService({ beside: service, dependencies: { config, identityProvider } });
  };

  test("reads the role from a nested claim, by the configured values", async () => {
    provider.is({ realm_access: { roles: ["On call"] } });
    const roles = parseRoles("On call=operator");
    const beside = await other({ roleClaim: "realm_access.roles", roles });
    const visitor = new Visitor();
    const callback = await visitor.follow(`${beside.url}/console/oidc/start`, CALLBACK);
    // HERMOD_PUBLIC_URL names the first service.
    expect(callback).toStartWith(service.url);
    const { search } = new URL(callback);
    await visitor.visit(`${beside.url}/console/oidc/callback${search}`);
    const headers = { cookie: visitor.cookiesFor(beside.url), "sec-fetch-site": "same-origin" };
    const me = await (await fetch(`${beside.url}/v1/me`, { headers })).json();
    expect(me).toMatchObject({ name: "person-1", permissions: expect.arrayContaining(["webhooks:write"]) });
    await beside.stop();
  });

  test("reads the role from the ID token, and authenticates in the way that the provider accepts", async () => {
    const callback = `${service.url}/console/oidc/callback`;
    const options = { authMethod: "client_secret_post", hasClaimsInToken: true } as const;
    const strict = await startProvider([callback], options);
    strict.is({ roles: ["operator"] });
    const beside = await other({ issuer: strict.issuer });
    const visitor = new Visitor();
    const { search } = new URL(await visitor.follow(`${beside.url}/console/oidc/start`, CALLBACK));
    const end = await visitor.follow(`${beside.url}/console/oidc/callback${search}`);
    expect(end).toBe(`${beside.url}/console`);
    expect([strict.tokenRequests(), strict.userinfoRequests()]).toEqual([1, 0]);
    expect(provider.userinfoRequests()).toBeGreaterThan(0);
    await beside.stop();
    await strict.stop();
  });

  test("refuses tokens not signed with a key of the provider", async () => {
    const forged = await startProvider([`${service.url}/console/oidc/callback`], { hasOtherKeys: true });
    forged.is({ roles: ["admin"] });
    const beside = await other({ issuer: forged.issuer });
    const visitor = new Visitor();
    const { search } = new URL(await visitor.follow(`${beside.url}/console/oidc/start`, CALLBACK));
    const end = await visitor.follow(`${beside.url}/console/oidc/callback${search}`);
    expect(end).toBe(`${beside.url}/console?error=oidc_failed`);
    expect(forged.tokenRequests()).toBe(1);
    await beside.stop();
    await forged.stop();
  });

  test("shows the button only with a configured provider", async () => {
    const html = async (url: string) => (await fetch(`${url}/console`)).text();
    const beside = await other({});
    expect(await html(beside.url)).toContain(" data-oidc");
    expect(await html(service.url)).not.toContain("data-oidc");
    await beside.stop();
  });

  test("works again once an unavailable provider is back", async () => {
    const placeholder = await startProvider([]);
    await placeholder.stop();
    const beside = await other({ issuer: placeholder.issuer });
    const start = `${beside.url}/console/oidc/start?return=/console/jobs`;
    const visitor = new Visitor();
    expect(await visitor.follow(start)).toBe(`${beside.url}/console/jobs?error=oidc_unreachable`);
    const { port } = new URL(placeholder.issuer);
    const up = await startProvider([`${service.url}/console/oidc/callback`], { port: Number(port) });
    expect(await visitor.follow(start, CALLBACK)).toStartWith(`${service.url}/console/oidc/callback`);
    await up.stop();
    await beside.stop();
  });
});
