import { describe, expect, test } from "bun:test";
import { SignJWT } from "jose";
import { toText } from "../../src/domain/ids";
import { PERMISSIONS, permissionsOf } from "../../src/domain/permission";
import { type Answer, answerOf, Client, expectError } from "./client";
import { ABSENT, nameOf, ROUTES, type Route } from "./routes";
import { JWT_SECRET, startTestService, useService } from "./service";

const service = await useService();
const client = await service.newClient();

async function askWith(
  headers: Record<string, string>,
  { method, path }: Pick<Route, "method" | "path">,
): Promise<Answer> {
  return answerOf(await fetch(`${service.url}/v1${path}`, { method, headers }));
}

const LIST = { method: "GET", path: "/endpoints" };
const rows = ROUTES.map((route) => [nameOf(route), route] as const);

describe("without a key", () => {
  test.each(rows)("%s is a 401", async (_, route) => {
    const answer = await askWith({}, route);
    expectError(answer, 401, "UNAUTHORIZED");
    expect(answer.headers.get("www-authenticate")).toStartWith("Bearer");
  });

  test.each([
    ["GET", "/nope"],
    ["GET", ""],
    ["GET", "/"],
    ["POST", "/endpoints/x/y"],
    ["PUT", "/webhooks"],
    ["DELETE", "/stats"],
    ["OPTIONS", "/endpoints"],
    ["PATCH", "/"],
  ])("an unknown route is a 401 too: %s %s", async (method, path) => {
    expectError(await askWith({}, { method, path }), 401, "UNAUTHORIZED");
  });
});

describe("an invalid credential", () => {
  test.each([
    ["another scheme", "Basic dXNlcjpwYXNz"],
    ["no scheme", "hmd_abc"],
    ["an empty token", "Bearer "],
    ["two tokens", "Bearer a b"],
    ["a key that was never made", `Bearer hmd_${"A".repeat(49)}`],
    ["a very long one", `Bearer ${"x".repeat(9_000)}`],
    ["something like a JWT", "Bearer a.b.c"],
    ["bytes beyond ASCII", "Bearer \u00ff\u00fe"],
  ])("%s is a 401", async (_, authorization) => {
    expectError(await askWith({ authorization }, LIST), 401, "UNAUTHORIZED");
  });

  test("a key with another scheme is a 401", async () => {
    for (const scheme of ["Basic", "Basic Bearer", "xBearer"])
      expectError(await askWith({ authorization: `${scheme} ${client.key}` }, LIST), 401, "UNAUTHORIZED");
  });

  test("an expired key is a 401", async () => {
    const expired = await service.newKey(client.accountId, PERMISSIONS, Date.now() - 1);
    expectError(await expired.get("/endpoints"), 401, "UNAUTHORIZED");
  });

  test("a disabled key is a 401", async () => {
    const { id, key } = await client.expecting(201, client.post("/keys", {}));
    const other = new Client(service.url, client.accountId, key);
    expect((await other.get("/endpoints")).status).toBe(200);
    expect((await client.patch(`/keys/${id}`, { is_active: false })).status).toBe(200);
    expectError(await other.get("/endpoints"), 401, "UNAUTHORIZED");
  });
});

describe("a JWT", () => {
  const sign = (claims: Record<string, unknown>, expires: string | Date, secret = JWT_SECRET) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256" })
      .setExpirationTime(expires)
      .sign(new TextEncoder().encode(secret));
  const askAs = async (token: string, path = "/endpoints") =>
    new Client(service.url, client.accountId, token).get(path);

  test("gives access with its permissions", async () => {
    const account_id = toText("acc", client.accountId);
    const token = await sign({ account_id, permissions: ["endpoints:read"] }, "1m");
    expect((await askAs(token)).status).toBe(200);
    expectError(await askAs(token, "/stats"), 403, "FORBIDDEN");
  });

  test("that is expired, or signed otherwise, is a 401", async () => {
    const claims = { account_id: toText("acc", client.accountId), permissions: [...PERMISSIONS] };
    expectError(await askAs(await sign(claims, new Date(Date.now() - 5_000))), 401, "UNAUTHORIZED");
    expectError(await askAs(await sign(claims, "1m", `${JWT_SECRET}!`)), 401, "UNAUTHORIZED");
  });
});

describe("a permission", () => {
  const guarded = ROUTES.flatMap((route) =>
    route.needed.map((permission) => [permission, nameOf(route), route] as const),
  );

  test.each(guarded)("%s is needed for %s", async (permission, _, route) => {
    const others = PERMISSIONS.filter((each) => !permissionsOf([each]).has(permission));
    const without = await service.newKey(client.accountId, others);
    const answer = await without.ask(route.method, route.path, bodyFor(route));
    expectError(answer, 403, "FORBIDDEN", permission);
  });

  // A key can't open a portal session: this takes a link's token.
  const byKey = rows.filter(([, { spec }]) => spec.id !== "openPortalSession");

  test.each(byKey)("is the only one needed for %s", async (_, route) => {
    const only = await service.newKey(client.accountId, route.needed);
    const answer = await only.ask(route.method, route.path, bodyFor(route));
    expect([200, 201, 400, 404]).toContain(answer.status);
  });

  test("webhooks:write includes webhooks:retry, in keys and in JWTs", async () => {
    const account_id = toText("acc", client.accountId);
    const secret = new TextEncoder().encode(JWT_SECRET);
    const jwt = await new SignJWT({ account_id, permissions: ["webhooks:write"] })
      .setProtectedHeader({ alg: "HS256" })
      .setExpirationTime("1m")
      .sign(secret);
    const { id } = await client.newEndpoint();
    for (const sender of [
      await service.newKey(client.accountId, ["webhooks:write"]),
      new Client(service.url, client.accountId, jwt),
    ]) {
      const sent = await sender.send(id);
      expect((await sender.post(`/webhooks/${sent.id}/cancel`)).status).toBe(200);
    }
    const maker = await service.newKey(client.accountId, ["webhooks:write", "keys:write"]);
    expect((await maker.post("/keys", { permissions: ["webhooks:retry"] })).status).toBe(201);
  });

  test("webhooks:retry neither sends the caller's own data nor undoes an erasure", async () => {
    const { id } = await client.newEndpoint();
    const helper = await service.newKey(client.accountId, ["webhooks:retry"]);
    expect((await helper.post(`/endpoints/${id}/test`)).status).toBe(201);
    const own = { data: { order: 4711 } };
    expectError(await helper.post(`/endpoints/${id}/test`, own), 403, "FORBIDDEN", "webhooks:write");
    expect((await client.post(`/endpoints/${id}/test`, own)).status).toBe(201);
    expectError(await helper.post("/webhooks", { endpoint_id: id, data: {} }), 403, "FORBIDDEN");
    const cancelling = async (path: string) => {
      const job = await client.expecting(202, client.post(path, path === "/erasures" ? { event: "a" } : {}));
      const answer = await helper.post(`/jobs/${job.id}/cancel`);
      return { status: answer.status, job: (await client.get(`/jobs/${job.id}`)).body.status };
    };
    expect(await cancelling("/erasures")).toEqual({ status: 403, job: "running" });
    expect(await cancelling(`/endpoints/${id}/replay`)).toEqual({ status: 200, job: "cancelled" });
    const maker = await service.newKey(client.accountId, ["webhooks:retry", "keys:write"]);
    expectError(await maker.post("/keys", { permissions: ["webhooks:write"] }), 403, "FORBIDDEN");
  });

  function bodyFor({ method, path, needed }: Route): object | undefined {
    if (method === "GET" || method === "DELETE") return undefined;
    return path === "/keys" ? { permissions: needed } : {};
  }
});

describe("an id that names nothing", () => {
  const withId = rows.filter(([, { spec }]) => spec.path?.id);

  test.each(withId)("is a 404 at %s, whatever its form", async (_, { method, template, spec }) => {
    const { example = "", external } = spec.path?.id ?? {};
    const ofAnother = example.startsWith("ep_") ? ABSENT.delivery : ABSENT.endpoint;
    const ids = [example, example.toUpperCase(), example.slice(0, -1), "1", ofAnother];
    // A PUT creates the resource of an external id.
    if (external && method !== "PUT") ids.push("~none");
    for (const id of ids) {
      const answer = await client.ask(method, template.replace("{id}", id), spec.body?.example);
      expectError(answer, 404, "NOT_FOUND");
    }
  });
});

describe("an unknown path", () => {
  test.each([
    ["GET", "/nope"],
    ["GET", ""],
    ["GET", "/endpoints/a/b"],
    ["GET", "/%zz"],
    ["GET", "/endpoints/%zz"],
    ["GET", "/endpoints/%00"],
    ["GET", "/webhooks/%ff"],
  ])("%s %s is a 404", async (method, path) => {
    expectError(await client.ask(method, path), 404, "NOT_FOUND");
  });

  test.each([
    ["PUT", "/endpoints", "GET, HEAD, POST"],
    ["POST", "/stats", "GET, HEAD"],
    ["DELETE", "/webhooks", "GET, HEAD, POST"],
    ["OPTIONS", "/endpoints", "GET, HEAD, POST"],
    ["POST", "/endpoints/x", "GET, HEAD, PUT, PATCH, DELETE"],
    ["POST", "/endpoints/%zz/", "GET, HEAD, PUT, PATCH, DELETE"],
    ["GET", "/event-types/a.b/schema", "PUT, DELETE"],
    // They fit the path of a delivery or an event as well.
    ["GET", "/webhooks/batch", "POST"],
    ["GET", "/webhooks/batch/", "POST"],
    ["DELETE", "/webhooks/resend", "POST"],
    ["GET", "/events/batch", "POST"],
  ])("%s %s is a 405 that names the methods", async (method, path, allow) => {
    const answer = await client.ask(method, path);
    expectError(answer, 405, "METHOD_NOT_ALLOWED", `This path does not support ${method}; use ${allow}`);
    expect(answer.headers.get("allow")).toBe(allow);
  });

  test("every method that a path does not have is a 405", async () => {
    const byPath = Map.groupBy(ROUTES, ({ path }) => path.replace(/\?.*/, ""));
    for (const [path, routes] of byPath) {
      const methods = new Set(routes.map(({ method }) => method));
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
        if (methods.has(method)) continue;
        const { status, headers } = await client.ask(method, path);
        const allow = headers.get("allow")?.split(", ").toSorted();
        const known = [...methods, ...(methods.has("GET") ? ["HEAD"] : [])].toSorted();
        expect({ method, path, status, allow }).toEqual({ method, path, status: 405, allow: known });
      }
    }
  });

  test.each(["/health/live", "/health/ready", "/swagger", "/swagger/json"])(
    "a wrong method at %s is a 405 even without a key",
    async (path) => {
      for (const method of ["POST", "DELETE", "OPTIONS"]) {
        const answer = await answerOf(await fetch(service.url + path, { method }));
        expectError(answer, 405, "METHOD_NOT_ALLOWED");
        expect(answer.headers.get("allow")).toBe("GET, HEAD");
      }
    },
  );

  test.each(["/", "/v2/endpoints", "/nope", "/health", "/health/nope", "/swagger/nope"])(
    "%s outside the API is a 404 even without a key",
    async (path) => {
      expectError(await answerOf(await fetch(service.url + path)), 404, "NOT_FOUND");
    },
  );
});

describe("HEAD", () => {
  test.each([
    ["/endpoints", 200],
    ["/webhooks?page=0", 400],
    ["/nope", 404],
  ])("of %s answers like GET, without a body", async (path, status) => {
    const answer = await client.ask("HEAD", path);
    expect(answer).toMatchObject({ status, text: "" });
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect((await askWith({}, { method: "HEAD", path })).status).toBe(401);
  });
});

describe("failed authentications", () => {
  test("are limited by address; others are not limited", async () => {
    const limited = await startTestService();
    try {
      const stranger = new Client(limited.url, limited.admin.accountId, "nobody's");
      for (let i = 0; i < 300; i++) expect((await stranger.get("/stats")).status).toBe(401);
      const answer = await stranger.get("/stats");
      expectError(answer, 429, "RATE_LIMIT_EXCEEDED");
      expect(Number(answer.headers.get("retry-after"))).toBeWithin(1, 61);
      expect((await limited.admin.get("/stats")).status).toBe(200);
    } finally {
      await limited.stop();
    }
  });
});
